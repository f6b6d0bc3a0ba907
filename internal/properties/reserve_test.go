package properties

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// A job is work whose cost is known only when it is done.
type job struct {
	pause, takes     time.Duration
	estimate, actual int64 // an actual of -1 is a job that is cancelled
}

func drawJobs(t *rapid.T, atOnce bool) (jobs []job) {
	pauses := []time.Duration{0, 0, 100 * time.Millisecond, time.Second, 2500 * time.Millisecond}
	for range rapid.IntRange(1, 8).Draw(t, "jobs") {
		j := job{
			pause:    rapid.SampledFrom(pauses).Draw(t, "pause"),
			estimate: rapid.Int64Range(1, 4).Draw(t, "estimate"),
			actual:   rapid.Int64Range(-1, 8).Draw(t, "actual"),
		}
		if !atOnce {
			j.takes = rapid.SampledFrom(pauses).Draw(t, "takes")
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// Reservations that are settled or cancelled at once leave the key as if its
// true costs had been known from the beginning.
func TestSettlingAtOnceIsLikeKnowingTheCost(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				jobs := drawJobs(rt, true)
				if err := bubble(t, func() error { return work(aforo.PerSecond(4).Using(a), jobs, (*ledger).same) }); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

// Settled later they never leave more room than that: what has drained or left
// its window meanwhile is not given back.
func TestSettlingLaterNeverLeavesMoreRoom(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				jobs := drawJobs(rt, false)
				if err := bubble(t, func() error { return work(aforo.PerSecond(4).Using(a), jobs, (*ledger).noMoreThan) }); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

// work does jobs one after the other, and writes down their true costs at the
// instants of their turns.
func work(limit aforo.Limit, jobs []job, check func(*ledger, aforo.Decision, int64, int64) bool) error {
	l, ctx := aforo.Must(limit), context.Background()
	truth := newLedger([]aforo.Limit{limit})
	for i, j := range jobs {
		time.Sleep(j.pause)
		r, err := l.Reserve(ctx, "", j.estimate)
		if err != nil {
			return err
		}
		if err := r.Wait(ctx); err != nil {
			return err
		}
		truth.charge("", time.Now().UnixMicro(), max(0, j.actual))
		time.Sleep(j.takes)
		if err := finish(r, j); err != nil {
			return err
		}
		for cost := range int64(6) {
			d, err := l.Peek(ctx, "", cost)
			if err != nil {
				return err
			}
			if !check(truth, d, time.Now().UnixMicro(), cost) {
				each, _ := truth.decide("", time.Now().UnixMicro(), cost)
				return fmt.Errorf("%v: after job %d of %+v a look at %d is %+v, the truth %+v", limit, i, jobs, cost, d, each)
			}
		}
	}
	return nil
}

// finish settles or cancels, and then again, which must do nothing.
func finish(r *aforo.Reservation, j job) error {
	end := func() error {
		if j.actual < 0 {
			return r.Cancel()
		}
		return r.Settle(j.actual)
	}
	for _, again := range []func() error{end, r.Cancel, func() error { return r.Settle(7) }} {
		if err := again(); err != nil {
			return err
		}
	}
	return nil
}

// same tells that a look is exactly what the ledger says.
func (g *ledger) same(d aforo.Decision, at, cost int64) bool {
	each, allowed := g.decide("", at, cost)
	return g.agrees(d, each, allowed)
}

// noMoreThan tells that a look shows no more room than the ledger says.
func (g *ledger) noMoreThan(d aforo.Decision, at, cost int64) bool {
	each, allowed := g.decide("", at, cost)
	return d.Allowed == allowed && d.Remaining <= each[0].Remaining || !d.Allowed && allowed
}

// Delay is when the turn comes: for each place in line, and whatever others
// have taken since.
func TestDelayIsWhenTheTurnComes(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		for _, charged := range []int64{0, 1, 5} {
			l, ctx := aforo.Must(aforo.PerSecond(3).Using(a)), t.Context()
			useUp(t, l)
			var line []*aforo.Reservation
			for i := range 7 {
				r, err := l.Reserve(ctx, "key", int64(1+i%3))
				if err != nil {
					t.Fatal(err)
				}
				line = append(line, r)
			}
			if err := l.Charge(ctx, "key", charged); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			var delays []time.Duration
			for _, r := range line {
				delays = append(delays, r.Delay())
			}
			for i, r := range line {
				if err := r.Wait(ctx); err != nil {
					t.Fatal(err)
				}
				if came := time.Since(start); came != delays[i] || r.Delay() != 0 {
					t.Errorf("%v, %d charged: place %d came after %v, want %v", l.Limits(), charged, i, came, delays[i])
				}
			}
		}
	})
}

// Who cancels before his turn has taken nothing, and those behind move up.
func TestCancelledPlacesAreAsIfNeverTaken(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		limit := aforo.PerSecond(3).Using(a)
		kept, all := aforo.Must(limit), aforo.Must(limit)
		ctx := t.Context()
		useUp(t, kept)
		useUp(t, all)
		var want, got, dropped []*aforo.Reservation
		reserve := func(l *aforo.Limiter, cost int64) *aforo.Reservation {
			r, err := l.Reserve(ctx, "key", cost)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for i := range 12 {
			cost := int64(1 + i%3)
			if i%4 == 0 || i%4 == 3 {
				dropped = append(dropped, reserve(all, cost))
				continue
			}
			want, got = append(want, reserve(kept, cost)), append(got, reserve(all, cost))
		}
		for _, r := range dropped {
			if err := r.Cancel(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range want {
			if got[i].Delay() != want[i].Delay() {
				t.Errorf("%v: place %d has to wait %v, want %v", limit, i, got[i].Delay(), want[i].Delay())
			}
			if err := want[i].Wait(ctx); err != nil {
				t.Fatal(err)
			}
			if err := got[i].Wait(ctx); err != nil {
				t.Fatal(err)
			}
		}
	})
}
