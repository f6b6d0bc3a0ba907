package properties

import (
	"math"
	"math/big"
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// passed is a request that was allowed, in ticks.
type passed struct {
	at, released int64
	cost         int64
}

// drawTrace lets somebody ask as greedily as he likes, and keeps what passed.
func drawTrace(t *rapid.T, a aforo.Algorithm) (p *pair, trace []passed) {
	p = drawPair(t, a)
	h := newHand(t, p.oracle.numbers)
	for range rapid.IntRange(1, 40).Draw(t, "requests") {
		h.forward(t)
		cost := drawCost(t, p.limit.Capacity())
		var v aforo.Verdict
		p.state, v = p.limit.Take(p.state, h.at, cost)
		h.retry = v.Retry
		if v.Delay == math.MaxInt64 {
			break // its true delay does not fit into an int64
		}
		if v.Allowed && cost > 0 {
			at := h.at / p.tickOf()
			trace = append(trace, passed{at, at + v.Delay/p.tickOf(), cost})
		}
	}
	return p, trace
}

// everyInterval calls with each interval that begins and ends with a request
// and the units that passed in it: any other interval is longer and has no
// more units.
func everyInterval(trace []passed, check func(from, to, units int64)) {
	for i := range trace {
		units := int64(0)
		for j := i; j < len(trace); j++ {
			units += trace[j].cost
			check(trace[i].at, trace[j].at, units)
		}
	}
}

// atMost tells whether units <= most + length*rate/per, exactly.
func atMost(units, most, length, rate, per int64) bool {
	left := new(big.Int).Mul(big.NewInt(units), big.NewInt(per))
	right := new(big.Int).Mul(big.NewInt(most), big.NewInt(per))
	right.Add(right, new(big.Int).Mul(big.NewInt(length), big.NewInt(rate)))
	return left.Cmp(right) <= 0
}

// Every interval is as its algorithm has promised. Lengths are in ticks.
func TestBoundsHoldInEveryInterval(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		p, trace := drawTrace(t, a)
		n, rate := p.limit.Capacity(), p.limit.Rate()
		per := p.oracle.per / p.tickOf()
		everyInterval(trace, func(from, to, units int64) {
			length := to - from
			held := true
			switch {
			case p.oracle.bucket():
				held = atMost(units, n, length, rate, per)
			case a == aforo.SlidingWindowLog:
				held = length >= per || units <= n
			case from/per == to/per:
				held = units <= n
			case a == aforo.SlidingWindowCounter && length <= per:
				held = atMost(units, n, length, n, per)
			}
			if !held {
				t.Fatalf("%v let %d units pass from %d to %d: %+v", p.limit, units, from, to, trace)
			}
		})
	})
}

// A leaky bucket's releases keep their distance, cost*per/rate after each. A
// release is rounded up to a whole tick, so where that does not divide a
// distance may be short of it by less than a tick, but never is a sum of
// distances by more: rounding does not add up.
func TestALeakyBucketReleasesAtItsRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, trace := drawTrace(t, aforo.LeakyBucket)
		per, rate := big.NewInt(p.oracle.per/p.tickOf()), big.NewInt(p.limit.Rate())
		for i := range trace {
			ahead := new(big.Int)
			for j := i + 1; j < len(trace) && rate.Sign() > 0; j++ {
				ahead.Add(ahead, big.NewInt(trace[j-1].cost))
				distance := big.NewInt(trace[j].released - trace[i].released)
				least := new(big.Int).Mul(ahead, per)
				least.Div(least, rate)
				if distance.Cmp(least) < 0 {
					t.Fatalf("%v: releases %d and %d: %v apart, want %v: %+v", p.limit, i, j, distance, least, trace)
				}
			}
		}
	})
}

// The price of a fixed window is that twice as much passes around an edge. The
// sliding windows do not have that price.
func TestOnlyAFixedWindowLetsTwiceAsMuchPassAroundAnEdge(t *testing.T) {
	const n = 10
	for a, want := range map[aforo.Algorithm]int64{
		aforo.FixedWindow: 2 * n, aforo.SlidingWindowLog: n, aforo.SlidingWindowCounter: n,
	} {
		l := aforo.PerMinute(n).Using(a)
		var s aforo.State
		units := int64(0)
		for _, at := range []int64{today + minute - 1, today + minute} {
			for range 2 * n {
				var v aforo.Verdict
				if s, v = l.Take(s, at, 1); v.Allowed {
					units++
				}
			}
		}
		if units != want {
			t.Errorf("%v let %d units pass around an edge, want %d", l, units, want)
		}
	}
}
