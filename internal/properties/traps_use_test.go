package properties

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
	"go.uber.org/goleak"
)

func TestTrapCancelledWaitsPushTheNext(t *testing.T) {
	eachInBubble(t, func(t *testing.T, a aforo.Algorithm) {
		l := aforo.Must(aforo.PerSecond(1).Using(a))
		must(t, l.Wait(context.Background(), "key"))
		for range 10 {
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error)
			go func() { done <- l.Wait(ctx, "key") }()
			synctest.Wait()
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		began := time.Now()
		must(t, l.Wait(context.Background(), "key"))
		if waited := time.Since(began); waited > 2*time.Second {
			t.Errorf("%v: after ten cancelled waits one takes %v", a, waited)
		}
	})
}

func TestTrapWaitersAtAFastRateLoseTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := aforo.Must(aforo.PerSecond(1_000_000).Burst(1))
		began := time.Now()
		must(t, together(64, func(int) error {
			for range 20 {
				if err := l.Wait(context.Background(), "key"); err != nil {
					return err
				}
			}
			return nil
		}))
		if took := time.Since(began); took != (64*20-1)*time.Microsecond {
			t.Errorf("1280 requests at one a microsecond took %v", took)
		}
	})
}

func TestTrapLimitsTogetherDeadlock(t *testing.T) {
	if _, err := aforo.New("10/s, 10/s"); err == nil {
		t.Error("the same limit twice is taken")
	}
	store := aforo.NewMemory()
	var limiters [2]*aforo.Limiter
	for i, text := range []string{"1000/h, fixed_window 2000/h, sliding_window_counter 3000/h", "sliding_window_counter 3000/h, fixed_window 2000/h, 1000/h"} {
		l, err := aforo.New(text, aforo.WithStore(store))
		must(t, err)
		limiters[i] = l
	}
	var admitted atomic.Int64
	must(t, together(8, func(id int) error {
		for range 500 {
			d, err := limiters[id%2].Allow(context.Background(), "key")
			if err != nil {
				return err
			}
			admitted.Add(int64(boolInt(d.Allowed)))
		}
		return nil
	}))
	if n := admitted.Load(); n < 1000 || n > 1001 { // one comes back in 3.6s
		t.Errorf("%d were admitted in two orders, want 1000", n)
	}
}

func TestTrapNewKeysEvictTheLimited(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		p := newTrap(t, a.String()+" 5/h", aforo.WithMaxKeys(1000))
		p.want("admitted", p.admitted("key", 10), 5)
		for i := range 5_000 {
			p.take(fmt.Sprint(i), 1)
		}
		p.want("admitted after 5000 new keys", p.admitted("key", 10), 0)
	}
}

func TestTrapKeysOfDifferentPartsMeet(t *testing.T) {
	store := aforo.NewMemory()
	for _, parts := range [][2]string{{"a|b", "c"}, {"a", "b|c"}, {"a:b", "c"}, {"a", "b:c"}, {"", "abc"}, {"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"a", "b\x00c"}, {"a b", "c"}} {
		for _, a := range aforo.Algorithms() { // which share a store and a key
			limits, err := aforo.NewLimits(aforo.PerHour(1).Using(a))
			must(t, err)
			l, err := aforo.NewLimiter(limits, aforo.WithStore(store), aforo.WithName(parts[0]))
			must(t, err)
			for i := range 2 {
				if d, err := l.Allow(context.Background(), parts[1]); err != nil || d.Allowed != (i == 0) {
					t.Errorf("%v of %q: request %d: %+v, %v", a, parts, i, d, err)
				}
			}
		}
	}
}

func TestTrapALongIdleKeyLoops(t *testing.T) {
	each(t, "5/us", func(t *testing.T, p *trap) { // would be 9e15 windows
		p.want("admitted", p.admitted("key", 10), 5)
		p.at += 290 * 365 * 24 * 3600 * 1e6
		p.want("admitted centuries later", p.admitted("key", 10), 5)
	})
}

func TestTrapLimitersLeaveGoroutines(t *testing.T) {
	for i := range 1000 {
		l := aforo.Must(aforo.PerHour(2))
		ctx, cancel := context.WithCancel(context.Background())
		for range 3 {
			if _, err := l.Allow(ctx, fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := l.Reserve(ctx, fmt.Sprint(i, "-"), 1)
		must(t, err)
		r.Cancel()
		cancel()
	}
	goleak.VerifyNone(t)
}
