//go:build go1.25

package aforo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
)

// What may go wrong around a line: reservations that end in odd ways, stores that
// fail or hang, limits that change.

func TestAReservationEndsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerMinute(1))
		take(t, l, 1)
		r, err := l.Reserve(t.Context(), "key", 1)
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan error)
		go func() { waited <- r.Wait(t.Context()) }()
		synctest.Wait()
		var debt *aforo.DebtError
		if err := r.Settle(1 << 60); !errors.As(err, &debt) { // before its turn, and impossible
			t.Errorf("Settle: %v", err)
		}
		if err := <-waited; err == nil {
			t.Error("who waited for the reservation was let in")
		}
		if err := r.Cancel(); err != nil {
			t.Errorf("Cancel after a Settle that failed: %v", err)
		}
		if err := r.Wait(t.Context()); err == nil || r.Delay() != 0 {
			t.Errorf("afterwards: %v, delay %v", err, r.Delay())
		}
		if d, _ := l.Peek(t.Context(), "key", 1); d.RetryAfter != time.Minute {
			t.Errorf("it has left %+v", d)
		}
	})
}

func TestSettlingAtTheVeryMomentOfTheTurn(t *testing.T) {
	for range 50 { // which of the timers fires first is chance
		synctest.Test(t, func(t *testing.T) {
			l, f := aforo.Must(aforo.PerSecond(1)), newFinish()
			take(t, l, 1)
			r, err := l.Reserve(t.Context(), "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			f.wait(t.Context(), l, "behind", 1)
			time.Sleep(r.Delay())
			if err := r.Settle(1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			f.want(t, "behind 2s")
		})
	}
}

// stuck is a store that does not answer until the context ends, once it is told
// to be; it shows no states.
type stuck struct {
	store *aforo.Memory
	mu    sync.Mutex
	hangs bool
	fails error
}

func (s *stuck) set(hangs bool, fails error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangs, s.fails = hangs, fails
}

func (s *stuck) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	s.mu.Lock()
	hangs, fails := s.hangs, s.fails
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if fails != nil {
		return fails
	}
	return s.store.Do(ctx, call, verdicts)
}

func newStuck(t *testing.T, limits string) (*stuck, *aforo.Limiter) {
	s := &stuck{store: aforo.NewMemory()}
	l, err := aforo.New(limits, aforo.WithStore(s))
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

func TestAStoreThatHangsHoldsNobodyBeyondTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := newStuck(t, "1/s")
		f := newFinish()
		take(t, l, 1)
		f.wait(t.Context(), l, "head", 1)
		s.set(true, nil)
		time.Sleep(1500 * time.Millisecond) // the head is being asked for
		within := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			t.Cleanup(cancel)
			return ctx
		}
		f.wait(within(5*time.Second), l, "behind", 1)
		began := time.Now()
		if _, err := l.Allow(within(100*time.Millisecond), "key"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 100*time.Millisecond {
			t.Errorf("Allow returned %v after %v", err, time.Since(began))
		}
		time.Sleep(10 * time.Second)
		f.want(t, "behind 6.5s context deadline exceeded")
	})
}

func TestAStoreThatFailsAnswersEverybodyInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, l := newStuck(t, "1/s")
		f := newFinish()
		take(t, l, 1)
		for i := range 3 {
			f.wait(t.Context(), l, fmt.Sprint(i), 1)
		}
		s.set(false, errors.New("gone"))
		time.Sleep(time.Minute)
		f.want(t, "0 1s gone", "1 1s gone", "2 1s gone")
		s.set(false, nil)
		f.wait(t.Context(), l, "later", 1)
		f.want(t, "0 1s gone", "1 1s gone", "2 1s gone", "later 1m0s")
	})
}

func TestWhoGivesUpWhileTheStoreIsAskedLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{store: aforo.NewMemory()}
		l, err := aforo.New("10/h", aforo.WithStore(s))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := l.Reserve(t.Context(), "key", 10)
		if err != nil {
			t.Fatal(err)
		}
		go l.WaitN(ctx, "key", 4)
		time.Sleep(3 * time.Second)
		go r.Cancel() // makes room, so that the store is asked for the waiter
		time.Sleep(1500 * time.Millisecond)
		cancel()
		time.Sleep(time.Minute)
		if d, _ := l.Peek(t.Context(), "key", 0); d.Remaining != 10 {
			t.Errorf("%+v", d)
		}
	})
}

// slow is a store that takes a second for each call, and ignores contexts.
type slow struct{ store *aforo.Memory }

func (s *slow) Do(_ context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	time.Sleep(time.Second)
	return s.store.Do(context.Background(), call, verdicts)
}

func TestWaitersFollowTheirLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free, _ := aforo.ParseLimits("1/h")
		pro, _ := aforo.ParseLimits("100/s burst 1")
		none, _ := aforo.ParseLimits("unlimited")
		var mu sync.Mutex
		plan := free
		change := func(to aforo.Limits) {
			mu.Lock()
			defer mu.Unlock()
			plan = to
		}
		l, err := aforo.New("1/d", aforo.WithLimitsFor(func(context.Context, string) aforo.Limits {
			mu.Lock()
			defer mu.Unlock()
			return plan
		}))
		if err != nil {
			t.Fatal(err)
		}
		f := newFinish()
		take(t, l, 1)
		f.wait(t.Context(), l, "a", 1)
		time.Sleep(time.Second)
		change(pro)
		f.wait(t.Context(), l, "b", 1)
		time.Sleep(time.Second)
		f.want(t, "a 1s", "b 1.01s")
		change(free)
		f.wait(t.Context(), l, "c", 1)
		change(none)
		time.Sleep(time.Hour)
		f.want(t, "a 1s", "b 1.01s", "c 1h0m0s")
	})
}

// strict is a store that has never seen a call without limits.
type strict struct {
	*aforo.Memory
	t *testing.T
}

func (s *strict) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	if len(call.Limits) == 0 {
		s.t.Errorf("%v without limits", call.Op)
	}
	return s.Memory.Do(ctx, call, verdicts)
}

func TestAReservationThatBecomesUnlimited(t *testing.T) {
	for _, actual := range []int64{0, 1, 9} {
		synctest.Test(t, func(t *testing.T) {
			one, _ := aforo.ParseLimits("1/s")
			none, _ := aforo.ParseLimits("unlimited")
			var plan atomic.Pointer[aforo.Limits]
			plan.Store(&one)
			l, err := aforo.New("1/d", aforo.WithStore(&strict{aforo.NewMemory(), t}),
				aforo.WithLimitsFor(func(context.Context, string) aforo.Limits { return *plan.Load() }))
			if err != nil {
				t.Fatal(err)
			}
			take(t, l, 1)
			r, err := l.Reserve(t.Context(), "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			plan.Store(&none)
			time.Sleep(time.Second)
			synctest.Wait()
			if err := r.Settle(actual); err != nil || r.Delay() != 0 {
				t.Errorf("Settle(%d): %v, delay %v", actual, err, r.Delay())
			}
		})
	}
}

func TestBehindSomebodyWhoseTurnNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := aforo.New("1/h burst 1, 0/s burst 2")
		if err != nil {
			t.Fatal(err)
		}
		f := newFinish()
		take(t, l, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 300*24*time.Hour)
		defer cancel()
		f.wait(t.Context(), l, "last", 1)
		f.wait(ctx, l, "never", 1)
		r, err := l.Reserve(t.Context(), "key", 1)
		if err != nil || r.Delay() != aforo.Never {
			t.Errorf("a reservation's delay is not Never: %v", err)
		}
		r.Cancel()
		time.Sleep(2 * time.Hour)
		f.want(t, "last 1h0m0s", "never 0s never")
	})
}

func TestManyMayJoinALineAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerSecond(1))
		ctx, cancel := context.WithTimeout(t.Context(), 1_000_000*time.Second)
		defer cancel()
		for i := range 5000 {
			r, err := l.Reserve(ctx, "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			if i%500 == 0 && r.Delay() != time.Duration(i)*time.Second {
				t.Errorf("the delay of number %d is %v", i, r.Delay())
			}
		}
	})
}

func TestALimiterThatWasNotMade(t *testing.T) {
	var l aforo.Limiter
	_, err := l.Allow(context.Background(), "key")
	if err == nil || l.Wait(context.Background(), "key") == nil {
		t.Error("a zero Limiter allows")
	}
}
