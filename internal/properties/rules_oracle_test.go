package properties

import (
	"errors"
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// A pair is a limit under its rules and under its oracle, on one key.
type pair struct {
	limit  aforo.Limit
	state  aforo.State
	oracle *oracle
}

func drawPair(t *rapid.T, a aforo.Algorithm) *pair {
	n := drawNumbers(t, a)
	p := &pair{limit: n.limit(), oracle: newOracle(n)}
	if err := p.limit.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := p.limit.Capacity(); got != n.capacity() {
		t.Fatalf("%v: capacity %d, want %d", p.limit, got, n.capacity())
	}
	return p
}

// Whatever is done to a key at whatever instants, the rules answer as the
// oracle does, in every field.
func TestRulesAnswerAsTheOraclesDo(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { playBoth(t, a, (*hand).forward) })
		})
	}
}

func TestRulesAnswerAsTheOraclesDoWhenClocksStepBack(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { playBoth(t, a, (*hand).anywhere) })
		})
	}
}

func playBoth(t *rapid.T, a aforo.Algorithm, move func(*hand, *rapid.T)) {
	p := drawPair(t, a)
	h := newHand(t, p.oracle.numbers)
	steps := rapid.IntRange(1, 40).Draw(t, "steps")
	for range steps {
		move(h, t)
		cost := drawCost(t, p.limit.Capacity())
		switch op := rapid.SampledFrom([]string{"take", "take", "take", "take", "peek", "charge", "refund"}).Draw(t, "op"); op {
		case "take", "peek":
			h.retry = p.decide(t, op, h.at, cost)
		case "charge":
			p.charge(t, h.at, cost)
		case "refund":
			p.state = p.limit.Refund(p.state, h.at, cost)
			p.oracle.refund(h.at, cost)
		}
	}
}

// decide compares what both answer, and returns the wait.
func (p *pair) decide(t *rapid.T, op string, at, cost int64) int64 {
	before := p.state.Clone()
	var got, want aforo.Verdict
	if op == "take" {
		p.state, got = p.limit.Take(p.state, at, cost)
		want = p.oracle.take(at, cost)
	} else {
		got, want = p.limit.Peek(p.state, at, cost), p.oracle.decide(at, cost)
	}
	if got != want {
		t.Fatalf("%v: %s of %d at %d from %+v\n got %+v\nwant %+v", p.limit, op, cost, at, before, got, want)
	}
	return got.Retry
}

// charge compares whether the debt can be held, and the largest that can.
func (p *pair) charge(t *rapid.T, at, units int64) {
	before := p.state.Clone()
	var err error
	p.state, err = p.limit.Charge(p.state, at, units)
	most, held := p.oracle.charge(at, units)
	if held && err == nil {
		return
	}
	var debt *aforo.DebtError
	if held || !errors.As(err, &debt) || debt.Largest != most || debt.Units != units {
		t.Fatalf("%v: charge of %d at %d from %+v: %v\nwant held %v, largest %d", p.limit, units, at, before, err, held, most)
	}
}
