package properties

import (
	"reflect"
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// tickOf is the limit's tick in microseconds.
func (p *pair) tickOf() int64 { return p.oracle.tick.Int64() }

// drawHistory takes, charges and refunds at random on a forward clock.
func (p *pair) drawHistory(t *rapid.T, h *hand) {
	steps := rapid.IntRange(0, 12).Draw(t, "history")
	for range steps {
		h.forward(t)
		cost := drawCost(t, p.limit.Capacity())
		switch rapid.SampledFrom([]string{"take", "take", "take", "charge", "refund"}).Draw(t, "op") {
		case "take":
			var v aforo.Verdict
			p.state, v = p.limit.Take(p.state, h.at, cost)
			h.retry = v.Retry
		case "charge":
			if charged, err := p.limit.Charge(p.state, h.at, cost); err == nil {
				p.state = charged
			}
		case "refund":
			p.state = p.limit.Refund(p.state, h.at, cost)
		}
	}
	h.forward(t)
}

func eachAlgorithm(t *testing.T, property func(*rapid.T, aforo.Algorithm)) {
	t.Helper()
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { property(t, a) })
		})
	}
}

// A refusal or a look changes nothing, whatever the clock does; and what
// remains is between nothing and all.
func TestRefusalsAndLooksChangeNothing(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		p := drawPair(t, a)
		h := newHand(t, p.oracle.numbers)
		p.drawHistory(t, h)
		for range rapid.IntRange(1, 10).Draw(t, "requests") {
			h.anywhere(t)
			cost := drawCost(t, p.limit.Capacity())
			before := p.state.Clone()
			p.limit.Peek(p.state, h.at, cost)
			if !reflect.DeepEqual(before, p.state.Clone()) {
				t.Fatalf("%v: a look at %d changed %+v to %+v", p.limit, h.at, before, p.state)
			}
			after, v := p.limit.Take(p.state, h.at, cost)
			if (!v.Allowed || cost == 0) && !reflect.DeepEqual(before, after.Clone()) {
				t.Fatalf("%v: %+v of %d changed %+v to %+v", p.limit, v, cost, before, after)
			}
			if v.Remaining < 0 || v.Remaining > p.limit.Capacity() {
				t.Fatalf("%v: %+v remains of %d", p.limit, v, p.limit.Capacity())
			}
			p.state, h.retry = after, v.Retry
		}
	})
}

// If nobody else uses the key, the same request is refused a tick before the
// promised wait is over, and allowed when it is.
func TestTheWaitIsTheLeastThatHelps(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		p := drawPair(t, a)
		h := newHand(t, p.oracle.numbers)
		p.drawHistory(t, h)
		cost := drawCost(t, p.limit.Capacity())
		v := p.limit.Peek(p.state, h.at, cost)
		switch {
		case v.Allowed:
			if v.Retry != 0 {
				t.Fatalf("%v: allowed, but %+v", p.limit, v)
			}
		case v.Retry == -1:
			later := h.at + rapid.Int64Range(0, lastInstant-h.at).Draw(t, "later")
			if p.limit.Peek(p.state, later, cost).Allowed {
				t.Fatalf("%v: never at %d, but allowed at %d from %+v", p.limit, h.at, later, p.state)
			}
		case v.Retry > lastInstant-h.at:
			t.Skip("after the end of time")
		default:
			p.keepsPromise(t, h.at+v.Retry, cost)
		}
	})
}

func (p *pair) keepsPromise(t *rapid.T, due, cost int64) {
	if early := p.limit.Peek(p.state, due-p.tickOf(), cost); early.Allowed {
		t.Fatalf("%v: %d is allowed a tick before %d from %+v", p.limit, cost, due, p.state)
	}
	if on := p.limit.Peek(p.state, due, cost); !on.Allowed {
		t.Fatalf("%v: %d is not allowed at %d from %+v: %+v", p.limit, cost, due, p.state, on)
	}
}

// After the reset time a key answers like one that was never used, whatever is
// asked of it: so a store may forget it.
func TestAfterTheResetTimeAKeyIsAsNeverUsed(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		p := drawPair(t, a)
		h := newHand(t, p.oracle.numbers)
		p.drawHistory(t, h)
		reset := p.limit.Peek(p.state, h.at, 0).Reset
		if reset == -1 || reset > lastInstant-h.at {
			t.Skip("it does not come")
		}
		h.at += reset
		for _, cost := range []int64{0, 1, 2, p.limit.Capacity() - 1, p.limit.Capacity(), p.limit.Capacity() + 1} {
			got, want := p.limit.Peek(p.state, h.at, max(0, cost)), p.limit.Peek(aforo.State{}, h.at, max(0, cost))
			if got != want {
				t.Fatalf("%v: cost %d at %d\nfrom %+v: %+v\nanew: %+v", p.limit, cost, h.at, p.state, got, want)
			}
		}
		p.sameDebt(t, h.at)
	})
}

// sameDebt tells that as much may be charged to a key as to a fresh one.
func (p *pair) sameDebt(t *rapid.T, at int64) {
	units := rapid.SampledFrom([]int64{1, 1 << 52, 1<<53 - 1, 1 << 60}).Draw(t, "charge")
	_, used := p.limit.Charge(p.state, at, units)
	_, fresh := p.limit.Charge(aforo.State{}, at, units)
	if !reflect.DeepEqual(used, fresh) {
		t.Fatalf("%v: charge of %d at %d\nfrom %+v: %v\nanew: %v", p.limit, units, at, p.state, used, fresh)
	}
}
