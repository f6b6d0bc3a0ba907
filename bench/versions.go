package main

import (
	"os/exec"
	"runtime/debug"
	"strings"
)

// peerInfos is the peers with the versions that were built in.
func peerInfos() []PeerInfo {
	versions := moduleVersions()
	var list []PeerInfo
	for _, p := range peers() {
		list = append(list, PeerInfo{
			Name: p.Name, Module: p.Module, Version: versions[p.Module],
			What: p.What, Differs: p.Differs, Yardstick: p.Yardstick, Waits: p.Waits,
		})
	}
	return list
}

// moduleVersions is what this program was built from. Aforo itself comes from
// the folder above and has no version, so the commit stands for it.
func moduleVersions() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	for _, m := range info.Deps {
		versions[m.Path] = m.Version
		if m.Replace != nil {
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
