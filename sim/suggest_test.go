package sim

import (
	"cmp"
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// visitors are requests of clients, some far busier than others.
func visitors(seed int64, clients, requests int) (times [][]int64) {
	r := rand.New(rand.NewSource(seed))
	zipf := rand.NewZipf(r, 1.3, 2, uint64(clients-1))
	times = make([][]int64, clients)
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC).UnixMicro()
	for range requests {
		at += r.Int63n(2_000_000)
		k := zipf.Uint64()
		for range 1 + r.Intn(3) {
			times[k] = append(times[k], at)
		}
	}
	return times
}

func historyOf(t *testing.T, times [][]int64) *History {
	t.Helper()
	h, err := NewHistory(len(times), func(use func(int64, uint32) error) error {
		var all [][2]int64
		for k := range times {
			for _, at := range times[k] {
				all = append(all, [2]int64{at, int64(k)})
			}
		}
		slices.SortStableFunc(all, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		for _, one := range all {
			if err := use(one[0], uint32(one[1])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// limited plays each client through a limiter of its own: who is refused how
// often, and the longest delay.
func limited(t *testing.T, l aforo.Limit, times [][]int64) (refused []int64, longest time.Duration) {
	t.Helper()
	limits, err := aforo.NewLimits(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range times {
		var now time.Time
		limiter, err := aforo.NewLimiter(limits, aforo.WithClock(func() time.Time { return now }))
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for _, at := range one {
			now = time.UnixMicro(at)
			d, err := limiter.Allow(context.Background(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if !d.Allowed {
				n++
			}
			longest = max(longest, d.Delay)
		}
		refused = append(refused, n)
	}
	return refused, longest
}

func effectOf(t *testing.T, l aforo.Limit, times [][]int64) Effect {
	t.Helper()
	e := Effect{Limit: l}
	var refused []int64
	refused, e.LongestDelay = limited(t, l, times)
	for _, n := range refused {
		e.Refused += n
		if n > 0 {
			e.Clients++
		}
	}
	return e
}

// smaller is the limit with the next lower round number, as rate, or as burst if
// it has one of its own.
func smaller(l aforo.Limit) (aforo.Limit, bool) {
	bucket := l.Algorithm() == aforo.TokenBucket || l.Algorithm() == aforo.LeakyBucket
	if bucket && l.Capacity() > 1 {
		numbers := roundNumbers(l.Capacity())
		return l.Burst(numbers[len(numbers)-2]), true
	}
	if bucket || l.Rate() == 1 {
		return l, false
	}
	numbers := roundNumbers(l.Rate())
	return aforo.Per(numbers[len(numbers)-2], l.Period()).Using(l.Algorithm()), true
}

// TestSuggestionsAgainstLimiters: every number of a suggestion is what limiters
// give, the aim is met, and by the next smaller limit it would not be.
func TestSuggestionsAgainstLimiters(t *testing.T) {
	for seed := range int64(4) {
		times := visitors(seed, 60, 600)
		h := historyOf(t, times)
		for _, aim := range []Aim{{PPM: 0}, {PPM: 50_000}, {PPM: 20_000, OfRequests: true}, {PPM: 1_000_000}} {
			list, err := Suggest(context.Background(), h, aim, []time.Duration{10 * time.Second, time.Minute}, nil)
			if err != nil || len(list) != 10 {
				t.Fatalf("%d suggestions, %v", len(list), err)
			}
			meets := func(e Effect) bool {
				if aim.OfRequests {
					return e.Refused <= aim.most(h.Requests())
				}
				return int64(e.Clients) <= aim.most(int64(h.Clients()))
			}
			for _, s := range list {
				if want := effectOf(t, s.Limit, times); s.Effect != want || !meets(want) || s.Effect.Limit != s.Limit {
					t.Errorf("seed %d, %+v, %s: %+v, want %+v", seed, aim, s.Limit, s.Effect, want)
				}
				if less, ok := smaller(s.Limit); ok && meets(effectOf(t, less, times)) {
					t.Errorf("seed %d, %+v: %s is suggested, and %s would do", seed, aim, s.Limit, less)
				}
				checkCurve(t, s, times)
				checkTouched(t, s, times)
			}
		}
	}
}

func checkCurve(t *testing.T, s Suggestion, times [][]int64) {
	t.Helper()
	if len(s.Curve) == 0 || s.Curve[0].Clients != 0 {
		t.Errorf("%s: the curve does not begin with nobody: %+v", s.Limit, s.Curve)
	}
	for i, e := range s.Curve {
		if e != effectOf(t, e.Limit, times) || e.Limit.Algorithm() != s.Limit.Algorithm() || i > 0 && e.Clients <= s.Curve[i-1].Clients {
			t.Errorf("%s: point %d of the curve is %+v", s.Limit, i, e)
		}
	}
}

func checkTouched(t *testing.T, s Suggestion, times [][]int64) {
	t.Helper()
	refused, _ := limited(t, s.Limit, times)
	if len(s.Touched) != s.Effect.Clients {
		t.Errorf("%s: %d touched, want %d", s.Limit, len(s.Touched), s.Effect.Clients)
	}
	for i, c := range s.Touched {
		if c.Refused != refused[c.Key] || c.Requests != int64(len(times[c.Key])) || i > 0 && c.Refused > s.Touched[i-1].Refused {
			t.Errorf("%s: touched %+v", s.Limit, c)
		}
		one := [][]int64{times[c.Key]}
		if need := aforo.Per(c.Needs, s.Limit.Period()).Using(s.Limit.Algorithm()); effectOf(t, need, one).Refused != 0 {
			t.Errorf("%s: client %d does not need %d", s.Limit, c.Key, c.Needs)
		} else if less, ok := smallerRate(need); ok && effectOf(t, less, one).Refused == 0 {
			t.Errorf("%s: client %d needs less than %d", s.Limit, c.Key, c.Needs)
		}
	}
}

func smallerRate(l aforo.Limit) (aforo.Limit, bool) {
	numbers := roundNumbers(l.Rate())
	if len(numbers) < 2 {
		return l, false
	}
	return aforo.Per(numbers[len(numbers)-2], l.Period()).Using(l.Algorithm()), true
}

func TestSuggestNothing(t *testing.T) {
	h := historyOf(t, nil)
	var found []int
	list, err := Suggest(context.Background(), h, Aim{PPM: 1000}, []time.Duration{time.Minute}, func(n int) { found = append(found, n) })
	if !slices.Equal(found, []int{1, 2, 3, 4, 5}) {
		t.Errorf("progress %v", found)
	}
	if err != nil || len(list) != 5 || list[0].Limit.Rate() != 1 || list[0].Effect.Clients != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestSuggestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Suggest(ctx, historyOf(t, visitors(1, 10, 100)), Aim{}, []time.Duration{time.Minute}, nil); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestHistoryFails(t *testing.T) {
	broken := fmt.Errorf("broken")
	if _, err := NewHistory(1, func(func(int64, uint32) error) error { return broken }); err != broken {
		t.Errorf("error %v", err)
	}
}

func TestRoundNumbers(t *testing.T) {
	for n, want := range map[int64][]int64{0: {1}, 1: {1}, 7: {1, 2, 3, 4, 5, 6, 8}, 11: {1, 2, 3, 4, 5, 6, 8, 10, 12}} {
		if got := roundNumbers(n); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v", n, got)
		}
	}
	list := roundNumbers(1 << 40)
	if last := list[len(list)-1]; last < 1<<40 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Errorf("%v", list)
	}
}

func TestDoubts(t *testing.T) {
	second := func(s ...int64) (times []int64) {
		for _, one := range s {
			times = append(times, one*1_000_000)
		}
		return times
	}
	few := historyOf(t, [][]int64{second(0, 1, 2), second(599)})
	for _, test := range []struct {
		history *History
		aim     Aim
		per     time.Duration
		want    []string
	}{
		{few, Aim{PPM: 1000}, time.Minute, []string{"2 clients are too few to tell 0.1 %: if a limit touches none of them, it may still touch 100 % of all (3 in 2, at 95 %); 3000 would tell",
			"the log spans 9m59s, less than 10 times 1m: too short for limits per 1m"}},
		{few, Aim{PPM: 1000, OfRequests: true}, time.Second, []string{"4 requests are too few to tell 0.1 %",
			"its times are of whole seconds, so that requests of a second come at once: too coarse for limits per 1s"}},
		{historyOf(t, [][]int64{second(0, 600)}), Aim{PPM: 1000}, time.Minute, []string{"1 client is too few to tell 0.1 %"}},
		{few, Aim{}, 59 * time.Second, []string{"no log can tell a limit that never touches anybody"}},
		{historyOf(t, visitors(1, 100, 3000)), Aim{PPM: 30_000}, time.Minute, nil},
	} {
		got := test.history.Doubts(test.aim, []time.Duration{test.per})
		if len(got) != len(test.want) {
			t.Errorf("%+v: %q", test.aim, got)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], test.want[i]) {
				t.Errorf("%+v: %s", test.aim, got[i])
			}
		}
	}
}
