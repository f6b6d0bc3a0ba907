package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// streams is where a command reads and writes, so that tests may stand in for
// the terminal.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// newRootCommand is the command aforo with all that it can do. Each command
// has a file of its own, and one line here.
func newRootCommand(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "aforo",
		Short: "Has this client done too much, too recently?",
		Long: `Aforo limits rates: it answers whether a client has done too much, too
recently. It knows five algorithms behind one way to write a limit:

  100/minute burst 20            token bucket: 20 at once, then 100 per minute
  leaky_bucket 2/s burst 10      a queue of 10 that drains evenly, 2 per second
  fixed_window 1000/day          counts start anew every day
  sliding_window_log 5/15m       never more than 5 in any 15 minutes
  sliding_window_counter 60/m    nearly that, in constant memory
  unlimited                      no limit at all; 0/m refuses everything

Exit codes: 0 all is well, 1 an error, 2 the command was not understood,
3 "aforo check" was refused.`,
		Example: `  # A server of decisions on http://127.0.0.1:8080
  aforo serve

  # A page that shows what limits do, in your browser
  aforo playground

  # The same check three times, in this process: see the third refused
  aforo check --limit "sliding_window_log 2/15m" --times 3 user:42`,
		Args:          cobra.ArbitraryArgs, // RunE words the error
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		RunE:          rootOnly,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(newHelpCommand())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newServeCommand(s),
		newCheckCommand(s),
		newReplayCommand(s),
		newPlaygroundCommand(s),
		newCompareCommand(s),
		newSuggestCommand(s),
		newValidateCommand(s),
		newVersionCommand(s),
	)
	refuseUnknownShells(root)
	return root
}

// rootOnly runs when no command was named, or none that exists.
func rootOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0], "serve")
}

func unknownCommand(cmd *cobra.Command, name, good string) error {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return usageError("unknown command %q: did you mean %s?", name, strings.Join(near, " or "))
	}
	return usageError("unknown command %q; for example: %s %s", name, cmd.CommandPath(), good)
}

// newHelpCommand is cobra's, but for an unknown topic being an error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0], "serve")
			}
			return topic.Help()
		},
	}
}

// refuseUnknownShells makes an error of what cobra answers with its help.
func refuseUnknownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("the shell is missing; for example: aforo completion bash")
			}
			return unknownCommand(cmd, args[0], "bash")
		}
	}
}

// flagError words what is wrong with a flag's value without the names of Go
// functions.
func flagError(_ *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return errUsage{err}
	}
	flag := wrong.GetFlag()
	what := map[string]string{"int": "an integer that fits", "int64": "an integer that fits", "duration": "a time with a unit"}[flag.Value.Type()]
	if what == "" {
		what = "a " + flag.Value.Type()
	}
	return usageError("--%s %q is not %s; for example: --%s %s", flag.Name, wrong.GetValue(), what, flag.Name, flag.DefValue)
}

// run executes the command line and returns its exit code.
func run(args []string, s streams) int {
	root := newRootCommand(s)
	root.SetArgs(args)
	started := markStart(root)
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	if code == exitError && !*started {
		code = exitUsage // cobra's own complaint about flags or arguments
	}
	if code == exitRefused {
		return code // the answer has been printed, and is not an error
	}
	for _, line := range lines(err) {
		fmt.Fprintf(s.err, "aforo: %s\n", line)
	}
	if code == exitUsage {
		fmt.Fprintf(s.err, "See %s --help.\n", cmd.CommandPath())
	}
	return code
}

// markStart tells errors that a command returns from those that cobra finds
// before it runs one: it has no types for these.
func markStart(root *cobra.Command) *bool {
	started := new(bool)
	var mark func(cmd *cobra.Command)
	mark = func(cmd *cobra.Command) {
		if inner := cmd.RunE; inner != nil {
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				*started = true
				return inner(cmd, args)
			}
		}
		for _, sub := range cmd.Commands() {
			mark(sub)
		}
	}
	mark(root)
	return started
}
