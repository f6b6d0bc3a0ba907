package main

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// limiters is what claims to limit: the floor too, as long as no keys meet.
func limiters() []Peer {
	var list []Peer
	for _, p := range peers() {
		if p.Name != loopName && !p.Waits {
			list = append(list, p)
		}
	}
	return list
}

// TestPeersLimit shows that limiters are measured, not the lack of one: the
// burst passes, the rest does not, and another key has a burst of its own.
func TestPeersLimit(t *testing.T) {
	for _, p := range limiters() {
		t.Run(p.Name, func(t *testing.T) {
			l := newPeer(t, p, small)
			for _, key := range twoKeys(l) {
				for i := range 10 {
					if got, want := l.Allow(key), i < 5; got != want {
						t.Errorf("%s, request %d: allowed %v, want %v", key, i+1, got, want)
					}
				}
			}
		})
	}
}

// twoKeys is two keys that do not meet in a slot of the floor.
func twoKeys(l Limiter) []string {
	keys := []string{key(1), key(2)}
	if f, ok := l.(*floorLimiter); ok {
		for i := 3; f.slot(keys[0]) == f.slot(keys[1]); i++ {
			keys[1] = key(i)
		}
	}
	return keys
}

// TestPeersLimitTogether asks from several goroutines for the same key.
func TestPeersLimitTogether(t *testing.T) {
	for _, p := range limiters() {
		t.Run(p.Name, func(t *testing.T) {
			l := newPeer(t, p, Spec{Rate: 100, Per: time.Hour, Burst: 100, Keys: 1000})
			var allowed atomic.Int64
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 100 {
						if l.Allow("user:1") {
							allowed.Add(1)
						}
					}
				})
			}
			all.Wait()
			if n := allowed.Load(); n != 100 && p.Name != "throttled" || n > 100 {
				t.Errorf("%d of 400 requests allowed, want 100", n)
			}
		})
	}
}

// TestPeersHoldTheMeasuredLimits tries the very limits of the workloads.
func TestPeersHoldTheMeasuredLimits(t *testing.T) {
	for _, p := range limiters() {
		t.Run(p.Name, func(t *testing.T) {
			if n := ask(newPeer(t, p, open(1)), oneKey(10_000)); n != 10_000 {
				t.Errorf("open: %d of 10000 allowed", n)
			}
			if n := ask(newPeer(t, p, shut(1)), oneKey(10_000)); n != 1 {
				t.Errorf("shut: %d of 10000 allowed, want 1", n)
			}
		})
	}
}

// TestUberWaits: it cannot refuse, so it must take its time.
func TestUberWaits(t *testing.T) {
	u := &uber{perSecond: 100}
	began := time.Now()
	for range 15 { // ten of slack are for later, not for the start
		u.Allow("user:1")
	}
	if passed := time.Since(began); passed < 100*time.Millisecond {
		t.Errorf("15 requests at 100/s took %v", passed)
	}
}

func TestPeersSayWhatTheyAre(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range peerInfos() {
		if p.What == "" || seen[p.Name] {
			t.Errorf("%q does not say what it is, or is there twice", p.Name)
		}
		seen[p.Name] = true
		if p.Module != "" && p.Version == "" {
			t.Errorf("%s: no version of %s", p.Name, p.Module)
		}
	}
	if len(those(aforoName, floorName, loopName, xtimeMutexName, sethvargoName, throttledName)) != 6 {
		t.Error("a workload picks a peer by a name that none has")
	}
}

// TestVariantsLimit does for Aforo's algorithms what TestPeersLimit does.
func TestVariantsLimit(t *testing.T) {
	for _, v := range variants() {
		none, err := newAforoOf(v.shut...)
		if err != nil {
			t.Fatal(err)
		}
		if n := ask(none, oneKey(100)); n != 1 {
			t.Errorf("%s: %d of 100 allowed, want 1", v.name, n)
		}
		all, err := newAforoOf(v.open...)
		if err != nil {
			t.Fatal(err)
		}
		if n := ask(all, oneKey(100)); n != 100 {
			t.Errorf("%s: %d of 100 allowed", v.name, n)
		}
	}
}
