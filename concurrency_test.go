package aforo_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// atOnce runs a function in n goroutines that begin together, and returns when
// all have ended.
func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-begin
			f(i)
		}()
	}
	close(begin)
	wg.Wait()
}

func TestNobodyGetsBetweenTheCheckAndTheCount(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		limiter := aforo.Must(aforo.PerMinute(100).Using(a), aforo.WithClock(newClock().now))
		for round := range 200 {
			key := fmt.Sprint(round)
			var allowed atomic.Int64
			atOnce(1000, func(int) {
				if d, err := limiter.Allow(context.Background(), key); err != nil {
					t.Error(err)
				} else if d.Allowed {
					allowed.Add(1)
				}
			})
			if allowed.Load() != 100 {
				t.Errorf("%v: %d of 100 allowed in round %d", a, allowed.Load(), round)
			}
		}
	}
}

// sharedClock is a clock that several set forward, but not beyond an end.
type sharedClock struct{ micros, end atomic.Int64 }

func (c *sharedClock) now() time.Time { return time.UnixMicro(c.micros.Load()) }

func (c *sharedClock) advance() {
	if at := c.micros.Load(); at+120 < c.end.Load() {
		c.micros.CompareAndSwap(at, at+120)
	}
}

// window begins a window; its end is out of reach until the next one begins.
func (c *sharedClock) window(start time.Time, lasts time.Duration) {
	c.end.Store(start.Add(lasts).UnixMicro())
	c.micros.Store(start.UnixMicro())
}

// TestSweepingForgetsNobodyInUse: a few keys are asked for by many while
// thousands of others come, expire and are swept beside them. The first of them
// are so many that the store must split what it has.
func TestSweepingForgetsNobodyInUse(t *testing.T) {
	const window = 100 * time.Millisecond
	for _, test := range []struct {
		limits string
		every  time.Duration // between the beginnings of two windows that know nothing of each other
	}{
		{"fixed_window 5/100ms", window},
		{"sliding_window_log 5/100ms", 2 * window},
		{"fixed_window 5/100ms, fixed_window 1000000/d", window},
	} {
		clock := new(sharedClock)
		store := aforo.NewMemory(aforo.WithMemoryClock(clock.now))
		limiter, err := aforo.New(test.limits, aforo.WithStore(store))
		if err != nil {
			t.Fatal(err)
		}
		oneOff, err := aforo.New("fixed_window 1000/100ms", aforo.WithStore(store), aforo.WithName("one-off"))
		if err != nil {
			t.Fatal(err)
		}
		const users, flooders = 32, 4
		largest, inserted := 0, 0
		for round := range 10 {
			clock.window(start.Add(time.Duration(round)*test.every), window)
			flood := 500
			if round == 0 {
				flood = 9_000
			}
			var allowed [8]atomic.Int64
			atOnce(users+flooders, func(i int) {
				if i >= users {
					ask(t, oneOff, flood, func(n int) string { return fmt.Sprint(round, ":", i, ":", n) })
					return
				}
				for range 3 {
					for key := range allowed {
						allowed[key].Add(int64(ask(t, limiter, 1, func(int) string { return fmt.Sprint(key) })))
						clock.advance()
					}
				}
			})
			for key := range allowed {
				if n := allowed[key].Load(); n != 5 {
					t.Errorf("%s: key %d was allowed %d in window %d", test.limits, key, n, round)
				}
			}
			inserted += flooders * flood
			largest = max(largest, store.Len())
		}
		// A store begins with 16 partitions of 2,048 states at most.
		if largest <= 16*2048 || store.Len() > inserted/2 {
			t.Errorf("%s: of %d keys %d were kept at most, and %d in the end: this did not split and sweep",
				test.limits, inserted, largest, store.Len())
		}
	}
}

// ask asks for one unit of each of n keys, and tells how many were allowed.
func ask(t *testing.T, limiter *aforo.Limiter, n int, key func(int) string) (allowed int) {
	for i := range n {
		d, err := limiter.Allow(context.Background(), key(i))
		if err != nil {
			t.Error(err)
		}
		if d.Allowed {
			allowed++
		}
	}
	return allowed
}
