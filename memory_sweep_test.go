package aforo

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// TestSweepingKeepsWhoIsLimited: neither thousands of other keys, nor time in
// which those expire, nor a store that is full, change what a client that has
// used up its limit is told.
func TestSweepingKeepsWhoIsLimited(t *testing.T) {
	for _, maxKeys := range []int64{0, 1000} {
		m, c := newMemoryAt(WithMaxKeys(maxKeys))
		l, brief := memoryLimiter(t, m, "sliding_window_log 5/m, fixed_window 5/h"), memoryLimiter(t, m, "100/s")
		for range 5 {
			allow(t, l, "A")
		}
		before, _ := l.Allow(context.Background(), "A")
		for i := range 20_000 {
			c.Add(1000)
			allow(t, brief, fmt.Sprint(i))
		}
		after, err := l.Allow(context.Background(), "A")
		if err != nil || before.Allowed || after.Allowed || before.RetryAfter-after.RetryAfter != 20*time.Second {
			t.Errorf("at most %d keys: %+v, %v; 20s before %+v", maxKeys, after, err, before)
		}
		if m.Len() > 2000 {
			t.Errorf("at most %d keys: %d are kept, nothing was swept", maxKeys, m.Len())
		}
	}
}

// TestASlowLimitOutlivesAFastOne: each state is kept as long as its own limit
// needs, whoever shares the table.
func TestASlowLimitOutlivesAFastOne(t *testing.T) {
	m, c := newMemoryAt()
	slow, fast := memoryLimiter(t, m, "1/1000s burst 1"), memoryLimiter(t, m, "100/s")
	allow(t, slow, "key")
	for i := range 30_100 {
		c.Add(10_000)
		allow(t, fast, fmt.Sprint(i%3000))
	}
	if d, err := slow.Allow(context.Background(), "key"); err != nil || d.Allowed || d.RetryAfter != 699*time.Second {
		t.Errorf("after 301s: %+v, %v", d, err)
	}
}

// TestWhoIsAlwaysThereIsNeverMadeAnew: a client that asks for twice the rate gets
// the rate, second after second, while others come and go.
func TestWhoIsAlwaysThereIsNeverMadeAnew(t *testing.T) {
	m, c := newMemoryAt()
	l := memoryLimiter(t, m, "100/s")
	allowed := 0
	for i := range 60 * 200 {
		c.Add(5000)
		allow(t, l, fmt.Sprint("other:", i))
		if allow(t, l, "key") {
			allowed++
		}
		if most := 100 + (i+1)/2 + 1; allowed > most {
			t.Fatalf("after %d ms %d were allowed, more than %d", 5*(i+1), allowed, most)
		}
	}
	if allowed < 6090 {
		t.Errorf("%d of 6100 were allowed", allowed)
	}
}

// TestALogTakesWhatWasAdmitted: neither its limit nor what is refused takes
// memory.
func TestALogTakesWhatWasAdmitted(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	for _, test := range []struct {
		limits          string
		keys, requests  int
		mostBytesPerKey int64
	}{
		{"sliding_window_log 1000000/m", 1000, 1, 1000},
		{"sliding_window_log 10/m", 1, 200_000, 10_000},
	} {
		m, _ := newMemoryAt()
		l := memoryLimiter(t, m, test.limits)
		before := heap()
		for i := range test.keys {
			key := fmt.Sprint(i)
			for range test.requests {
				allow(t, l, key)
			}
		}
		if took := heap() - before; took > test.mostBytesPerKey*int64(test.keys) {
			t.Errorf("%s: %d keys of %d requests take %d bytes", test.limits, test.keys, test.requests, took)
		}
		runtime.KeepAlive(m)
	}
}

// TestADecisionSweepsABoundedBit: when thirty thousand states have expired at
// once, no decision pays for them all, and all of them go.
func TestADecisionSweepsABoundedBit(t *testing.T) {
	const most = 400
	for _, text := range []string{"10/s", "sliding_window_counter 10/s", "sliding_window_log 10/s"} {
		m, c := newMemoryAt()
		l := memoryLimiter(t, m, text)
		for i := range 30_000 {
			allow(t, l, fmt.Sprint(i))
		}
		c.Add(10_000_000)
		for i := 0; m.Len() > 3000; i++ {
			before := m.Len()
			c.Add(1000)
			allow(t, l, fmt.Sprint("new:", i))
			if dropped := before - m.Len(); dropped > most {
				t.Fatalf("%s: one decision dropped %d states", text, dropped)
			}
			if i > 100_000 {
				t.Fatalf("%s: %d states are left", text, m.Len())
			}
		}
	}
}
