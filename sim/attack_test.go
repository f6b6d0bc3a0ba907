package sim

import (
	"math/rand"
	"testing"
	"time"
)

// attack is one client that never stops asking, now in haste and now at leisure:
// instants in microseconds.
func attack() (instants []int64) {
	paces := []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, 60 * time.Millisecond, 400 * time.Millisecond, 5 * time.Millisecond, 90 * time.Millisecond}
	r := rand.New(rand.NewSource(1))
	at := time.Date(2026, 3, 2, 10, 0, 17, 0, time.UTC).UnixMicro()
	for len(instants) < 7000 {
		pace := paces[len(instants)/250%len(paces)]
		at += 1 + r.Int63n(2*pace.Microseconds()) // as long on average
		instants = append(instants, at)
	}
	return instants
}

const minute = 60_000_000 // microseconds

// slowly counts who is allowed, each by looking through all that were before.
func slowly(instants []int64, fits func(allowed []int64, at int64) bool) int {
	var allowed []int64
	for _, at := range instants {
		if fits(allowed, at) {
			allowed = append(allowed, at)
		}
	}
	return len(allowed)
}

// countIf counts the instants for which something holds.
func countIf(instants []int64, holds func(int64) bool) (n int) {
	for _, at := range instants {
		if holds(at) {
			n++
		}
	}
	return n
}

func slowLog(allowed []int64, at int64) bool {
	return countIf(allowed, func(then int64) bool { return at-then < minute }) < 600
}

func slowFixedWindow(allowed []int64, at int64) bool {
	return countIf(allowed, func(then int64) bool { return then/minute == at/minute }) < 600
}

// slowBucket holds what a bucket promises: since any request that was allowed,
// no more than the burst and what the rate gave in the meantime.
func slowBucket(allowed []int64, at int64) bool {
	for i, then := range allowed {
		if since := int64(len(allowed) - i + 1); since > 60+(at-then)*600/minute {
			return false
		}
	}
	return true
}

// TestWhatCountingRefusedRequestsWouldCost: a client that keeps asking gets the
// whole of its limit. If what is refused were counted too, it would get far
// less, and nothing while it asks faster than the limit.
func TestWhatCountingRefusedRequestsWouldCost(t *testing.T) {
	instants := attack()
	tr := new(Traffic)
	for _, at := range instants {
		tr.Add(at, []byte("192.0.2.1"))
	}
	for _, test := range []struct {
		limits string
		fits   func(allowed []int64, at int64) bool
		want   int
	}{
		{"sliding_window_log 600/m", slowLog, 5409},
		{"fixed_window 600/m", slowFixedWindow, 6100},
		{"token_bucket 600/m burst 60", slowBucket, 4992},
	} {
		got, slow := replay(t, tr, test.limits).Allowed, slowly(instants, test.fits)
		if got != test.want || slow != test.want {
			t.Errorf("%s: %d allowed, counted slowly %d, want %d", test.limits, got, slow, test.want)
		}
	}
	countingAll := 0
	for i, at := range instants {
		if slowLog(instants[:i], at) {
			countingAll++
		}
	}
	if countingAll != 3822 {
		t.Errorf("a log that counts what it refuses allows %d, want 3822 of the 5409", countingAll)
	}
}
