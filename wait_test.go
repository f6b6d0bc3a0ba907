//go:build go1.25

package aforo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
)

// All of these run in a bubble of package synctest, where time passes only
// when everybody waits for it.

// finish is who waited, in the order in which they were let in, and when.
type finish struct {
	mu    sync.Mutex
	began time.Time
	list  []string
}

func newFinish() *finish { return &finish{began: time.Now()} }

// wait lets somebody wait in a goroutine of their own; they are in line when
// it returns.
func (f *finish) wait(ctx context.Context, l *aforo.Limiter, name string, cost int64) {
	go func() {
		err := l.WaitN(ctx, "key", cost)
		f.mu.Lock()
		defer f.mu.Unlock()
		entry := fmt.Sprintf("%s %v", name, time.Since(f.began))
		if err != nil {
			entry += " " + errorName(err)
		}
		f.list = append(f.list, entry)
	}()
	synctest.Wait()
}

func errorName(err error) string {
	var never *aforo.NeverError
	var deadline *aforo.DeadlineError
	switch {
	case errors.As(err, &never):
		return "never"
	case errors.As(err, &deadline):
		return fmt.Sprintf("too late by %v", deadline.Wait-deadline.Left)
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return err.Error()
}

func (f *finish) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	got := slices.Sorted(slices.Values(f.list)) // each says when: the rest is chance
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWaitIsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(1)), newFinish()
		for i := range 4 {
			f.wait(t.Context(), l, fmt.Sprint(i), 1)
		}
		time.Sleep(time.Minute)
		f.want(t, "0 0s", "1 1s", "2 2s", "3 3s")
	})
}

func TestAnExpensiveRequestIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(1).Burst(10)), newFinish()
		take(t, l, 10)
		f.wait(t.Context(), l, "big", 10)
		for i := range 3 {
			f.wait(t.Context(), l, fmt.Sprint("small", i), 1)
		}
		time.Sleep(time.Minute)
		f.want(t, "big 10s", "small0 11s", "small1 12s", "small2 13s")
	})
}

func TestWaitingOnlyForWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(1).Burst(3)), newFinish()
		f.wait(t.Context(), l, "1", 1)
		f.wait(t.Context(), l, "3", 3)
		time.Sleep(time.Minute)
		f.want(t, "1 0s", "3 1s")
	})
}

func TestWhoGivesUpLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(1)), newFinish()
		take(t, l, 1)
		short, cancel := context.WithCancel(t.Context())
		f.wait(short, l, "b", 1)
		time.Sleep(500 * time.Millisecond)
		cancel()
		f.want(t, "b 500ms cancelled")
		time.Sleep(100 * time.Millisecond)
		f.wait(t.Context(), l, "c", 1)
		time.Sleep(time.Minute)
		f.want(t, "b 500ms cancelled", "c 1s")

		take(t, l, 1)
		many, cancel := context.WithCancel(t.Context())
		for range 1000 {
			go l.Wait(many, "key")
		}
		synctest.Wait()
		f = newFinish()
		f.wait(t.Context(), l, "stays", 1)
		cancel()
		time.Sleep(time.Minute)
		f.want(t, "stays 1s")
	})
}

func TestTheHeadGivesUpAndTheNextGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(1).Burst(5)), newFinish()
		take(t, l, 4)
		ctx, cancel := context.WithCancel(t.Context())
		f.wait(ctx, l, "5", 5)
		f.wait(t.Context(), l, "1", 1)
		time.Sleep(100 * time.Millisecond)
		cancel()
		f.want(t, "1 100ms", "5 100ms cancelled")
	})
}

func TestDeadlinesThatAreTooEarlyFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range aforo.Algorithms() {
			l, f := aforo.Must(aforo.PerSecond(1).Using(a)), newFinish()
			take(t, l, 1)
			within := func(d time.Duration) context.Context {
				ctx, cancel := context.WithTimeout(t.Context(), d)
				t.Cleanup(cancel)
				return ctx
			}
			first, _ := l.Peek(t.Context(), "key", 1)
			due := first.RetryAfter
			f.wait(within(due-time.Millisecond), l, "a", 1)
			f.wait(within(due), l, "b", 1)
			f.wait(within(due+time.Second-time.Microsecond), l, "c", 1)
			f.wait(within(due+time.Second), l, "d", 1)
			if a == aforo.SlidingWindowCounter { // the second turn is two windows away
				synctest.Wait()
				f.want(t, "a 0s too late by 1ms", "c 0s too late by 1.000001s", "d 0s too late by 1s")
				time.Sleep(time.Minute)
				continue
			}
			f.want(t, "a 0s too late by 1ms", "c 0s too late by 1µs")
			time.Sleep(time.Minute)
			f.want(t, "a 0s too late by 1ms", "c 0s too late by 1µs", fmt.Sprint("b ", due), fmt.Sprint("d ", due+time.Second))
		}
	})
}

func TestWaitingForNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerSecond(0).Burst(2)), newFinish()
		f.wait(t.Context(), l, "a", 3)
		f.wait(t.Context(), l, "b", 2)
		f.wait(t.Context(), l, "c", 1)
		f.want(t, "a 0s never", "b 0s", "c 0s never")
	})
}

func TestALeakyBucketReleasesAtItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.Per(3, 2*time.Second).Burst(2).Using(aforo.LeakyBucket)), newFinish()
		for i := range 7 {
			f.wait(t.Context(), l, fmt.Sprint(i), 1)
		}
		time.Sleep(time.Minute)
		f.want(t, "0 0s", "1 666.667ms", "2 1.333334s", "3 2s", "4 2.666667s", "5 3.333334s", "6 4s")
	})
}

func TestAfterAPauseTheLimitHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerSecond(1).Burst(2))
		l.Wait(t.Context(), "key")
		time.Sleep(500 * time.Second)
		f := newFinish()
		for i := range 6 {
			f.wait(t.Context(), l, fmt.Sprint(i), 1)
		}
		time.Sleep(time.Minute)
		f.want(t, "0 0s", "1 0s", "2 1s", "3 2s", "4 3s", "5 4s")
	})
}

func TestOneIntervalAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, began := aforo.Must(aforo.PerMinute(300).Burst(1)), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		var mu sync.Mutex
		turns := 0
		for range 100 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 15 { // each stands in line again when it has had its turn
					asked := time.Now()
					if err := l.Wait(t.Context(), "key"); err != nil {
						t.Error(err)
					}
					mu.Lock()
					if at := time.Since(began); at != time.Duration(turns)*200*time.Millisecond {
						t.Errorf("turn %d came after %v", turns, at)
					}
					turns++
					mu.Unlock()
					if waited := time.Since(asked); waited > 20*time.Second {
						t.Errorf("somebody waited %v", waited)
					}
				}
			}()
		}
		wg.Wait()
		if ctx.Err() == nil || turns != 1500 {
			t.Errorf("%d turns", turns)
		}
	})
}

func TestWaitersAreCountedInTheNextWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.Per(10, 10*time.Second).Using(aforo.FixedWindow)), newFinish()
		time.Sleep(time.Until(time.Now().Truncate(10 * time.Second).Add(10 * time.Second)))
		f.began = time.Now()
		take(t, l, 10)
		for i := range 5 {
			f.wait(t.Context(), l, fmt.Sprint(i), 1)
		}
		time.Sleep(10 * time.Second) // newcomers ask at the very instant of the reset
		if n := take(t, l, 10); n != 5 {
			t.Errorf("beside 5 who waited, %d of 10 newcomers were let in", n)
		}
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.list) != 5 {
			t.Errorf("let in: %q", f.list)
		}
	})
}

func TestARefundLetsWaitersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, f := aforo.Must(aforo.PerHour(1)), newFinish()
		take(t, l, 1)
		f.wait(t.Context(), l, "a", 1)
		f.wait(t.Context(), l, "b", 1)
		time.Sleep(time.Second)
		l.Refund(t.Context(), "key", 1)
		f.want(t, "a 1s")
		time.Sleep(time.Second)
		l.Reset(t.Context(), "key")
		f.want(t, "a 1s", "b 2s")
	})
}

func TestReservations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerSecond(1).Burst(10))
		reserve := func(cost int64) *aforo.Reservation {
			r, err := l.Reserve(t.Context(), "key", cost)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		left := func(want int64) {
			t.Helper()
			if d, err := l.Peek(t.Context(), "key", 0); err != nil || d.Remaining != want {
				t.Errorf("%d left, want %d (%v)", d.Remaining, want, err)
			}
		}
		first, second, third := reserve(8), reserve(5), reserve(4)
		if first.Delay() != 0 || second.Delay() != 3*time.Second || third.Delay() != 7*time.Second {
			t.Errorf("delays %v, %v, %v", first.Delay(), second.Delay(), third.Delay())
		}
		left(2)
		if err := first.Settle(6); err != nil { // two less than reserved
			t.Error(err)
		}
		left(4)
		if second.Delay() != time.Second || third.Delay() != 5*time.Second {
			t.Errorf("then delays %v, %v", second.Delay(), third.Delay())
		}
		third.Cancel() // before its turn: it costs nothing
		time.Sleep(time.Second)
		if second.Delay() != 0 || second.Wait(t.Context()) != nil {
			t.Error("the second turn has not come")
		}
		left(0)
		second.Cancel()
		second.Cancel()
		second.Settle(99)
		left(5)
		fourth := reserve(1)
		fourth.Settle(20) // it turned out to cost much more
		left(0)
		if d, _ := l.Peek(t.Context(), "key", 1); d.RetryAfter != 16*time.Second {
			t.Errorf("in debt: %+v", d)
		}
		never, err := l.Reserve(t.Context(), "key", 11)
		if errorName(err) != "never" || never != nil {
			t.Errorf("%v, %v", never, err)
		}
	})
}

func TestAReservationThatActsTooEarlyPaysInFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerSecond(1).Burst(2))
		take(t, l, 2)
		r, err := l.Reserve(t.Context(), "key", 1)
		if err != nil {
			t.Fatal(err)
		}
		r.Settle(3)
		if d, _ := l.Peek(t.Context(), "key", 1); d.RetryAfter != 4*time.Second {
			t.Errorf("%+v", d)
		}
	})
}
