package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Version prints the version, the commit it was built from, and the Go version\nand platform it was built for.",
		Example: "  aforo version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, version())
			return err
		},
	}
}

// version is what the linker knows of this build.
func version() string {
	release, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		release = info.Main.Version
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision":
				commit = setting.Value + commit
			case setting.Key == "vcs.modified" && setting.Value == "true":
				commit += " modified"
			}
		}
	}
	if release == "" || release == "(devel)" {
		release = "devel"
	}
	parts := []string{"aforo", release}
	if commit != "" {
		parts = append(parts, "commit "+commit)
	}
	return strings.Join(append(parts, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH), " ")
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("%s takes no arguments, but there is %q", cmd.CommandPath(), args[0])
	}
	return nil
}
