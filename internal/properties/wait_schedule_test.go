package properties

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// An act is what somebody does to the one key of a schedule.
type act struct {
	at       int64  // microseconds after the beginning
	op       string // wait, allow, charge, refund, reset, leave
	cost     int64
	deadline int64 // of a wait, after the beginning; 0 is none
	who      int   // the act whose wait is left
}

// An outcome is what came of an act, and when.
type outcome struct {
	at   int64
	what string
}

// foretell plays a schedule by the pure rules alone: first come first served,
// each as soon as it fits, and before anybody who only comes at that instant.
type foretell struct {
	limits   []aforo.Limit
	ledger   *ledger
	start    int64
	acts     []act
	line     []int // those who wait, by number of their act
	now      int64 // no turn comes before
	outcomes []outcome
}

func foretold(limits []aforo.Limit, start int64, acts []act) []outcome {
	f := &foretell{limits: limits, ledger: newLedger(limits), start: start, acts: acts, outcomes: make([]outcome, len(acts))}
	for i, a := range acts {
		f.pass(a.at)
		f.act(i)
		f.turns(a.at)
	}
	f.pass(1 << 50)
	return f.outcomes
}

// pass lets time pass until an instant: turns come, and deadlines.
func (f *foretell) pass(until int64) {
	for {
		first := -1
		for _, i := range f.line {
			if d := f.acts[i].deadline; d > 0 && d <= until && (first < 0 || d < f.acts[first].deadline) {
				first = i
			}
		}
		if first < 0 {
			f.turns(until)
			f.now = until
			return
		}
		deadline := f.acts[first].deadline
		f.turns(deadline)
		if f.now = deadline; f.leave(first) {
			f.outcomes[first] = outcome{deadline, "left"}
			f.turns(deadline)
		}
	}
}

// turns lets in everybody whose turn comes until an instant.
func (f *foretell) turns(until int64) {
	for len(f.line) > 0 {
		i := f.line[0]
		at := turn(f.limits, f.ledger.of(""), f.start+f.now, f.acts[i].cost) - f.start
		if at > until {
			return
		}
		enter(f.ledger, f.start+at, f.acts[i].cost, at > f.acts[i].at)
		f.now, f.line = at, f.line[1:]
		f.outcomes[i] = outcome{at, "came"}
	}
}

// turn is the first instant at which all limits allow a cost. A leaky bucket
// lets somebody in who waits outside when nobody is ahead of him.
func turn(limits []aforo.Limit, states []aforo.State, at, cost int64) int64 {
	for again := true; again; {
		again = false
		for i := range limits {
			if v := limits[i].Peek(states[i], at, cost); v.Retry+v.Delay > 0 {
				at += v.Retry + v.Delay
				again = true
			}
		}
	}
	return at
}

// enter counts somebody whose turn has come. Who had to wait for a leaky bucket
// has waited for a whole tick, though what was ahead may have drained within
// it. He counts from then on, as if he had stood in the queue itself: else each
// turn would lose a part of a tick. A tick is a microsecond here.
func enter(g *ledger, at, cost int64, waited bool) {
	for i, s := range g.of("") {
		l, dated := g.limits[i], at
		if waited && l.Algorithm() == aforo.LeakyBucket {
			if v := l.Peek(s, at-1, cost); v.Allowed && v.Delay == 1 {
				dated--
			}
		}
		g.of("")[i], _ = l.Take(s, dated, cost)
	}
}

func (f *foretell) leave(who int) bool {
	for n, i := range f.line {
		if i == who {
			f.line = append(f.line[:n:n], f.line[n+1:]...)
			return true
		}
	}
	return false
}

func (f *foretell) act(i int) {
	a := f.acts[i]
	f.outcomes[i] = outcome{a.at, "done"}
	switch a.op {
	case "wait":
		if a.deadline > 0 && f.foresee(a.cost) > a.deadline {
			f.outcomes[i].what = "too late"
			return
		}
		f.line = append(f.line, i)
	case "allow":
		if _, allowed := f.ledger.take("", f.start+a.at, a.cost); !allowed {
			f.outcomes[i].what = "refused"
		}
	case "charge":
		f.ledger.charge("", f.start+a.at, a.cost)
	case "refund":
		f.ledger.refund("", f.start+a.at, a.cost)
	case "reset":
		delete(f.ledger.states, "")
	case "leave":
		if f.leave(a.who) {
			f.outcomes[a.who] = outcome{a.at, "left"}
		}
	}
}

// foresee is when somebody's turn comes who joins the line now.
func (f *foretell) foresee(cost int64) int64 {
	g, at := newLedger(f.limits), f.start+f.now
	for _, s := range f.ledger.of("") {
		g.states[""] = append(g.states[""], s.Clone())
	}
	for _, i := range f.line {
		at = turn(f.limits, g.of(""), at, f.acts[i].cost)
		enter(g, at, f.acts[i].cost, at > f.start+f.acts[i].at)
	}
	return turn(f.limits, g.of(""), at, cost) - f.start
}

// drawSchedule draws acts in the order of their instants. Deadlines are at
// instants at which nothing else happens.
func drawSchedule(t *rapid.T, most int64) (acts []act) {
	at := int64(0)
	for i := range rapid.IntRange(1, 25).Draw(t, "acts") {
		at += rapid.SampledFrom([]int64{0, 0, 0, 1000, second / 10, second / 4, second, 3 * second}).Draw(t, "pause")
		a := act{at: at, cost: rapid.Int64Range(0, most).Draw(t, "cost")}
		a.op = rapid.SampledFrom([]string{"wait", "wait", "wait", "wait", "allow", "charge", "refund", "reset", "leave"}).Draw(t, "op")
		switch a.op {
		case "wait":
			if rapid.IntRange(0, 2).Draw(t, "has a deadline") == 0 {
				a.deadline = at + rapid.Int64Range(0, 5000).Draw(t, "patience")*1000 + 457
			}
		case "leave":
			a.who = rapid.IntRange(0, i).Draw(t, "who")
		}
		acts = append(acts, a)
	}
	return acts
}

// bubble runs a test in simulated time and returns what went wrong in it.
func bubble(t *testing.T, run func() error) (err error) {
	synctest.Test(t, func(*testing.T) { err = run() })
	return err
}

// live plays a schedule on a limiter, in simulated time.
func live(l *aforo.Limiter, acts []act) []outcome {
	start := time.Now()
	since := func() int64 { return int64(time.Since(start) / time.Microsecond) }
	outcomes := make([]outcome, len(acts))
	cancels := make([]context.CancelFunc, len(acts))
	var wg sync.WaitGroup
	for i, a := range acts {
		ctx, cancel := context.WithCancel(context.Background())
		cancels[i] = cancel
		if a.deadline > 0 {
			var end context.CancelFunc
			ctx, end = context.WithDeadline(ctx, start.Add(time.Duration(a.deadline)*time.Microsecond))
			defer end()
		}
		time.Sleep(time.Until(start.Add(time.Duration(a.at) * time.Microsecond)))
		synctest.Wait() // those whose turn comes now go first
		switch a.op {
		case "wait":
			wg.Go(func() {
				what := named(l.WaitN(ctx, "", a.cost))
				outcomes[i] = outcome{since(), what}
			})
		case "leave":
			cancels[a.who]()
			outcomes[i] = outcome{since(), "done"}
		default:
			outcomes[i] = outcome{since(), doNow(l, a)}
		}
		synctest.Wait()
	}
	wg.Wait()
	for _, cancel := range cancels {
		cancel()
	}
	return outcomes
}

func named(err error) string {
	var late *aforo.DeadlineError
	switch {
	case err == nil:
		return "came"
	case errors.As(err, &late):
		return "too late"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "left"
	}
	return err.Error()
}

func doNow(l *aforo.Limiter, a act) string {
	ctx, err := context.Background(), error(nil)
	switch a.op {
	case "allow":
		var d aforo.Decision
		if d, err = l.AllowN(ctx, "", a.cost); err == nil && !d.Allowed {
			return "refused"
		}
	case "charge":
		err = l.Charge(ctx, "", a.cost)
	case "refund":
		err = l.Refund(ctx, "", a.cost)
	case "reset":
		err = l.Reset(ctx, "")
	}
	if err != nil {
		return err.Error()
	}
	return "done"
}

// Whatever happens while some wait, each turn comes at the very instant that
// the pure rules give, and each deadline that cannot be met is refused at once.
func TestTurnsComeWhenTheRulesSay(t *testing.T) {
	for name, limits := range scheduled() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				acts := drawSchedule(rt, 3)
				if err := bubble(t, func() error { return compare(limits, acts) }); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

func scheduled() map[string][]aforo.Limit {
	sets := map[string][]aforo.Limit{}
	for _, a := range aforo.Algorithms() {
		sets[a.String()] = []aforo.Limit{aforo.Per(3, time.Second).Using(a)}
		sets[a.String()+", undividing"] = []aforo.Limit{aforo.Per(7, 1300*time.Millisecond).Using(a)}
	}
	sets["two limits"] = []aforo.Limit{aforo.PerSecond(4).Burst(3), aforo.Per(6, 3*time.Second).Using(aforo.SlidingWindowCounter)}
	sets["a leaky and a log"] = []aforo.Limit{aforo.PerSecond(4).Using(aforo.LeakyBucket), aforo.Per(6, 3*time.Second).Using(aforo.SlidingWindowLog)}
	return sets
}

func compare(limits []aforo.Limit, acts []act) error {
	ls, err := aforo.NewLimits(limits...)
	if err != nil {
		return err
	}
	l, err := aforo.NewLimiter(ls)
	if err != nil {
		return err
	}
	want := foretold(limits, time.Now().UnixMicro(), acts)
	if got := live(l, acts); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%v: %+v\n got %v\nwant %v", ls, acts, got, want)
	}
	return nil
}
