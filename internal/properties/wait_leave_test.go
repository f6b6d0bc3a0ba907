package properties

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
)

// A watched is a store that counts how often it is asked, and shows its states.
type watched struct {
	*aforo.Memory
	asked atomic.Int64
}

func (w *watched) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	w.asked.Add(1)
	return w.Memory.Do(ctx, call, verdicts)
}

func watchedLimiter(limit aforo.Limit) (*aforo.Limiter, *watched) {
	w := &watched{Memory: aforo.NewMemory()}
	return aforo.Must(limit, aforo.WithStore(w)), w
}

// stateOf is what the store keeps for the key.
func (w *watched) stateOf(t *testing.T, l *aforo.Limiter) aforo.State {
	t.Helper()
	var states [1]aforo.State
	call := aforo.Call{Op: aforo.OpPeek, Key: "key", Limits: l.Limits().List()}
	if _, err := w.States(context.Background(), call, states[:]); err != nil {
		t.Fatal(err)
	}
	return states[0].Clone()
}

// useUp takes the whole capacity.
func useUp(t *testing.T, l *aforo.Limiter) {
	t.Helper()
	capacity := l.Limits().List()[0].Capacity()
	if d, err := l.AllowN(t.Context(), "key", capacity); err != nil || !d.Allowed {
		t.Fatal(d, err)
	}
}

// A thousand who give up leave nothing behind: no units, no line, no timer.
func TestWhoGivesUpLeavesNothingBehind(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		l, store := watchedLimiter(aforo.PerMinute(3).Using(a))
		useUp(t, l)
		before := store.stateOf(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() {
				if err := l.WaitN(ctx, "key", int64(1+i%3)); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second)
		cancel()
		wg.Wait()
		if after := store.stateOf(t, l); !reflect.DeepEqual(before, after) {
			t.Errorf("%v: %+v, want %+v", l.Limits(), after, before)
		}
		asked := store.asked.Load()
		time.Sleep(time.Hour)
		if more := store.asked.Load() - asked; more != 0 {
			t.Errorf("%v: nobody waits, but the store is asked %d times", l.Limits(), more)
		}
	})
}

// A deadline that comes before the turn is refused at once, at the head of the
// line and behind others, and changes nothing.
func TestATooEarlyDeadlineFailsAtOnce(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		l, store := watchedLimiter(aforo.PerSecond(2).Using(a))
		useUp(t, l)
		before, start := store.stateOf(t, l), time.Now()
		tooEarly(t, l, time.Millisecond) // at the head
		waiting, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { _ = l.WaitN(waiting, "key", 2) })
		}
		synctest.Wait()
		tooEarly(t, l, 2*time.Second) // behind the others
		if time.Since(start) != 0 {
			t.Errorf("%v: it took %v", l.Limits(), time.Since(start))
		}
		leave()
		wg.Wait()
		if after := store.stateOf(t, l); !reflect.DeepEqual(before, after) {
			t.Errorf("%v: %+v, want %+v", l.Limits(), after, before)
		}
	})
}

func tooEarly(t *testing.T, l *aforo.Limiter, patience time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := l.WaitN(ctx, "key", 2)
	var late *aforo.DeadlineError
	if !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) || late.Left != patience || late.Wait <= patience {
		t.Errorf("%v: with %v left: %v", l.Limits(), patience, err)
	}
}

// A turn that comes at the very instant of the deadline is in time.
func TestATurnAtTheDeadlineIsInTime(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		for range 20 {
			l := aforo.Must(aforo.PerSecond(1).Using(a))
			useUp(t, l)
			r, err := l.Reserve(t.Context(), "key", 1)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), r.Delay())
			if err := r.Cancel(); err != nil {
				t.Fatal(err)
			}
			if err := l.Wait(ctx, "key"); err != nil {
				t.Errorf("%v: %v", l.Limits(), err)
			}
			cancel()
		}
	})
}

// Who stood behind a large request that gives up goes at once if he fits.
func TestWhenTheHeadLeavesTheNextGoesAtOnce(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		if a == aforo.LeakyBucket {
			return // it lets nobody in while anything drains, however small
		}
		l := aforo.Must(aforo.PerMinute(10).Using(a))
		if d, err := l.AllowN(t.Context(), "key", 5); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := l.WaitN(ctx, "key", 10); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		start := time.Now()
		for range 5 {
			wg.Go(func() {
				if err := l.WaitN(t.Context(), "key", 1); err != nil || time.Since(start) != time.Second {
					t.Errorf("%v: it came after %v: %v", l.Limits(), time.Since(start), err)
				}
			})
		}
		time.Sleep(time.Second)
		leave()
		wg.Wait()
	})
}

// What can never fit is refused at once, and never stands in anybody's way.
func TestWhatNeverFitsIsRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range aforo.Algorithms() {
			l := aforo.Must(aforo.PerMinute(10).Using(a))
			var never *aforo.NeverError
			if err := l.WaitN(t.Context(), "key", 11); !errors.As(err, &never) || never.Capacity != 10 || never.Cost != 11 {
				t.Errorf("%v: %v", l.Limits(), err)
			}
		}
		l := aforo.Must(aforo.PerMinute(0).Burst(2))
		useUp(t, l)
		var never *aforo.NeverError
		if err := l.Wait(t.Context(), "key"); !errors.As(err, &never) {
			t.Errorf("%v: %v", l.Limits(), err)
		}
	})
}
