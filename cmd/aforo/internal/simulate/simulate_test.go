package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"reflect"
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
func random(r *rand.Rand) string {
	var arrivals []string
	at := r.Int63n(2e9)
	for range 200 {
		at += []int64{0, r.Int63n(50_000), r.Int63n(1_000_000)}[r.Intn(3)]
		arrivals = append(arrivals, fmt.Sprintf(`{"t_us":%d,"cost":%d,"key":"%c"}`, at, r.Intn(4), 'a'+r.Intn(3)))
	}
	return fmt.Sprintf(`"limits":["fixed_window 7/2s","sliding_window_log 7/2s","sliding_window_counter 7/3s","leaky_bucket 3/s burst 5","3/s burst 5","7/300ms, fixed_window 20/7s","0/s burst 9","unlimited"],"arrivals":[%s]`,
		strings.Join(arrivals, ","))
}

// TestDecisionsAreThoseOfTheMemoryStore: a lane is what a limiter in a process
// would have done.
func TestDecisionsAreThoseOfTheMemoryStore(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 20 {
		result := run(t, "{"+random(r)+"}")
		for _, lane := range result.Lanes {
			var now time.Time
			limiter, err := aforo.New(lane.Limit, aforo.WithClock(func() time.Time { return now }))
			if err != nil {
				t.Fatal(err)
			}
			allowed := 0
			for i, got := range lane.Decisions {
				now = time.UnixMicro(got.At)
				d, err := limiter.AllowN(context.Background(), got.Key, got.Cost)
				if err != nil {
					t.Fatal(err)
				}
				if got.Allowed != d.Allowed || !same(got.RetryAfter, d.RetryAfter) || !same(got.Delay, d.Delay) || d.Unlimited != (len(got.Why) == 0) {
					t.Fatalf("%s, arrival %d: %+v, in memory %+v", lane.Limit, i, got, d)
				}
				if len(got.Why) == 1 && (got.Why[0].Remaining != d.Remaining || !same(got.Why[0].ResetAfter, d.ResetAfter)) {
					t.Fatalf("%s, arrival %d: %+v, in memory %+v", lane.Limit, i, got, d)
				}
				if d.Allowed {
					allowed++
				}
			}
			if lane.Allowed != allowed || lane.Refused != 200-allowed {
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
		result := run(t, fmt.Sprintf(`{%s,"instances":"3 random shared own clocks skew %dus","seed":%d}`, random(r), 1+r.Int63n(9_000_000), r.Int63()))
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

// TestCurvesAgreeWithWhatRemains: after each decision the curve of a window is
// what is not left of its limit, and tokens and queues are to within a unit.
func TestCurvesAgreeWithWhatRemains(t *testing.T) {
	result := run(t, "{"+random(rand.New(rand.NewSource(4)))+`,"samples":0,"curve_key":"b"}`)
	for _, lane := range result.Lanes[:5] {
		points, next := lane.Curves[0].Points, 0
		for i, d := range lane.Decisions {
			if d.Key != "b" {
				continue
			}
			after := points[next+1]
			next += 2
			left := float64(lane.Curves[0].Capacity) - after[1]
			if lane.Curves[0].Of == "tokens" {
				left = after[1]
			}
			if remaining := float64(d.Why[0].Remaining); after[0] != float64(d.At) || remaining > left+1e-6 || remaining < left-1 {
				t.Fatalf("%s, arrival %d: %v remain, the curve is at %v", lane.Limit, i, remaining, after)
			}
		}
		if next != len(points) || next == 0 {
			t.Errorf("%s: %d points, %d of decisions", lane.Limit, len(points), next)
		}
	}
}

// TestCurvesBetweenArrivals: to the end, and from the beginning, evenly.
func TestCurvesBetweenArrivals(t *testing.T) {
	lane := run(t, `{"limits":["leaky_bucket 1/s burst 4"],"arrivals":[{"t_us":1000000,"cost":2}],"from_us":0,"until_us":4000000,"samples":4}`).Lanes[0]
	want := [][2]float64{{0, 0}, {1e6, 0}, {1e6, 2}, {1e6, 2}, {2e6, 1}, {3e6, 0}, {4e6, 0}}
	if !reflect.DeepEqual(lane.Curves[0].Points, want) {
		t.Errorf("%v", lane.Curves[0].Points)
	}
}

// TestInstances: the textbook's facts about services of several instances.
func TestInstances(t *testing.T) {
	burst := `{"limits":["fixed_window 10/m"],"arrivals":[` + strings.TrimSuffix(strings.Repeat(`{"t_us":5000000},`, 80), ",") + `],"instances":`
	for instances, want := range map[string]int{
		"4":                            40,
		"4 shared":                     10,
		"4 shared skew 60s":            10, // nobody asks their clocks
		"2 shared skew 60s own clocks": 11, // one is in the next window, and takes the other along
		"4 skew 60s":                   40, // each has its own windows
	} {
		if got := run(t, burst+`"`+instances+`"}`).Lanes[0].Allowed; got != want {
			t.Errorf("%s: %d allowed, want %d", instances, got, want)
		}
	}
	if curves := run(t, burst+`"4"}`).Lanes[0].Curves; len(curves) != 4 || *curves[3].Instance != 3 {
		t.Errorf("curves: %+v", curves)
	}
}

func TestTraffic(t *testing.T) {
	result := run(t, `{"limit":"5/s burst 3","traffic":"burst 8 then steady 2/s for 2s"}`)
	if len(result.Lanes) != 5 || len(result.Lanes[0].Decisions) != 12 || result.Until-result.From != 2_000_000 {
		t.Errorf("%d lanes, %d arrivals in %d us", len(result.Lanes), len(result.Lanes[0].Decisions), result.Until-result.From)
	}
	storm := run(t, `{"limits":["fixed_window 5/10s","5/s"],"traffic":"retry storm clients 20 ignore for 20s"}`)
	if a, b := len(storm.Lanes[0].Decisions), len(storm.Lanes[1].Decisions); a <= b {
		t.Errorf("those who are refused more come back more often: %d and %d", a, b)
	}
}

func TestNever(t *testing.T) {
	lane := run(t, `{"limits":["leaky_bucket 0/s burst 2"],"arrivals":[{"t_us":0},{"t_us":0},{"t_us":0}]}`).Lanes[0]
	if lane.Longest != nil || lane.Most.Units != 1 || lane.Allowed != 2 || lane.Decisions[1].Delay != nil || lane.Decisions[2].RetryAfter != nil {
		t.Errorf("%+v", lane)
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
		`{"limit":5}`:                                                                                        `field "limit" is number: it must be a string`,
		`{"limitz":"5/s"}`:                                                                                   `field "limitz": there is no such field`,
		`{"limit":"5/s","arrivals":[{"t":0}]}`:                                                               `field "t": there is no such field`,
		`{"limit":"5/s","arrivals":{}}`:                                                                      `field "arrivals" is object: it must be a list`,
		`{"limit":"5/s","arrivals":[5]}`:                                                                     `field "arrivals" is number: it must be an object`,
		`{"limit":"5/s","arrivals":[{"t_us":1.5}]}`:                                                          `field "arrivals.t_us" is number 1.5: it must be an integer`,
		`{"limit":"5/s","arrivals":[]}`:                                                                      `field "arrivals": there are none`,
		`{"limit":"5/s"}`:                                                                                    `field "arrivals": there are none`,
		`{"arrivals":[{"t_us":0}]}`:                                                                          `field "limit": it is missing`,
		`{"limit":"5/s","limits":["5/s"],"arrivals":[{"t_us":0}]}`:                                           `field "limits": there is a limit as well`,
		`{"limit":"5/x","arrivals":[{"t_us":0}]}`:                                                            `field "limit" is "5/x": per "x": units are`,
		`{"limits":["5/s","5 per s"],"arrivals":[{"t_us":0}]}`:                                               `field "limits[1]" is "5 per s": rate "5": write how many`,
		`{"limits":["1/s","2/s","3/s","4/s","5/s","6/s","7/s","8/s","9/s"]}`:                                 `9 lanes are too many; the most is 8`,
		`{"limit":"5/s","arrivals":[{"t_us":0},{"t_us":-1}]}`:                                                `field "arrivals[1].t_us" is -1`,
		`{"limit":"5/s","arrivals":[{"t_us":9007199254740992}]}`:                                             `field "arrivals[0].t_us" is 9007199254740992: times are`,
		`{"limit":"5/s","arrivals":[{"t_us":0,"cost":-1}]}`:                                                  `field "arrivals[0].cost" is -1`,
		`{"limit":"5/s","arrivals":[{"t_us":0,"key":"` + strings.Repeat("k", 65) + `"}]}`:                    "it has 65 bytes, the most is 64",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"instances":"9"}`:                                            "9 instances are too many; the most is 8",
		`{"limit":"5/s","arrivals":[{"t_us":0}],"instances":"two"}`:                                          `field "instances" is two: number two: `,
		`{"limit":"5/s","arrivals":[{"t_us":0}],"traffic":"poisson 1/s for 1s"}`:                             "there are arrivals as well",
		`{"limit":"5/s","traffic":"poisson 1/s"}`:                                                            `field "traffic" is poisson 1/s: `,
		`{"limit":"5/s","traffic":"poisson 100/s for 60s"}`:                                                  "6000 arrivals for so many limits are too many; the most is 5000",
		`{"limits":["1/s, 2/s, 3/s, 4/s, 5/s, 6/s, 7/s, 8/s, 9/s, 10/s"],"traffic":"poisson 100/s for 30s"}`: "3000 arrivals for so many limits are too many; the most is 2500",
		`{"limit":"5/s","traffic":"zipf 1.1 clients 6000 1/s for 1s"}`:                                       "clients are too many; the most is 5000",
		`{"limit":"5/s","traffic":"poisson 1/s for 1s","seed":-1}`:                                           `field "seed" is number -1: it must be an integer, not negative`,
		`{"limit":"5/s","arrivals":[{"t_us":5}],"until_us":4}`:                                               `field "until_us" is 4: times are from from_us, 5, to`,
		`{"limit":"5/s","arrivals":[{"t_us":5}],"from_us":-4}`:                                               `field "from_us" is -4`,
		`{"limit":"5/s","arrivals":[{"t_us":0,"cost":1000001}]}`:                                             `field "arrivals[0].cost" is 1000001`,
		`{"limit":"5/s","arrivals":[{"t_us":0}],"samples":1001}`:                                             `field "samples" is 1001`,
		`{"limit":"5/s","arrivals":[` + many + `]}`:                                                          "5001 arrivals are too many; the most is 5000",
		`{"limits":["1/s, 2/s, 3/s, 4/s, 5/s, 6/s"],"arrivals":[` + many[11:] + `]}`:                         "30000 decisions (arrivals times limits) are too many",
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
	for _, body := range []string{GoodRequest, goodLimits, goodInstances, goodArrivals, goodTraffic, goodCurve} {
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
	storm, err := Parse([]byte(`{"limit":"1/m","traffic":"retry storm clients 1000 ignore retry 1ms for 10s"}`))
	if err != nil {
		t.Fatal(err)
	}
	var large *SizeError
	if _, err := Run(context.Background(), storm); !errors.As(err, &large) {
		t.Errorf("a storm without end: %v", err)
	}
	r, _ := Parse([]byte(body))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

func FuzzSimulate(f *testing.F) {
	f.Add(GoodRequest)
	f.Add(`{"limits":["0/m","unlimited","sliding_window_counter 3/7us, 2/w"],"arrivals":[{"t_us":9007199254740991,"cost":1000000},{"t_us":0}],"samples":3}`)
	f.Add(`{"limit":"4503599627370495/s","arrivals":[{"t_us":5,"cost":999999,"key":"k"},{"t_us":5}],"instances":"2 skew 1h"}`)
	f.Add(`{"limits":["leaky_bucket 7/3s, 90/m"],"traffic":"retry storm clients 5 obey jitter 1s for 1m and sine 1/s to 3/s every 5s as x for 40s","instances":"3 random shared latency 1ms..90ms"}`)
	f.Fuzz(func(t *testing.T, body string) {
		r, err := Parse([]byte(body))
		if err != nil {
			if !strings.Contains(err.Error(), "; for example: ") {
				t.Errorf("%v", err)
			}
			return
		}
		result, err := Run(context.Background(), r)
		var large *SizeError
		if errors.As(err, &large) {
			return
		}
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
