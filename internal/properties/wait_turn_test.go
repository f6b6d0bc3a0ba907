package properties

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
)

// eachInBubble tests each algorithm in simulated time.
func eachInBubble(t *testing.T, test func(*testing.T, aforo.Algorithm)) {
	t.Helper()
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, a) })
		})
	}
}

// standInLine lets clients wait one after the other, each at once, and returns
// when each of their turns came.
func standInLine(t *testing.T, l *aforo.Limiter, costs ...int64) []time.Duration {
	start, came := time.Now(), make([]time.Duration, len(costs))
	var wg sync.WaitGroup
	for i, cost := range costs {
		wg.Go(func() {
			if err := l.WaitN(t.Context(), "key", cost); err != nil {
				t.Error(err)
			}
			came[i] = time.Since(start)
		})
		synctest.Wait()
	}
	wg.Wait()
	return came
}

func ones(n int) []int64 {
	costs := make([]int64, n)
	for i := range costs {
		costs[i] = 1
	}
	return costs
}

// A leaky bucket lets waiters in exactly one emission interval after the other.
// Where that is no whole number of ticks, each comes at the next tick, and the
// part of a tick that it waited is not lost: no drift.
func TestALeakyBucketLetsWaitersInAtItsRate(t *testing.T) {
	for _, c := range []struct{ rate, per int64 }{{10, second}, {1, second}, {3, second}, {7, 1_300_000}, {10, 13 * second}, {999_983, second}} {
		synctest.Test(t, func(t *testing.T) {
			l := aforo.Must(aforo.Per(c.rate, time.Duration(c.per)*time.Microsecond).Using(aforo.LeakyBucket))
			for k, at := range standInLine(t, l, ones(100)...) {
				want := (int64(k)*c.per + c.rate - 1) / c.rate
				if at != time.Duration(want)*time.Microsecond {
					t.Fatalf("%v: waiter %d came at %v, want %dus", l.Limits(), k, at, want)
				}
			}
		})
	}
}

// So do they with a period so long that its tick is a second, and the clock in
// the middle of one.
func TestLongWaitsAreExact(t *testing.T) {
	const lots = 100_000_000
	for _, limit := range []aforo.Limit{aforo.PerDay(1).Burst(lots), aforo.PerDay(1).Burst(lots).Using(aforo.LeakyBucket)} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(1234567 * time.Microsecond)
			l := aforo.Must(limit)
			if limit.Algorithm() == aforo.TokenBucket {
				if err := l.Charge(t.Context(), "key", lots-1); err != nil {
					t.Fatal(err)
				}
			}
			for k, at := range standInLine(t, l, ones(5)...) {
				if want := time.Duration(k) * 24 * time.Hour; at != want {
					t.Errorf("%v: waiter %d came at %v, want %v", limit, k, at, want)
				}
			}
		})
	}
}

// A hundred who wait again as soon as their turn has come all have as many.
func TestWaitersTakeTurns(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		ctx, cancel := context.WithCancel(t.Context())
		l := aforo.Must(aforo.PerSecond(10).Using(a))
		useUp(t, l) // or the first would have it, while he is alone
		var turns [100]int
		var wg sync.WaitGroup
		for i := range turns {
			wg.Go(func() {
				for l.Wait(ctx, "key") == nil {
					turns[i]++
				}
			})
			synctest.Wait()
		}
		time.Sleep(100*time.Second + time.Millisecond)
		cancel()
		wg.Wait()
		least, most := turns[0], turns[0]
		for _, n := range turns {
			least, most = min(least, n), max(most, n)
		}
		if most-least > 1 || least < 8 {
			t.Errorf("%v: the least had %d turns, the most %d", l.Limits(), least, most)
		}
	})
}

// At the instant at which a window begins anew, those who wait go before those
// who come at that very instant.
func TestWaitersGoBeforeNewcomers(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		for range 20 {
			l := aforo.Must(aforo.PerSecond(1).Using(a))
			ctx := t.Context()
			if d, err := l.Allow(ctx, "key"); err != nil || !d.Allowed {
				t.Fatal(d, err)
			}
			d, err := l.Peek(ctx, "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			wait := max(d.RetryAfter, d.Delay)
			var wg sync.WaitGroup
			for range 5 { // they wake up together with the line
				wg.Go(func() {
					time.Sleep(wait)
					if d, err := l.Allow(ctx, "key"); err != nil || d.Allowed && d.Delay == 0 {
						t.Errorf("%v: a newcomer went first: %+v, %v", l.Limits(), d, err)
					}
				})
			}
			if err := l.Wait(ctx, "key"); err != nil {
				t.Error(err)
			}
			wg.Wait()
		}
	})
}

// However late a turn is found to have come, it is dated to when it was due:
// lateness does not add up, and the rate is kept. A clock that is late by more
// or less each time it is read stands for timers that fire late.
func TestLateTimersDoNotLowerTheRate(t *testing.T) {
	const latest = 40 * time.Millisecond
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		random := rand.New(rand.NewPCG(1, uint64(a)))
		late := aforo.Must(aforo.PerSecond(10).Using(a), aforo.WithClock(func() time.Time {
			return time.Now().Add(time.Duration(random.Int64N(int64(latest))))
		}))
		want := standInLine(t, aforo.Must(aforo.PerSecond(10).Using(a)), ones(200)...)
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		for k, at := range standInLine(t, late, ones(200)...) {
			if off := at - want[k]; off > latest || off < -latest {
				t.Fatalf("%v: waiter %d came at %v, want %v", late.Limits(), k, at, want[k])
			}
		}
	})
}

// Who waits only for debt to be repaid is let in when it is.
func TestALookWaitsUntilDebtIsRepaid(t *testing.T) {
	for _, a := range []aforo.Algorithm{aforo.TokenBucket, aforo.LeakyBucket} {
		synctest.Test(t, func(t *testing.T) {
			l := aforo.Must(aforo.PerSecond(4).Using(a))
			if err := l.Charge(t.Context(), "key", 5); err != nil {
				t.Fatal(err)
			}
			if came := standInLine(t, l, 0); came[0] != time.Second/4 {
				t.Errorf("%v: a cost of 0 came after %v, one unit of debt is repaid after 250ms", l.Limits(), came[0])
			}
		})
	}
}

// A wait that is longer than time lasts is found to be too long, and not looked
// for forever.
func TestAWaitBeyondTheEndOfTimeIsTooLong(t *testing.T) {
	const lots = 100_000_000
	limit := aforo.Per(1, 52*7*24*time.Hour).Burst(lots)
	ctx, cancel := context.WithCancel(context.Background())
	l := aforo.Must(limit)
	if err := l.Charge(ctx, "key", lots); err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	r, err := l.Reserve(ctx, "key", lots) // in a hundred million years
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		soon, end := context.WithTimeout(ctx, time.Hour)
		defer end()
		first <- l.WaitN(soon, "key", lots)
	}()
	select {
	case err := <-first:
		if !errors.As(err, new(*aforo.DeadlineError)) {
			t.Error(err)
		}
		if err := r.Cancel(); err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatalf("%v: the wait behind another was still being looked for after 5s", limit)
	}
	cancel()
}
