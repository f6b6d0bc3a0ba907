package properties

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// anyInstant draws instants that nobody has a clock for.
func anyInstant(t *rapid.T) int64 {
	at := rapid.SampledFrom([]int64{today, today, 0, 1, -1, -today, lastInstant, lastInstant + 1, -lastInstant - 1,
		math.MaxInt64, math.MinInt64, 1}).Draw(t, "instant")
	if at == 1 {
		at = rapid.Int64().Draw(t, "any instant")
	}
	return at
}

// Nothing panics and no number overflows, whatever is done at whatever instant
// and however much of it.
func TestNothingOverflows(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		p := drawPair(t, a)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			at, cost := anyInstant(t), drawCost(t, p.limit.Capacity())
			switch rapid.SampledFrom([]string{"take", "charge", "refund", "undo"}).Draw(t, "op") {
			case "take":
				var v aforo.Verdict
				p.state, v = p.limit.Take(p.state, at, cost)
				p.sane(t, v)
			case "charge":
				p.chargeToTheLast(t, at, cost)
			case "refund":
				p.state = p.limit.Refund(p.state, at, cost)
			case "undo":
				p.state = p.limit.Undo(p.state, at, anyInstant(t), cost)
			}
			p.sane(t, p.limit.Peek(p.state, at, 0))
			p.held(t)
		}
	})
}

// sane tells that a verdict is one that could be true.
func (p *pair) sane(t *rapid.T, v aforo.Verdict) {
	switch {
	case v.Remaining < 0, v.Remaining > p.limit.Capacity(),
		v.Allowed != (v.Retry == 0),
		v.Retry < -1, v.Reset < -1, v.Delay < -1,
		v.Delay == -1 && p.limit.Rate() > 0, // only what never drains is never released
		v.Delay != 0 && p.limit.Algorithm() != aforo.LeakyBucket:
		t.Fatalf("%v from %+v: %+v", p.limit, p.state, v)
	}
}

// held tells that every number of the state is one that 53 bits hold.
func (p *pair) held(t *rapid.T) {
	const most = 1<<53 - 1
	good := func(n int64) bool { return 0 <= n && n <= most }
	sum := int64(0)
	entries := p.state.Log.Entries()
	for i, e := range entries {
		sum += e.Units
		if !good(e.Units) || e.Units == 0 || i > 0 && e.At <= entries[i-1].At {
			t.Fatalf("%v holds %+v", p.limit, p.state)
		}
	}
	if !good(p.state.Used) || !good(p.state.Prev) || p.limit.Algorithm() == aforo.SlidingWindowLog && sum != p.state.Used {
		t.Fatalf("%v holds %+v", p.limit, p.state)
	}
}

// chargeToTheLast charges units, or finds that the error names the largest
// number of units that could be charged, and charges those.
func (p *pair) chargeToTheLast(t *rapid.T, at, units int64) {
	before := p.state.Clone()
	state, err := p.limit.Charge(p.state.Clone(), at, units)
	if err == nil {
		p.state = state
		return
	}
	var debt *aforo.DebtError
	if !errors.As(err, &debt) || debt.Largest < 0 || debt.Largest >= units || !reflect.DeepEqual(before, state.Clone()) {
		t.Fatalf("%v: charge of %d from %+v: %v, %+v", p.limit, units, before, err, state)
	}
	if _, err := p.limit.Charge(p.state.Clone(), at, debt.Largest+1); err == nil {
		t.Fatalf("%v: the largest charge is %d from %+v, but one more was held", p.limit, debt.Largest, before)
	}
	if p.state, err = p.limit.Charge(p.state, at, debt.Largest); err != nil {
		t.Fatalf("%v: the largest charge is %d from %+v, but %v", p.limit, debt.Largest, before, err)
	}
}

// What has left a log is no debt any more.
func TestWhatHasLeftALogMayBeChargedAgain(t *testing.T) {
	const most = 1<<53 - 1
	l := aforo.PerSecond(10).Using(aforo.SlidingWindowLog)
	s, err := l.Charge(aforo.State{}, today, most)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Charge(s, today+second-1, 1); err == nil {
		t.Fatal("more was held than 53 bits hold")
	}
	if v := l.Peek(s, today+second, 10); !v.Allowed {
		t.Fatalf("after a second: %+v", v)
	}
	if _, err := l.Charge(s, today+second, 1); err != nil {
		t.Fatalf("after a second, when nothing counts any more: %v", err)
	}
}

// Debt is repaid at the limit's rate, and until then even a look is refused,
// with the wait that it takes.
func TestDebtIsRepaidAtTheRate(t *testing.T) {
	for _, a := range []aforo.Algorithm{aforo.TokenBucket, aforo.LeakyBucket} {
		l := aforo.PerSecond(10).Using(a).Burst(5)
		s, err := l.Charge(aforo.State{}, today, 25)
		if err != nil {
			t.Fatal(err)
		}
		v := l.Peek(s, today, 0)
		want := aforo.Verdict{Retry: 2 * second, Reset: 2500 * 1000, At: today}
		if v != want {
			t.Errorf("%v: a look in debt is %+v, want %+v", l, v, want)
		}
	}
}
