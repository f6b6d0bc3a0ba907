package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

func run(t testing.TB, body string) *Result {
	t.Helper()
	r, err := Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	result, err := Run(context.Background(), r)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return result
}

// random is a request of some hundred arrivals of three keys.
func random(r *rand.Rand, instances int) string {
	var arrivals []string
	at := r.Int63n(2e9)
	for range 200 {
		at += []int64{0, r.Int63n(50_000), r.Int63n(1_000_000)}[r.Intn(3)]
		arrivals = append(arrivals, fmt.Sprintf(`{"t_us":%d,"cost":%d,"key":"%c","instance":%d}`, at, r.Intn(4), 'a'+r.Intn(3), r.Intn(instances)))
	}
	return fmt.Sprintf(`"limits":["fixed_window 7/2s","sliding_window_log 7/2s","sliding_window_counter 7/3s","leaky_bucket 3/s burst 5","3/s burst 5","7/300ms, fixed_window 20/7s","0/s burst 9","unlimited"],"arrivals":[%s]`,
		strings.Join(arrivals, ","))
}

// TestDecisionsAreThoseOfTheMemoryStore: a lane is what a limiter in a process
// would have done.
func TestDecisionsAreThoseOfTheMemoryStore(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20 {
		result := run(t, "{"+random(r, 1)+"}")
		for _, lane := range result.Lanes {
			var now time.Time
			limiter, err := aforo.New(lane.Limit, aforo.WithClock(func() time.Time { return now }))
			if err != nil {
				t.Fatal(err)
			}
			allowed := 0
			for i, a := range result.Arrivals {
				now = time.UnixMicro(a.At)
				d, err := limiter.AllowN(context.Background(), a.Key, *a.Cost)
				if err != nil {
					t.Fatal(err)
				}
				got := lane.Decisions[i]
				if got.Allowed != d.Allowed || got.Remaining != nil && *got.Remaining != d.Remaining || !same(got.RetryAfter, d.RetryAfter) ||
					!same(got.ResetAfter, d.ResetAfter) || !same(got.Delay, d.Delay) || (got.Remaining == nil) != d.Unlimited {
					t.Fatalf("%s, arrival %d at %d: %+v, in memory %+v", lane.Limit, i, a.At, got, d)
				}
				if d.Allowed {
					allowed++
				}
			}
			if lane.Allowed != allowed || lane.Refused != len(result.Arrivals)-allowed {
				t.Errorf("%s: %d allowed and %d refused, in memory %d allowed", lane.Limit, lane.Allowed, lane.Refused, allowed)
			}
		}
	}
}

func same(got *int64, want time.Duration) bool {
	if got == nil {
		return want == aforo.Never
	}
	return *got == want.Microseconds()
}

// TestReasonsAreTrue: the numbers that are shown, put into the rule as it is
// written, give the decision; on clocks that step back as well.
func TestReasonsAreTrue(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 20 {
		result := run(t, fmt.Sprintf(`{%s,"instances":3,"clock":"instance","skew_us":[0,%d,-700000]}`, random(r, 3), r.Int63n(9_000_000)))
		for _, lane := range result.Lanes {
			for i, d := range lane.Decisions {
				all := true
				for _, w := range d.Why {
					all = all && w.Allowed
					if holds(w) != w.Allowed {
						t.Fatalf("%s, arrival %d: %+v is not so", lane.Limit, i, w)
					}
					if w.Rule == "token_bucket" || w.Rule == "leaky_bucket" {
						checkBucket(t, w)
					}
				}
				if all != d.Allowed {
					t.Fatalf("%s, arrival %d: %+v", lane.Limit, i, d)
				}
			}
		}
	}
}

func holds(w Why) bool {
	cost, capacity := rat(w.Cost), rat(w.Capacity)
	switch w.Rule {
	case "token_bucket":
		return number(w.Tokens).Cmp(cost) >= 0
	case "leaky_bucket":
		return sum(number(w.Queued), cost).Cmp(capacity) <= 0
	case "sliding_window_counter":
		weighted := new(big.Rat).Mul(rat(*w.Previous), big.NewRat(*w.Overlap, w.Period))
		if off := new(big.Rat).Sub(number(w.Weighted), weighted); off.Sign() < 0 || off.Cmp(big.NewRat(1, 1_000_000)) >= 0 {
			panic(fmt.Sprintf("%+v: weighted is %v", w, weighted))
		}
		return sum(number(w.Weighted), rat(*w.Count), cost).Cmp(capacity) <= 0
	}
	return *w.Count+w.Cost <= w.Capacity
}

// checkBucket calculates what is in the bucket from what was.
func checkBucket(t *testing.T, w Why) {
	t.Helper()
	drained := new(big.Rat).Mul(rat(*w.Elapsed), big.NewRat(w.Rate, w.Period))
	want, got := new(big.Rat), new(big.Rat)
	if w.Rule == "token_bucket" {
		got = number(w.Tokens)
		if want = sum(number(w.TokensBefore), drained); want.Cmp(rat(w.Capacity)) > 0 {
			want = rat(w.Capacity)
		}
	} else {
		got = number(w.Queued)
		if want = want.Sub(number(w.QueuedBefore), drained); want.Sign() < 0 {
			want = new(big.Rat)
		}
	}
	if off := new(big.Rat).Sub(got, want); off.Abs(off).Cmp(big.NewRat(2, 1_000_000)) > 0 {
		t.Fatalf("%+v: it should be %v", w, want.FloatString(7))
	}
}

func rat(n int64) *big.Rat { return big.NewRat(n, 1) }

func number(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		panic("not a number: " + n.String())
	}
	return r
}

func sum(terms ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, term := range terms {
		total.Add(total, term)
	}
	return total
}

// TestMost counts slowly.
func TestMost(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 10 {
		result := run(t, "{"+random(r, 1)+"}")
		for _, lane := range result.Lanes {
			for _, m := range lane.Most {
				if slow := slowMost(result, lane, m); slow != m.Units {
					t.Errorf("%s: %+v, counted slowly %d", lane.Limit, m, slow)
				}
			}
		}
	}
}

func slowMost(result *Result, lane Lane, m Most) (most int64) {
	for i, first := range lane.Decisions {
		if !first.Allowed || first.Delay == nil {
			continue
		}
		from, units := result.Arrivals[i].At+*first.Delay, int64(0)
		for j, d := range lane.Decisions {
			if d.Allowed && d.Delay != nil && result.Arrivals[j].Key == result.Arrivals[i].Key {
				if at := result.Arrivals[j].At + *d.Delay; at >= from && at < from+m.Period {
					units += *result.Arrivals[j].Cost
				}
			}
		}
		most = max(most, units)
	}
	return most
}

// TestCurvesAgreeWithWhatRemains: after each decision the curve of a window is
// what is not left of its limit, and tokens and queues are to within a unit.
func TestCurvesAgreeWithWhatRemains(t *testing.T) {
	result := run(t, "{"+random(rand.New(rand.NewSource(4)), 1)+`,"samples":0}`)
	for _, lane := range result.Lanes[:5] {
		points, next := lane.Curves[0].Points, 0
		for i, d := range lane.Decisions {
			if result.Arrivals[i].Key != result.Arrivals[0].Key {
				continue
			}
			after := points[next+1]
			next += 2
			used := after[1]
			if lane.Curves[0].Of == "tokens" {
				used = float64(lane.Curves[0].Capacity) - used
			}
			left := float64(lane.Curves[0].Capacity) - used
			if remaining := float64(*d.Remaining); after[0] != float64(result.Arrivals[i].At) || remaining > left+1e-6 || remaining < left-1 {
				t.Fatalf("%s, arrival %d: %v remain, the curve is at %v", lane.Limit, i, remaining, after)
			}
		}
		if next != len(points) {
			t.Errorf("%s: %d points, %d of decisions", lane.Limit, len(points), next)
		}
	}
}

// TestInstances: the textbook's facts about services of several instances.
func TestInstances(t *testing.T) {
	burst := `"limits":["fixed_window 10/m"],"arrivals":[` + strings.TrimSuffix(strings.Repeat(`{"t_us":5000000},`, 80), ",") + `],"instances":4`
	for _, tt := range []struct {
		more string
		want int
	}{
		{`,"store":"own"`, 40},
		{`,"store":"shared"`, 10},
		{``, 10},
		{`,"clock":"instance","skew_us":[0,70000000]`, 11},               // one is in the next window, and takes the others along
		{`,"clock":"store","skew_us":[0,60000000,120000000]`, 10},        // nobody asks their clocks
		{`,"store":"own","skew_us":[0,60000000,120000000,-5000000]`, 40}, // each has its own windows
	} {
		if got := run(t, "{"+burst+tt.more+"}").Lanes[0].Allowed; got != tt.want {
			t.Errorf("%s: %d allowed, want %d", tt.more, got, tt.want)
		}
	}
	if curves := run(t, "{"+burst+`,"store":"own"}`).Lanes[0].Curves; len(curves) != 4 || *curves[3].Instance != 3 {
		t.Errorf("curves: %+v", curves)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	result := run(t, `{"limit":"2/s","arrivals":[{"t_us":2000000,"cost":0},{"t_us":0}]}`)
	text, _ := json.Marshal(result.Arrivals)
	if string(text) != `[{"t_us":0,"cost":1,"instance":0},{"t_us":2000000,"cost":0,"instance":0}]` || len(result.Lanes) != 5 {
		t.Errorf("%s in %d lanes", text, len(result.Lanes))
	}
	if until := run(t, `{"limit":"2/s","arrivals":[{"t_us":1}],"until_us":9}`).Until; until != 9 {
		t.Errorf("until %d", until)
	}
	leaky := run(t, `{"limits":["leaky_bucket 1/s burst 3"],"arrivals":[{"t_us":0},{"t_us":0},{"t_us":0}]}`)
	if leaky.Until != 2_000_000 || *leaky.Lanes[0].Longest != 2_000_000 {
		t.Errorf("until %d, longest %d", leaky.Until, *leaky.Lanes[0].Longest)
	}
	never := run(t, `{"limits":["leaky_bucket 0/s burst 2"],"arrivals":[{"t_us":0},{"t_us":0},{"t_us":0}]}`).Lanes[0]
	if never.Longest != nil || never.Most[0].Units != 1 || never.Allowed != 2 {
		t.Errorf("%+v", never)
	}
}

func TestBadRequests(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"t_us":0},`, MaxArrivals+1), ",")
	for body, want := range map[string]string{
		``:               "the body is empty",
		`[]`:             "it must be an object",
		`{"limit":"5/s"`: "ends too early",
		`{"limit":"5/s","arrivals":[{"t_us":0}]} x`: "something follows",
		`{"limit":"5/s","arrivals":[{"t_us":0}]}{}`: "something follows",
		`{"limit":5}`:                                                                     `field "limit" is number: it must be a string`,
		`{"limitz":"5/s"}`:                                                                `field "limitz": there is no such field`,
		`{"limit":"5/s","arrivals":[{"t":0}]}`:                                            `field "t": there is no such field`,
		`{"limit":"5/s","arrivals":{}}`:                                                   `field "arrivals" is object: it must be a list`,
		`{"limit":"5/s","arrivals":[5]}`:                                                  `field "arrivals" is number: it must be an object`,
		`{"limit":"5/s","arrivals":[{"t_us":1.5}]}`:                                       `field "arrivals.t_us" is number 1.5: it must be an integer`,
		`{"limit":"5/s","arrivals":[]}`:                                                   `field "arrivals": there are none`,
		`{"limit":"5/s"}`:                                                                 `field "arrivals": there are none`,
		`{"arrivals":[{"t_us":0}]}`:                                                       `field "limit": it is missing`,
		`{"limit":"5/s","limits":["5/s"],"arrivals":[{"t_us":0}]}`:                        `field "limits": there is a limit as well`,
		`{"limit":"5/x","arrivals":[{"t_us":0}]}`:                                         `field "limit" is "5/x": per "x": units are`,
		`{"limits":["5/s","5 per s"],"arrivals":[{"t_us":0}]}`:                            `field "limits[1]" is "5 per s": rate "5": write how many`,
		`{"limits":["1/s","2/s","3/s","4/s","5/s","6/s","7/s","8/s","9/s"]}`:              `9 lanes are too many; the most is 8`,
		`{"limit":"5/s","arrivals":[{"t_us":0},{"t_us":-1}]}`:                             `field "arrivals[1].t_us" is -1`,
		`{"limit":"5/s","arrivals":[{"t_us":9007199254740992}]}`:                          `field "arrivals[0].t_us" is 9007199254740992: times are`,
		`{"limit":"5/s","arrivals":[{"t_us":0,"cost":-1}]}`:                               `field "arrivals[0].cost" is -1`,
		`{"limit":"5/s","arrivals":[{"t_us":0,"key":"` + strings.Repeat("k", 65) + `"}]}`: "it has 65 bytes, the most is 64",
		`{"limit":"5/s","arrivals":[{"t_us":0,"instance":1}]}`:                            "instances are counted from 0, and there are 1",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"instances":9}`:                           "there are from 1 to 8",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"store":"redis"}`:                         `field "store" is "redis": write "shared" or "own"`,
		`{"limit":"5/s","arrivals":[{"t_us":0}],"clock":"x"}`:                             `field "clock" is "x"`,
		`{"limit":"5/s","arrivals":[{"t_us":0}],"skew_us":[0,1]}`:                         "it has 2 numbers for 1 instances",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"skew_us":[86400000001]}`:                 "the most is a day",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"samples":1001}`:                          `field "samples" is 1001`,
		`{"limit":"5/s","arrivals":[{"t_us":0}],"until_us":-1}`:                           `field "until_us" is -1`,
		`{"limit":"5/s","arrivals":[` + many + `]}`:                                       "5001 arrivals are too many; the most is 5000",
		`{"limits":["1/s, 2/s, 3/s, 4/s, 5/s, 6/s"],"arrivals":[` + many[11:] + `]}`:      "30000 decisions (arrivals times limits) are too many",
	} {
		_, err := Parse([]byte(body))
		var wrong *api.RequestError
		var large *SizeError
		if !errors.As(err, &wrong) && !errors.As(err, &large) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "; for example: ") {
			t.Errorf("%.90s:\n got %v\nwant %s", body, err, want)
		}
		if strings.Contains(want, "too many") != errors.As(err, &large) {
			t.Errorf("%.90s: too large or not? %v", body, err)
		}
	}
}

// TestExamplesAreGood: what error messages show as good is.
func TestExamplesAreGood(t *testing.T) {
	for _, body := range []string{GoodRequest, goodLimits, goodClocks, goodArrivals} {
		run(t, body)
	}
}

// TestTheLargestIsPlayedAtOnce: what the bounds allow at most, and a context
// that has ended.
func TestTheLargestIsPlayedAtOnce(t *testing.T) {
	var arrivals []string
	for i := range MaxArrivals {
		arrivals = append(arrivals, fmt.Sprintf(`{"t_us":%d}`, i*700))
	}
	body := `{"limit":"2500/s burst 400","samples":1000,"arrivals":[` + strings.Join(arrivals, ",") + `]}`
	if len(body) > MaxBody {
		t.Errorf("it has %d bytes", len(body))
	}
	result := run(t, body)
	text, _ := json.Marshal(result)
	t.Logf("%d bytes of answer", len(text))
	r, _ := Parse([]byte(body))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

func FuzzSimulate(f *testing.F) {
	f.Add(GoodRequest)
	f.Add(`{"limits":["0/m","unlimited","sliding_window_counter 3/7us, 2/w"],"arrivals":[{"t_us":9007199254740991,"cost":9007199254740991},{"t_us":0}],"samples":3}`)
	f.Add(`{"limit":"4503599627370495/s","arrivals":[{"t_us":5,"cost":4503599627370495,"key":"k"},{"t_us":5}],"instances":2,"store":"own","skew_us":[-86400000000]}`)
	f.Fuzz(func(t *testing.T, body string) {
		r, err := Parse([]byte(body))
		if err != nil {
			if !strings.Contains(err.Error(), "; for example: ") {
				t.Errorf("%v", err)
			}
			return
		}
		result, err := Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(result); err != nil {
			t.Fatal(err)
		}
		for _, lane := range result.Lanes {
			for _, d := range lane.Decisions {
				for _, w := range d.Why {
					if holds(w) != w.Allowed {
						t.Fatalf("%+v is not so", w)
					}
				}
			}
		}
	})
}
