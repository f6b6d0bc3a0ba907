package host

import (
	"os/exec"
	"runtime/debug"
	"strings"
)

// Versions is what this program was built from, by the modules' paths. Aforo
// itself comes from the folder above and has no version, so the commit stands
// for it.
func Versions() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
		if m.Replace != nil || m.Version == "(devel)" || m.Version == "" {
			versions[m.Path] = commit()
		}
	}
	return versions
}

// commit is that of the work tree, with a mark if more than it was measured.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty=+changes", "--abbrev=12").Output()
	if err != nil {
		return "work tree"
	}
	return strings.TrimSpace(string(out))
}
