package properties

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// A ledger is what a limiter of several limits should do, made of the pure
// rules: a state for each limit of each key, and nothing is ever forgotten.
type ledger struct {
	limits []aforo.Limit
	states map[string][]aforo.State
}

func newLedger(limits []aforo.Limit) *ledger {
	return &ledger{limits, map[string][]aforo.State{}}
}

func (g *ledger) of(key string) []aforo.State {
	if g.states[key] == nil {
		g.states[key] = make([]aforo.State, len(g.limits))
	}
	return g.states[key]
}

// decide is what each limit says, and whether all allow.
func (g *ledger) decide(key string, at, cost int64) (each []aforo.Verdict, allowed bool) {
	allowed = true
	for i, s := range g.of(key) {
		v := g.limits[i].Peek(s, at, cost)
		each = append(each, v)
		allowed = allowed && v.Allowed
	}
	for i, s := range g.of(key) {
		if !allowed && each[i].Allowed { // it would have allowed it: nothing was counted
			each[i] = g.limits[i].Peek(s, at, 0)
		}
	}
	return each, allowed
}

func (g *ledger) take(key string, at, cost int64) (each []aforo.Verdict, allowed bool) {
	each, allowed = g.decide(key, at, cost)
	for i, s := range g.of(key) {
		if allowed {
			g.of(key)[i], _ = g.limits[i].Take(s, at, cost)
		}
	}
	return each, allowed
}

// charge counts units on all limits or on none, and tells whether it did.
func (g *ledger) charge(key string, at, units int64) bool {
	var charged []aforo.State
	for i, s := range g.of(key) {
		after, err := g.limits[i].Charge(s.Clone(), at, units)
		if err != nil {
			return false
		}
		charged = append(charged, after)
	}
	g.states[key] = charged
	return true
}

func (g *ledger) refund(key string, at, units int64) {
	for i, s := range g.of(key) {
		g.of(key)[i] = g.limits[i].Refund(s, at, units)
	}
}

// agrees tells whether a decision says what the verdicts of all limits come to.
func (g *ledger) agrees(d aforo.Decision, each []aforo.Verdict, allowed bool) bool {
	remaining, retry, reset, delay := each[0].Remaining, int64(0), int64(0), int64(0)
	for _, v := range each {
		remaining = min(remaining, v.Remaining)
		retry, reset, delay = longest(retry, v.Retry), longest(reset, v.Reset), longest(delay, v.Delay)
	}
	if !allowed {
		delay = 0
	}
	return d.Allowed == allowed && d.Remaining == remaining && d.RetryAfter == duration(retry) &&
		d.ResetAfter == duration(reset) && d.Delay == duration(delay) &&
		slices.Contains(g.reportable(each, allowed, retry), d.Name)
}

// reportable is the names of the limits that a decision may report: those that
// refuse for longest or, if all allow, have the least share left.
func (g *ledger) reportable(each []aforo.Verdict, allowed bool, retry int64) (names []string) {
	var least *big.Rat
	share := func(i int) *big.Rat {
		if g.limits[i].Capacity() == 0 {
			return nil // of nothing there is no share
		}
		return big.NewRat(each[i].Remaining, g.limits[i].Capacity())
	}
	for i := range each {
		if s := share(i); s != nil && (least == nil || s.Cmp(least) < 0) {
			least = s
		}
	}
	for i, v := range each {
		s := share(i)
		if !allowed && !v.Allowed && v.Retry == retry || allowed && (s == nil || s.Cmp(least) == 0) {
			names = append(names, g.limits[i].Name())
		}
	}
	return names
}

func longest(a, b int64) int64 {
	if a == -1 || b == -1 {
		return -1
	}
	return max(a, b)
}

// duration is microseconds as a Duration, with never and what is too long.
func duration(us int64) time.Duration {
	switch {
	case us == -1:
		return aforo.Never
	case us > int64(aforo.Never/time.Microsecond):
		return aforo.Never - 1
	}
	return time.Duration(us) * time.Microsecond
}

// Several limits decide together, all or none, and it never matters in which
// order they are listed.
func TestSeveralLimitsAreAllOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawLimits(t, 4).List()
		h := newHand(t, numbers{per: list[0].Period().Microseconds()})
		clock := aforo.WithClock(func() time.Time { return time.UnixMicro(h.at) })
		one := limiterOf(t, list, clock)
		other := limiterOf(t, rapid.Permutation(list).Draw(t, "order"), clock)
		model := newLedger(list)
		move, keys, ops := (*hand).forward, []string{"", "a"}, append(anyOp[:len(anyOp):len(anyOp)], "reset")
		if rapid.Bool().Draw(t, "clock steps back") {
			// Then it would show what a store has dropped. It drops
			// something only when a new key comes in.
			move, keys, ops = (*hand).anywhere, keys[:1], anyOp
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			move(h, t)
			key := rapid.SampledFrom(keys).Draw(t, "key")
			cost := drawCost(t, rapid.SampledFrom(list).Draw(t, "whose cost").Capacity())
			op := rapid.SampledFrom(ops).Draw(t, "op")
			h.retry = playThree(t, op, model, one, other, key, h.at, cost)
		}
	})
}

func limiterOf(t *rapid.T, list []aforo.Limit, options ...aforo.Option) *aforo.Limiter {
	ls, err := aforo.NewLimits(list...)
	if err != nil {
		t.Fatal(err)
	}
	l, err := aforo.NewLimiter(ls, options...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var anyOp = []string{"take", "take", "take", "each", "peek", "charge", "refund"}

// playThree does the same to all three.
func playThree(t *rapid.T, op string, model *ledger, one, other *aforo.Limiter, key string, at, cost int64) (retry int64) {
	ctx := context.Background()
	switch op {
	case "charge":
		held := model.charge(key, at, cost)
		var debt *aforo.DebtError
		for _, l := range []*aforo.Limiter{one, other} {
			if err := l.Charge(ctx, key, cost); (err == nil) != held || err != nil && !errors.As(err, &debt) {
				t.Fatalf("%v: charge of %d: %v, want it held %v", l.Limits(), cost, err, held)
			}
		}
	case "refund":
		model.refund(key, at, cost)
		must(t, one.Refund(ctx, key, cost))
		must(t, other.Refund(ctx, key, cost))
	case "reset":
		delete(model.states, key)
		must(t, one.Reset(ctx, key))
		must(t, other.Reset(ctx, key))
	default:
		return decideThree(t, op, model, one, other, key, at, cost)
	}
	return 0
}

func decideThree(t *rapid.T, op string, model *ledger, one, other *aforo.Limiter, key string, at, cost int64) (retry int64) {
	want, allowed := model.decide(key, at, cost)
	if op != "peek" {
		want, allowed = model.take(key, at, cost)
	}
	d, each := ask(t, one, op, key, cost)
	reordered, _ := ask(t, other, op, key, cost)
	if !model.agrees(d, want, allowed) {
		t.Fatalf("%v: %s of %d at %d: %+v, want what comes to\n%+v", one.Limits(), op, cost, at, d, want)
	}
	if reordered != d {
		t.Fatalf("%s of %d at %d\n%v: %+v\n%v: %+v", op, cost, at, one.Limits(), d, other.Limits(), reordered)
	}
	for i := range each {
		if alone := newLedger(model.limits[i : i+1]); !alone.agrees(each[i], want[i:i+1], want[i].Allowed) {
			t.Fatalf("%v: of %d at %d limit %d says %+v, want %+v", one.Limits(), cost, at, i, each[i], want[i])
		}
	}
	return d.RetryAfter.Microseconds()
}

func ask(t *rapid.T, l *aforo.Limiter, op, key string, cost int64) (d aforo.Decision, each []aforo.Decision) {
	var err error
	switch op {
	case "take":
		d, err = l.AllowN(context.Background(), key, cost)
	case "each":
		d, each, err = l.AllowEach(context.Background(), key, cost, nil)
	case "peek":
		d, err = l.Peek(context.Background(), key, cost)
	}
	must(t, err)
	return d, each
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
