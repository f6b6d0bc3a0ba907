package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

func limits(t *testing.T, text string) aforo.Limits {
	t.Helper()
	parsed, err := aforo.ParseLimits(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func through(t *testing.T, load Load, limit string, o Options) Result {
	t.Helper()
	r, err := Run(context.Background(), load, limits(t, limit), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// anyLimits is limits of all algorithms, some of them together.
var anyLimits = []string{
	"10/s burst 5", "leaky_bucket 10/s burst 5", "leaky_bucket 7/3s burst 9", "fixed_window 10/s", "sliding_window_log 10/s", "sliding_window_counter 10/s",
	"sliding_window_counter 100/m", "0/s burst 3", "leaky_bucket 0/m burst 3", "fixed_window 0/s", "unlimited",
	"10/s burst 5, sliding_window_log 100/m", "leaky_bucket 10/s burst 5, fixed_window 20/3s, sliding_window_counter 50/30s",
}

// TestARunDecidesAsALimiter: on any load, each decision is that of a Limiter
// with a memory store, in all its fields.
func TestARunDecidesAsALimiter(t *testing.T) {
	for _, text := range []string{
		"poisson 20/s cost 1..3 for 1m", "zipf 1.2 clients 20 40/s for 30s and burst 12 every 3s as other for 30s",
		"retry storm clients 9 obey jitter 1s every 3s for 1m", "retry storm clients 9 ignore every 3s own keys cost 1..11 for 1m",
	} {
		for _, limit := range anyLimits {
			r := through(t, shape(t, text), limit, Options{Seed: 7, Events: MaxEvents})
			var now time.Time
			limiter, err := aforo.New(limit, aforo.WithClock(func() time.Time { return now }))
			if err != nil {
				t.Fatal(err)
			}
			allowed := 0
			for _, e := range r.Events {
				now = time.UnixMicro(e.Decided)
				d, err := limiter.AllowN(context.Background(), e.Key, e.Cost)
				if err != nil || d.Allowed != e.Allowed || d.RetryAfter != wait(e.Retry) || d.Delay != wait(e.Delay) {
					t.Fatalf("%s: %s: %+v, but the limiter says %+v, %v", text, limit, e, d, err)
				}
				if d.Allowed {
					allowed++
				}
			}
			if len(r.Events) < 50 || allowed != r.Allowed || len(r.Events) != r.Allowed+r.Refused {
				t.Errorf("%s: %s: %d events, %d allowed, %+v", text, limit, len(r.Events), allowed, r)
			}
		}
	}
}

func wait(us int64) time.Duration {
	if us < 0 {
		return aforo.Never
	}
	return micros(us)
}

// TestReasonsGiveTheDecision: the numbers of a reason, put into the formula of
// the algorithm, give the decision.
func TestReasonsGiveTheDecision(t *testing.T) {
	fits := func(r Reason) float64 { // how much room is left after it, in units
		after := r.Held + float64(r.Cost)
		switch r.Algorithm {
		case aforo.TokenBucket:
			return r.Held - float64(r.Cost)
		case aforo.SlidingWindowCounter:
			after = float64(r.Previous)*r.Weight + float64(r.Current) + float64(r.Cost)
		}
		return float64(r.Capacity) - after
	}
	for _, limit := range anyLimits {
		r := through(t, shape(t, "poisson 20/s cost 1..3 for 1m"), limit, Options{Seed: 3, Events: 1000})
		for _, e := range r.Events {
			for i, l := range e.Limits {
				if l.Verdict.Allowed != l.Reason.Allowed || l.Verdict.Retry != l.Reason.Retry {
					t.Fatalf("%s: %+v", limit, e)
				}
				if l.Reason.Algorithm == 0 {
					continue
				}
				if room := fits(l.Reason); (room >= -1e-4) != l.Reason.Allowed && math.Abs(room) > 1e-4 {
					t.Fatalf("%s: limit %d: room for %v, but %+v", limit, i, room, l.Reason)
				}
				if sentence := l.Reason.String(); strings.Contains(sentence, "refused") == l.Reason.Allowed {
					t.Fatalf("%s: %s", limit, sentence)
				}
			}
		}
	}
}

// TestReasonsRoundTowardsARefusal: what is almost enough is not written as enough.
func TestReasonsRoundTowardsARefusal(t *testing.T) {
	for _, test := range []struct {
		algorithm aforo.Algorithm
		held      float64
		want      string
	}{
		{aforo.TokenBucket, 0.9999, "0.999 of 6 tokens are there"},
		{aforo.TokenBucket, 0.1 + 0.2, "0.3 of 6 tokens are there"}, // a little more, in floating point
		{aforo.TokenBucket, 1 - 1e-12, "1 of 6 tokens are there"},
		{aforo.LeakyBucket, 5.0001, "5.001 queued"},
		{aforo.LeakyBucket, 5 + 1e-12, "5 queued"},
		{aforo.LeakyBucket, 0, "0 queued"},
		{aforo.SlidingWindowCounter, 5.0001, "= 5.001, and"},
	} {
		r := Reason{Algorithm: test.algorithm, Cost: 1, Capacity: 6, Held: test.held}
		if got := r.String(); !strings.Contains(got, test.want) {
			t.Errorf("%v of %v: %s", test.held, test.algorithm, got)
		}
	}
}

// TestMostInAWindow finds it again by looking at every window that begins with a
// passage.
func TestMostInAWindow(t *testing.T) {
	for _, limit := range anyLimits {
		r := through(t, shape(t, "poisson 20/s cost 1..3 for 1m and burst 20 every 7s as other for 1m"), limit, Options{Seed: 5, Events: MaxEvents})
		want := Most{}
		for _, l := range limits(t, limit).List() {
			if l.IsUnlimited() {
				continue
			}
			one := Most{Rate: l.Rate(), Period: l.Period()}
			for _, first := range r.Events {
				from, units := first.Decided+first.Delay, int64(0)
				for _, e := range r.Events {
					if at := e.Decided + e.Delay; e.Allowed && e.Delay >= 0 && e.Key == first.Key && from <= at && at < from+l.Period().Microseconds() {
						units += e.Cost
					}
				}
				if units > one.Units {
					one.Units = units
				}
			}
			if want.Period == 0 || one.factor() > want.factor() {
				want = one
			}
		}
		want.Key = r.Most.Key
		if r.Most != want {
			t.Errorf("%s: %+v, want %+v", limit, r.Most, want)
		}
	}
}

func TestOptionsOfARun(t *testing.T) {
	s := shape(t, "poisson 100/s for 1m")
	if _, err := Run(context.Background(), s, aforo.Limits{}, Options{}); err == nil {
		t.Error("it runs without limits")
	}
	_, err := Run(context.Background(), s, limits(t, "1/s"), Options{MaxRequests: 100})
	var long *TooLongError
	if !errors.As(err, &long) || long.Most != 100 {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, shape(t, "steady 100000/s for 1s"), limits(t, "1/s"), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if r := through(t, s, "1/s", Options{Events: 3}); len(r.Events) != 3 {
		t.Errorf("%d events", len(r.Events))
	}
	r := through(t, new(Traffic), "1/s", Options{Step: time.Second, Events: 5})
	if r.Allowed+r.Refused != 0 || len(r.Series.In) != 1 {
		t.Errorf("nothing: %+v", r)
	}
	a, b := through(t, s, "1/s", Options{Seed: 1, Step: time.Second}), through(t, s, "1/s", Options{Seed: 1, Step: time.Second})
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the same seed gives %+v and %+v", a, b)
	}
}

// A storm that would never end in a run is ended.
func TestAStormIsBounded(t *testing.T) {
	s := shape(t, "retry storm clients 1000 ignore retry 1us for 1h")
	_, err := Run(context.Background(), s, limits(t, "1/s"), Options{})
	var long *TooLongError
	if !errors.As(err, &long) {
		t.Error(err)
	}
}

func TestASeries(t *testing.T) {
	r := through(t, shape(t, "burst 6 cost 2 for 1s every 1s and at 2.9s 4s"), "leaky_bucket 4/s burst 8", Options{Step: time.Second})
	s := r.Series
	want := Series{From: Start.UnixMicro(), Step: time.Second, In: []int64{12, 0, 1, 1}, Out: []int64{4, 4, 1, 1}, Level: [][]float64{{4, 0, 0.6, 0}}}
	// 4 of 6 are allowed: 2 units at 0, 0.5, 1 and 1.5 s
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// TestAgainstTheLog: what was decided otherwise makes the difference to a log
// that runs on its own.
func TestAgainstTheLog(t *testing.T) {
	for _, text := range []string{"poisson 20/s cost 1..3 for 1m and burst 20 every 7s as other for 1m", "zipf 1.2 clients 20 40/s for 1m"} {
		for limit, log := range map[string]string{
			"10/s burst 5": "sliding_window_log 10/s", "leaky_bucket 7/3s burst 9": "sliding_window_log 7/3s", "fixed_window 10/s": "sliding_window_log 10/s",
			"sliding_window_counter 100/m": "sliding_window_log 100/m", "sliding_window_log 10/s": "sliding_window_log 10/s",
			"10/s burst 5, fixed_window 100/m, sliding_window_counter 10/s": "sliding_window_log 10/s, sliding_window_log 100/m",
		} {
			for _, in := range []Instances{{}, {N: 3}, {N: 3, Random: true, Shared: true}} {
				r := through(t, shape(t, text), limit, Options{Instances: in})
				exact := through(t, shape(t, text), log, Options{})
				if r.Allowed != exact.Allowed+r.Over-r.Under || r.Refused == 0 || exact.Over+exact.Under != 0 {
					t.Errorf("%s: %s: %s, the log %s", text, limit, summary(r), summary(exact))
				}
				if limit == log && in.N == 0 && r.Over+r.Under != 0 {
					t.Errorf("%s: a log differs from a log: %s", text, summary(r))
				}
			}
		}
	}
	if r := through(t, shape(t, "poisson 20/s for 1m"), "unlimited", Options{}); r.Over != 0 || r.Under != 0 {
		t.Errorf("unlimited: %s", summary(r))
	}
}

// TestStarvation: of refusals in a row, and of clients who come back late or not
// at all.
func TestStarvation(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"at 0s 2s 4s 10s":               10 * time.Second, // allowed at 10 s, as told
		"at 0s 2s 4s 30s":               8 * time.Second,  // it was told 6 s at 4 s, and did not come
		"at 0s 2s 4s":                   8 * time.Second,
		"at 0s 10s 20s":                 0,
		"at 0s*2 as a and at 5s*2 as b": 10 * time.Second,
		"at 0s*5 clients 5 one key":     10 * time.Second,
	} {
		if text == "at 0s 2s 4s 10s" {
			want = 8 * time.Second // since 2 s
		}
		if r := through(t, shape(t, text), "1/10s", Options{}); r.LongestStarvation != want {
			t.Errorf("%s: %v, want %v", text, r.LongestStarvation, want)
		}
	}
}

func TestDelays(t *testing.T) {
	r := through(t, shape(t, "at 0s*10 1m*190"), "leaky_bucket 10/s burst 200", Options{})
	// 0 to 0.9 s, then 0 to 18.9 s
	if mean := (45*100 + 189*190/2*100) * time.Millisecond / 200; r.MeanDelay != mean || r.LongestDelay != 18900*time.Millisecond || r.P99Delay != 18700*time.Millisecond {
		t.Errorf("%v, %v, %v, want a mean of %v", r.MeanDelay, r.P99Delay, r.LongestDelay, mean)
	}
	r = through(t, shape(t, "at 0s 1s*99 2s*100"), "leaky_bucket 1000/s burst 2", Options{})
	if r.Allowed != 5 || r.P99Delay != time.Millisecond || r.LongestDelay != time.Millisecond || r.MeanDelay != 400*time.Microsecond {
		t.Errorf("%+v", r)
	}
	r = through(t, shape(t, "steady 1000/s for 1s then at 0s*2"), "leaky_bucket 1000/s burst 2", Options{})
	if r.Allowed != 1002 || r.P99Delay != 0 || r.LongestDelay != time.Millisecond {
		t.Errorf("of few delays: %+v", r)
	}
	if r = through(t, shape(t, "at 0s*2"), "leaky_bucket 0/s burst 2", Options{}); r.LongestDelay != aforo.Never || r.Most.Units != 1 {
		t.Errorf("never: %+v", r)
	}
	// a mean of 499.5 years of 52 weeks is beyond a Duration, as is the sum of them
	if r = through(t, shape(t, "at 0s*1000"), "leaky_bucket 1/52w burst 1000", Options{}); r.MeanDelay < 290*365*24*time.Hour {
		t.Errorf("for centuries: %v", r.MeanDelay)
	}
	if r = through(t, shape(t, "steady 10/s for 10s"), "100/s", Options{Instances: Instances{N: 2, Shared: true, Latency: [2]time.Duration{4e6, 4e6}}}); r.MeanDelay != 4*time.Millisecond {
		t.Errorf("latency: %+v", r)
	}
}

// TestStateBytes: the counter needs one number more than the others, and a log as
// much as it has entries, wherever the rest of it goes.
func TestStateBytes(t *testing.T) {
	for limit, want := range map[string]int{
		"10/s": 16, "leaky_bucket 10/s": 16, "fixed_window 10/s": 16, "sliding_window_counter 10/s": 24, "unlimited": 0,
		"10/s, fixed_window 100/m": 32, "sliding_window_log 1/h": 24 + 1,
		"sliding_window_log 50/s": 24 + 20*3, // 50 ms in microseconds, doubled, is three bytes
	} {
		if r := through(t, shape(t, "steady 20/s for 1m"), limit, Options{}); r.StateBytes != want {
			t.Errorf("%s: %d bytes, want %d", limit, r.StateBytes, want)
		}
	}
}

// FuzzRun: whatever is played, the numbers of a result go together.
func FuzzRun(f *testing.F) {
	for _, k := range kinds {
		for i, limit := range anyLimits {
			f.Add(k.good, limit, "1", uint64(i))
		}
	}
	f.Add("poisson 20/s cost 1..9 clients 3 for 10s", "7/3s burst 9, sliding_window_log 10/s", "4 random shared latency 1ms..5ms skew 2s own clocks", uint64(1))
	f.Add("retry storm clients 5 obey for 1h", "leaky_bucket 1/52w burst 2", "3 skew 1h", uint64(1))
	f.Fuzz(func(t *testing.T, shaped, limit, instances string, seed uint64) {
		s, err := ParseShape(shaped)
		l, err2 := aforo.ParseLimits(limit)
		in, err3 := ParseInstances(instances)
		if err != nil || err2 != nil || err3 != nil || s.names() > 10_000 {
			return
		}
		r, err := Run(context.Background(), s, l, Options{Seed: seed, Instances: in, MaxRequests: 3000, Step: s.Duration() / 7, Events: 10})
		var long *TooLongError
		if errors.As(err, &long) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		n := r.Allowed + r.Refused
		logAllowed := r.Allowed - r.Over + r.Under
		if r.Over > r.Allowed || r.Under > r.Refused || logAllowed < 0 || logAllowed > n || r.Touched > r.Keys || r.Keys > n || len(r.Events) != min(10, n) {
			t.Errorf("%+v", r)
		}
		if r.Most.Units > r.AllowedUnits || r.MeanDelay > r.LongestDelay || r.P99Delay > r.LongestDelay || r.Worst.Refused > r.Worst.Requests {
			t.Errorf("%+v", r)
		}
		var came, out int64
		for i := range r.Series.In {
			came, out = came+r.Series.In[i], out+r.Series.Out[i]
		}
		if len(r.Series.In) > 0 && came != r.AllowedUnits+r.RefusedUnits || out > r.AllowedUnits {
			t.Errorf("%d in, %d out: %+v", came, out, r)
		}
	})
}
