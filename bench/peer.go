package main

import (
	"fmt"
	"time"
)

// Spec is the limit that every peer is given, as far as it can hold it.
type Spec struct {
	Rate  int64         // units that come back in each Per, for those that refill
	Per   time.Duration // the period, and the window of those that count in windows
	Burst int64         // units at once, and all of a window for those that count in windows
	Keys  int           // how many keys will be used, for those that must know beforehand
}

// interval is the time in which one unit comes back.
func (s Spec) interval() time.Duration { return s.Per / time.Duration(s.Rate) }

// perSecond is the rate as those want it that calculate in floats.
func (s Spec) perSecond() float64 { return float64(s.Rate) / s.Per.Seconds() }

// open never refuses within a measurement, and one hit is remembered for six
// minutes. So no table gets smaller while it is measured. The burst is the
// largest that every peer holds without overflow.
func open(keys int) Spec { return Spec{Rate: 10, Per: time.Hour, Burst: 10_000_000, Keys: keys} }

// shut refuses all but the first hit of each key, for an hour.
func shut(keys int) Spec { return Spec{Rate: 1, Per: time.Hour, Burst: 1, Keys: keys} }

// Limiter is what is measured: a question by key. It is called by several
// goroutines at once.
type Limiter interface {
	Allow(key string) bool
	// Close ends what the limiter may have started.
	Close()
}

// Peer is a way to limit by key.
type Peer struct {
	Name    string
	Module  string // where its version is looked up; "" for our own yardsticks
	What    string // the algorithm, and how the keys are held
	Differs string // what it cannot do as the others do; "" if nothing

	// Yardstick is for what is no limiter, and is not compared as one.
	Yardstick bool
	// Waits is for what cannot refuse. It is measured only where nothing has
	// to wait.
	Waits bool

	New func(Spec) (Limiter, error)
}

// peers lists all that is measured, Aforo first. A new peer is one file and
// one line here.
func peers() []Peer {
	return []Peer{
		aforoPeer(),
		floorPeer(), wideFloorPeer(), loopPeer(),
		xtimeMutexPeer(), xtimeSyncMapPeer(),
		sethvargoPeer(), throttledPeer(), ululePeer(), httpratePeer(),
		tollboothPeer(), echoPeer(), tailscalePeer(),
		jujuPeer(), failsafePeer(), uberPeer(),
	}
}

// peerNamed finds a peer.
func peerNamed(name string) (Peer, error) {
	for _, p := range peers() {
		if p.Name == name {
			return p, nil
		}
	}
	return Peer{}, fmt.Errorf("there is no peer named %q", name)
}

// the names by which workloads pick some of the peers
const (
	aforoName      = "Aforo"
	floorName      = "floor"
	wideFloorName  = "floor of 32 bytes"
	loopName       = "loop alone"
	xtimeMutexName = "x/time/rate + mutex map"
	sethvargoName  = "sethvargo/go-limiter"
	throttledName  = "throttled"
)

// those picks peers by name, in the order of peers.
func those(names ...string) []Peer {
	var list []Peer
	for _, p := range peers() {
		for _, name := range names {
			if p.Name == name {
				list = append(list, p)
			}
		}
	}
	return list
}

// refusing is the peers that can refuse.
func refusing() []Peer {
	var list []Peer
	for _, p := range peers() {
		if !p.Waits {
			list = append(list, p)
		}
	}
	return list
}
