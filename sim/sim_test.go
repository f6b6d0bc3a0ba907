package sim

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// traffic is requests of one key at instants in seconds.
func traffic(key string, seconds ...float64) *Traffic {
	t := new(Traffic)
	for _, s := range seconds {
		t.Add(int64(s*1e6), []byte(key))
	}
	return t
}

func replay(t *testing.T, tr *Traffic, limits string) Result {
	t.Helper()
	parsed, err := aforo.ParseLimits(limits)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(context.Background(), tr, parsed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Allowed+result.Refused != tr.Len() {
		t.Errorf("%s: %d allowed and %d refused of %d", limits, result.Allowed, result.Refused, tr.Len())
	}
	return result
}

func TestTrafficIsSortedByTime(t *testing.T) {
	tr := traffic("a", 3, 1, 2, 0, 3)
	if first, last := tr.Span(); first != time.UnixMicro(0).UTC() || last != time.UnixMicro(3e6).UTC() {
		t.Errorf("it spans %v to %v", first, last)
	}
	if r := replay(t, tr, "1/s burst 1"); r.Allowed != 4 || r.Worst != (KeyResult{"a", 5, 1}) {
		t.Errorf("%+v", r)
	}
}

// TestGapsLongerThanADuration: a log may hold lines of the year 1, and a Duration
// holds 292 years.
func TestGapsLongerThanADuration(t *testing.T) {
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, from := range []int64{first.UnixMicro(), math.MinInt64} {
		tr := new(Traffic)
		tr.Add(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).UnixMicro(), []byte("a"))
		tr.Add(from, []byte("a"))
		if r := replay(t, tr, "1/s burst 1"); r.Allowed != 2 {
			t.Errorf("from %d: %+v", from, r)
		}
	}
}

func TestKeysAreApart(t *testing.T) {
	tr := traffic("a", 0, 0, 0, 0)
	for _, key := range []string{"b", "b", "c", "", "\xff"} {
		tr.Add(0, []byte(key))
	}
	r := replay(t, tr, "fixed_window 1/m")
	if r.Keys != 5 || r.Allowed != 5 || r.Touched != 2 || r.Worst != (KeyResult{"a", 4, 3}) {
		t.Errorf("%+v", r)
	}
}

func TestDelaysOfTraffic(t *testing.T) {
	r := replay(t, traffic("a", 0, 0, 0, 0), "leaky_bucket 2/s burst 3")
	if r.Allowed != 3 || r.LongestDelay != time.Second {
		t.Errorf("%+v, want 3 allowed and the last delayed by 1s", r)
	}
}

func TestNoTraffic(t *testing.T) {
	r := replay(t, new(Traffic), "1/s")
	if r.Worst != (KeyResult{}) || r.Touched != 0 {
		t.Errorf("%+v", r)
	}
	if first, last := new(Traffic).Span(); !first.IsZero() || !last.IsZero() {
		t.Error("no requests have a span")
	}
}

// TestEachKeyHasItsOwnState: requests of many keys, mixed and out of order,
// are decided as if each key had its limiter to itself.
func TestEachKeyHasItsOwnState(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20 {
		mixed, alone := new(Traffic), make(map[string]*Traffic)
		for range 500 {
			key, at := string(rune('a'+r.Intn(5))), r.Int63n(60e6)
			mixed.Add(at, []byte(key))
			if alone[key] == nil {
				alone[key] = new(Traffic)
			}
			alone[key].Add(at, []byte(key))
		}
		for _, limits := range []string{"10/10s", "fixed_window 20/15s, 1/s burst 5", "sliding_window_log 7/5s", "sliding_window_counter 7/5s"} {
			allowed := 0
			for _, tr := range alone {
				allowed += replay(t, tr, limits).Allowed
			}
			if got := replay(t, mixed, limits).Allowed; got != allowed {
				t.Errorf("%s: %d allowed together, %d apart", limits, got, allowed)
			}
		}
	}
}

func TestARunCanBeEnded(t *testing.T) {
	tr := new(Traffic)
	for i := range 200_000 {
		tr.Add(int64(i), []byte("a"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	limits, _ := aforo.ParseLimits("1/s")
	var played []int
	_, err := Run(ctx, tr, limits, Options{Progress: func(n int) { played = append(played, n); cancel() }})
	if !errors.Is(err, context.Canceled) || len(played) != 1 {
		t.Errorf("error %v after %v", err, played)
	}
}

func TestExpand(t *testing.T) {
	for text, want := range map[string][]string{
		"10/m": {"fixed_window 10/m", "sliding_window_log 10/m", "sliding_window_counter 10/m", "leaky_bucket 10/m", "10/m"},
		"10/m burst 5": {"fixed_window 10/m", "sliding_window_log 10/m", "sliding_window_counter 10/m",
			"leaky_bucket 10/m burst 5", "10/m burst 5"},
		"token_bucket 10/m": {"10/m"},
		"fixed_window 10/m": {"fixed_window 10/m"},
		"10/m, 100/h":       {"10/m, 100/h"},
		"unlimited":         {"unlimited"},
	} {
		limits, err := Expand(text)
		var got []string
		for _, l := range limits {
			got = append(got, l.String())
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if _, err := Expand("10"); err == nil {
		t.Error("a bad limit was expanded")
	}
}
