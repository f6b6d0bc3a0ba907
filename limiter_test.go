package aforo_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

func TestNewRefusesWhatMakesNoSense(t *testing.T) {
	store := aforo.NewMemory()
	for name, made := range map[string]func() (*aforo.Limiter, error){
		"no limit":     func() (*aforo.Limiter, error) { return aforo.New("") },
		"zero limits":  func() (*aforo.Limiter, error) { return aforo.NewLimiter(aforo.Limits{}) },
		"nil store":    func() (*aforo.Limiter, error) { return aforo.New("1/s", aforo.WithStore(nil)) },
		"nil clock":    func() (*aforo.Limiter, error) { return aforo.New("1/s", aforo.WithClock(nil)) },
		"nil function": func() (*aforo.Limiter, error) { return aforo.New("1/s", aforo.WithLimitsFor(nil)) },
		"odd name":     func() (*aforo.Limiter, error) { return aforo.New("1/s", aforo.WithName("a\nb")) },
		"store and clock": func() (*aforo.Limiter, error) {
			return aforo.New("1/s", aforo.WithStore(store), aforo.WithClock(time.Now))
		},
	} {
		if l, err := made(); err == nil || l != nil || !strings.HasPrefix(err.Error(), "aforo: ") {
			t.Errorf("%s: %v, %v", name, l, err)
		}
	}
	if _, err := aforo.New("1/s", nil); err != nil {
		t.Errorf("a nil option: %v", err)
	}
	defer func() {
		if _, ok := recover().(error); !ok {
			t.Error("Must did not panic with an error")
		}
	}()
	aforo.Must(aforo.PerSecond(-1))
}

// TestContexts: without a context, or with one that has ended, no operation is
// carried out.
func TestContexts(t *testing.T) {
	limiter := aforo.Must(aforo.PerHour(5))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{nil, aforo.ErrNoContext}, {ended, context.Canceled}} {
		_, allow := limiter.Allow(c.ctx, "key")
		_, _, each := limiter.AllowEach(c.ctx, "key", 1, nil)
		_, peek := limiter.Peek(c.ctx, "key", 1)
		_, reserve := limiter.Reserve(c.ctx, "key", 1)
		for i, err := range []error{allow, each, peek, reserve, limiter.Wait(c.ctx, "key"), limiter.Charge(c.ctx, "key", 1),
			limiter.Refund(c.ctx, "key", 1), limiter.Reset(c.ctx, "key")} {
			if !errors.Is(err, c.want) {
				t.Errorf("operation %d: error %v, want %v", i, err, c.want)
			}
		}
	}
	if d, err := limiter.Peek(context.Background(), "key", 1); err != nil || d.Remaining != 4 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestLongKeys: keys that differ only in their last byte are different, however
// long, and none meets what is kept of another.
func TestLongKeys(t *testing.T) {
	limiter := aforo.Must(aforo.PerHour(2))
	ctx := context.Background()
	for _, size := range []int{1, 250, 255, 256, 257, 4096, 1 << 20} {
		for _, last := range []string{"a", "b"} {
			key := strings.Repeat("k", size-1) + last
			for i := range 3 {
				if d, err := limiter.Allow(ctx, key); err != nil || d.Allowed != (i < 2) {
					t.Errorf("%d bytes, request %d: %+v, %v", size, i, d, err)
				}
			}
		}
	}
}

// TestPlans: each key has the limits that the function gives it, and what it
// has used is still known when it returns to a plan.
func TestPlans(t *testing.T) {
	free, _ := aforo.ParseLimits("2/h")
	pro, _ := aforo.ParseLimits("5/h, fixed_window 100/d")
	none, _ := aforo.ParseLimits("unlimited")
	plans := map[string]aforo.Limits{"pro": pro, "staff": none, "free": free}
	limiter, err := aforo.New("1/h", aforo.WithLimitsFor(func(_ context.Context, key string) aforo.Limits { return plans[key] }))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"free": 2, "pro": 5, "staff": 50, "stranger": 1} {
		allowed := 0
		for range 50 {
			if d, err := limiter.Allow(context.Background(), key); err == nil && d.Allowed {
				allowed++
			}
		}
		if allowed != want {
			t.Errorf("%s: %d allowed, want %d", key, allowed, want)
		}
	}
	plans["pro"], plans["free"] = free, pro
	for key, want := range map[string]int64{"free": 5, "pro": 2} {
		if d, _ := limiter.Peek(context.Background(), key, 0); d.Remaining != want {
			t.Errorf("%s on another plan: %+v", key, d)
		}
	}
	plans["pro"] = pro
	if d, _ := limiter.Peek(context.Background(), "pro", 0); d.Remaining != 0 {
		t.Errorf("back on its plan the key has %d", d.Remaining)
	}
}

// TestNamesShareAStore: limiters of equal names in one store are one limiter,
// wherever they are made, even anew for each request; of different names they
// are not.
func TestNamesShareAStore(t *testing.T) {
	store := aforo.NewMemory()
	allowed := make(map[string]int)
	for i := range 1000 {
		name := []string{"login", "search"}[i%2]
		limiter := aforo.Must(aforo.PerHour(5), aforo.WithStore(store), aforo.WithName(name))
		d, err := limiter.Allow(context.Background(), "key")
		if err != nil || d.Name != name {
			t.Fatalf("%+v, %v", d, err)
		}
		if d.Allowed {
			allowed[name]++
		}
	}
	if allowed["login"] != 5 || allowed["search"] != 5 {
		t.Errorf("allowed %v, want 5 each", allowed)
	}
}

// TestAllowDoesNotAllocate holds the hot path, allowed and refused, by each
// algorithm and by several limits, while time goes on.
func TestAllowDoesNotAllocate(t *testing.T) {
	ctx := context.Background()
	texts := []string{"10/s burst 20, 1000/h, fixed_window 100000/d"}
	for _, a := range aforo.Algorithms() {
		texts = append(texts, aforo.Per(2, time.Millisecond).Using(a).String(), aforo.PerSecond(100).Using(a).String(), aforo.PerHour(1).Using(a).String())
	}
	for _, text := range texts {
		c := newClock()
		limiter, err := aforo.New(text, aforo.WithName("name"), aforo.WithClock(c.now))
		if err != nil {
			t.Fatal(err)
		}
		at, allowed := time.Duration(0), 0
		ask := func(times int) {
			for range times {
				at += 700 * time.Microsecond
				c.set(at)
				d, err := limiter.Allow(ctx, "user:42")
				if err != nil {
					t.Fatal(err)
				}
				if d.Allowed {
					allowed++
				}
			}
		}
		ask(2000) // what a log holds has room by then
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ask(10_000)
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > 10 { // the runtime's own
			t.Errorf("%s: %d allocations in 10000 decisions, of which %d were allowed", text, n, allowed)
		}
	}
}

// TestMemoryDropsWhatIsAsIfNeverUsed: one-off keys do not pile up, and none
// that is still limited is dropped.
func TestMemoryDropsWhatIsAsIfNeverUsed(t *testing.T) {
	c := newClock()
	store := aforo.NewMemory(aforo.WithMemoryClock(c.now))
	limiter := aforo.Must(aforo.PerSecond(2), aforo.WithStore(store), aforo.WithName("flood"))
	patient := aforo.Must(aforo.Per(1, 30*24*time.Hour), aforo.WithStore(store), aforo.WithName("patient"))
	allowed := 0
	for i := range 200_000 {
		c.set(time.Duration(i) * time.Millisecond)
		if d, err := limiter.Allow(context.Background(), fmt.Sprint("once:", i)); err != nil || !d.Allowed {
			t.Fatalf("%+v, %v", d, err)
		}
		allowed += take(t, patient, 1)
	}
	if n := store.Len(); n > 3000 {
		t.Errorf("%d keys are kept, of which about 500 are not as if never used", n)
	}
	if allowed != 1 {
		t.Errorf("at 1 in 30 days %d were allowed in 200s", allowed)
	}
}
