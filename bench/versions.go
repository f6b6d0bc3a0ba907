package main

import "github.com/aforo-dev/aforo/bench/internal/host"

// peerInfos is the peers with the versions that were built in.
func peerInfos() []PeerInfo {
	versions := host.Versions()
	var list []PeerInfo
	for _, p := range peers() {
		list = append(list, PeerInfo{
			Name: p.Name, Module: p.Module, Version: versions[p.Module],
			What: p.What, Differs: p.Differs, Yardstick: p.Yardstick, Waits: p.Waits,
		})
	}
	return list
}
