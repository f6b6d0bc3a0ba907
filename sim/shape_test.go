package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func shape(t *testing.T, text string) Shape {
	t.Helper()
	s, err := ParseShape(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent is the requests of a load, as if all were allowed.
func sent(load Load, seed uint64) (requests []request) {
	source := load.source(seed)
	for {
		if _, ok := source.next(); !ok {
			return requests
		}
		r := source.send()
		requests = append(requests, r)
		if r.from != nil {
			r.from.answer(r, r.at, true, 0)
		}
	}
}

// sketch writes requests as seconds from Start, with the clients that are not the
// only one.
func sketch(load Load, requests []request) string {
	var texts []string
	for _, r := range requests {
		text := fmt.Sprint(float64(r.at-Start.UnixMicro()) / 1e6)
		if name := load.name(r.client); name != "client" {
			text += strings.TrimPrefix(name, "client")
		}
		if r.cost != 1 {
			text += fmt.Sprint("x", r.cost)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

func TestRegularShapes(t *testing.T) {
	for text, want := range map[string]string{
		"steady 2/s for 2s":                                  "0 0.5 1 1.5",
		"steady 3/s for 1s":                                  "0 0.333333 0.666666",
		"steady 1/s for 1500ms clients 2":                    "0-1 1-2",
		"steady 1/s for 2s cost 5":                           "0x5 1x5",
		"burst 3":                                            "0 0 0",
		"burst 2 every 10s for 21s":                          "0 0 10 10 20 20",
		"burst 2 every 10s for 20s":                          "0 0 10 10",
		"burst 4 over 2s":                                    "0 0.5 1 1.5",
		"burst 2 over 1s every 2s for 3s":                    "0 0.5 2 2.5",
		"window edge 2 every 1m for 2m":                      "59 59.5 60 60.5",
		"window edge 1 within 100ms every 1m for 3m":         "59.9 60 119.9 120",
		"at 0s*2 5s 9.999s":                                  "0 0 5 9.999",
		"at 0":                                               "0",
		"burst 2 then steady 1/s for 2s":                     "0 0 0 1",
		"steady 1/s for 2s then steady 2/s for 1s":           "0 1 2 2.5",
		"steady 1/s for 2s and at 500ms as bob then burst 1": "0 0.5bob 1 2",
		"retry storm clients 2 obey every 5s for 11s":        "0-1 0-2 5-1 5-2 10-1 10-2",
	} {
		s := shape(t, text)
		if got := sketch(s, sent(s, 1)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if got := len(strings.Fields(want)); s.Requests() != got {
			t.Errorf("%s: it expects %d, want %d", text, s.Requests(), got)
		}
	}
}

// TestDrawnShapes: chance keeps to the law that the text says.
func TestDrawnShapes(t *testing.T) {
	for _, text := range []string{
		"poisson 500/s for 1m", "poisson 1/ms for 20s", "sine 100/s to 900/s every 20s for 1m",
		"flash crowd 50/s to 5000/s at 20s for 1m", "flash crowd 50/s to 5000/s at 20s fading 2s for 1m", "zipf 1.1 clients 1000 500/s for 1m",
	} {
		s := shape(t, text)
		requests := sent(s, 1)
		if n, want := float64(len(requests)), s.expected; math.Abs(n-want) > 5*math.Sqrt(want) {
			t.Errorf("%s: %v requests, want some %.0f", text, n, want)
		}
		if !slices.IsSortedFunc(requests, func(a, b request) int { return int(a.at - b.at) }) {
			t.Errorf("%s: not in order of time", text)
		}
		if last := requests[len(requests)-1].at - Start.UnixMicro(); last >= s.lasts || last < s.lasts*9/10 {
			t.Errorf("%s: the last comes at %d of %d", text, last, s.lasts)
		}
		if again := sent(s, 1); !slices.EqualFunc(requests, again, equal) {
			t.Errorf("%s: the same seed draws others", text)
		}
		if other := sent(s, 2); slices.EqualFunc(requests, other, equal) {
			t.Errorf("%s: another seed draws the same", text)
		}
	}
}

func equal(a, b request) bool {
	a.from, b.from = nil, nil
	return a == b
}

// between counts requests from one second to another.
func between(requests []request, from, until float64) (n int) {
	for _, r := range requests {
		if s := float64(r.at-Start.UnixMicro()) / 1e6; from <= s && s < until {
			n++
		}
	}
	return n
}

func near(n int, want float64) bool { return math.Abs(float64(n)-want) < 5*math.Sqrt(want) }

func TestWhenDrawnShapesAreBusy(t *testing.T) {
	sine := sent(shape(t, "sine 100/s to 900/s every 20s for 20s"), 1)
	// 500 - 400 cos(2 pi t/20) over a quarter around the trough, and the peak
	quarter := 500*5 - 400*20/(2*math.Pi)*math.Sqrt2
	if low, high := between(sine, 0, 2.5)+between(sine, 17.5, 20), between(sine, 7.5, 12.5); !near(low, quarter) || !near(high, 5000-quarter) {
		t.Errorf("sine: %d around the trough, %d around the peak, want %.0f and %.0f", low, high, quarter, 5000-quarter)
	}
	crowd := sent(shape(t, "flash crowd 100/s to 1000/s at 10s fading 5s for 30s"), 1)
	if before, after := between(crowd, 0, 10), between(crowd, 10, 15); !near(before, 1000) || !near(after, 500+900*5*(1-1/math.E)) {
		t.Errorf("flash crowd: %d before, %d in the first 5 s", before, after)
	}
}

// TestVisits: of pages, a while apart, by clients who come back.
func TestVisits(t *testing.T) {
	s := shape(t, "visits 600/h clients 200 for 20h")
	requests := sent(s, 1)
	if n, want := float64(len(requests)), s.expected; math.Abs(n-want) > want/20 {
		t.Errorf("%v requests, want some %.0f", n, want)
	}
	byClient := map[uint32][]int64{}
	for i, r := range requests {
		byClient[r.client] = append(byClient[r.client], r.at)
		if i > 0 && r.at < requests[i-1].at {
			t.Fatal("not in order of time")
		}
	}
	if len(byClient) != 200 {
		t.Errorf("%d clients", len(byClient))
	}
	visits := 0
	for _, at := range byClient {
		visits++
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] > 5*minute { // nobody thinks for so long, nearly
				visits++
			}
		}
	}
	// each client comes 3 times an hour, and at times within 5 minutes of the last
	if visits < 12000*6/10 || visits > 12000 {
		t.Errorf("%d visits of 12000 are apart", visits)
	}
	if !slices.EqualFunc(requests, sent(s, 1), equal) {
		t.Error("the same seed draws others")
	}
}

func TestWhoSends(t *testing.T) {
	count := func(text string) (byName map[string]int, keys map[string]int, all []request) {
		s := shape(t, text)
		byName, keys = map[string]int{}, map[string]int{}
		all = sent(s, 1)
		for _, r := range all {
			byName[s.name(r.client)]++
			keys[s.name(r.key)]++
		}
		return byName, keys, all
	}
	zipf, _, all := count("zipf 1.5 clients 100 100/s for 1m")
	// the first two of k^-1.5
	if ratio := float64(zipf["client-1"]) / float64(zipf["client-2"]); math.Abs(ratio-math.Pow(2, 1.5)) > 0.3 {
		t.Errorf("zipf: the first sends %.2f times what the second does: %v of %d", ratio, zipf, len(all))
	}
	clients, keys, _ := count("poisson 100/s clients 10 one key for 1m")
	if len(clients) != 10 || !near(clients["client-7"], 600) || len(keys) != 1 || keys["client"] == 0 {
		t.Errorf("one key: %v as %v", clients, keys)
	}
	if _, keys, _ = count("retry storm clients 5 obey for 1s"); len(keys) != 1 {
		t.Errorf("a retry storm counts as %v", keys)
	}
	if _, keys, _ = count("retry storm clients 5 own keys obey for 1s"); len(keys) != 5 {
		t.Errorf("with own keys it counts as %v", keys)
	}
	_, keys, _ = count("steady 1/s for 4s as bob clients 2 and steady 1/s for 4s as eve then steady 1/s for 3s as bob clients 3")
	if fmt.Sprint(keys) != "map[bob-1:3 bob-2:3 bob-3:1 eve:4]" {
		t.Errorf("names: %v", keys)
	}
	_, _, all = count("steady 1000/s cost 3..5 for 1s")
	var costs [10]int
	for _, r := range all {
		costs[r.cost]++
	}
	if !near(costs[3], 333) || !near(costs[4], 333) || costs[3]+costs[4]+costs[5] != 1000 {
		t.Errorf("costs 3..5: %v", costs)
	}
}

func TestShapesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                   `aforo: traffic "": shape "" (at byte 0): there are steady, poisson, burst, sine, flash crowd, window edge, zipf, visits, retry storm, at; for example: poisson 50/s for 1m`,
		"possion 5/s for 1m":                                 `traffic "possion 5/s for 1m": shape possion (at byte 0): there are`,
		"window 5 every 1m for 2m":                           `shape window (at byte 0): there are`,
		"poisson 50 for 1m":                                  `word 50 (at byte 8): poisson does not know it; it takes rate, for, clients, one key, own keys, cost, as; for example: poisson 50/s for 1m`,
		"poisson 50/s":                                       `for "" (at byte 12): it is missing from poisson`,
		"poisson for 1m then burst 5":                        `rate then (at byte 15): it is missing`,
		"poisson 0/s for 1m":                                 `rate 0/s (at byte 8): the smallest is 1`,
		"poisson 5/month for 1m":                             `rate month (at byte 10): months and years have no fixed length`,
		"poisson 05/s for 1m":                                `rate 05 (at byte 8): leave out the leading zeros`,
		"poisson 5/s for 0s":                                 `for 0s (at byte 16): the smallest is 1us`,
		"poisson 5/s for -1m":                                `for -1m (at byte 16): times are not negative`,
		"poisson 5/s for 1":                                  `for 1 (at byte 16): the unit is missing`,
		"poisson 5/s for":                                    `for "" (at byte 15): the time is missing`,
		"poisson 5/s for 3y":                                 `for 3y (at byte 16): months and years`,
		"poisson 5/s for 1m for 2m":                          `for for (at byte 19): it stands twice`,
		"poisson 5/s every 1s for 1m":                        `word every (at byte 12): poisson does not take it`,
		"poisson 5/s for 1m then":                            `shape "" (at byte 23): there is nothing after then`,
		"poisson 5/s for 400d":                               `for 400d (at byte 16): the longest is 8784h0m0s`,
		"steady 1/h for 300d then steady 1/h for 300d":       `it lasts 14400h0m0s, and the longest is 8784h0m0s`,
		"steady 1/us for 2s":                                 `it sends some 2000000 requests, and the most is 1000000`,
		"burst 2000000":                                      `number 2000000 (at byte 6): the largest is 1000000`,
		"burst 0":                                            `number 0 (at byte 6): the smallest is 1`,
		"burst -3":                                           `number -3 (at byte 6): the smallest is 1`,
		"burst 1e3":                                          `number 1e3 (at byte 6): write a plain decimal integer`,
		"burst 5 every 10s":                                  `shape burst (at byte 0): it comes again, and does not say for how long`,
		"burst 5 for 10s":                                    `shape burst (at byte 0): it lasts, and does not say every when it comes again`,
		"burst 5 over 11s every 10s for 1m":                  `it takes longer than the time after which it comes again`,
		"sine 9/s to 1/s every 1s for 1m":                    `the rate after to is the higher one`,
		"sine 9/s to 1 every 1s for 1m":                      `to 1 (at byte 12): write how many units per which time`,
		"flash crowd 1/s to 9/s at 1m for 1m":                `shape flash (at byte 0): it ends before the crowd comes`,
		"window edge 5 every 1m for 1m":                      `it ends before the first edge is over`,
		"window edge 5 every 1s for 1m":                      `around its edges it takes longer than a window`,
		"zipf 1 clients 5 9/s for 1m":                        `exponent 1 (at byte 5): the exponent is a number above 1, and at most 10`,
		"zipf 1.1 9/s for 1m":                                `clients "" (at byte 19): it is missing from zipf`,
		"retry storm clients 5 for 1m":                       `obey or ignore "" (at byte 28): it is missing from retry storm`,
		"retry storm clients 5 ignore jitter 1s for 1m":      `jitter is for clients that obey`,
		"retry storm clients 5 obey one keys for 1m":         `one key keys (at byte 31): write one key`,
		"retry storm clients 5 obey one key own keys for 1m": `one key and own keys exclude each other`,
		"at":                          `instants "" (at byte 2): it is missing`,
		"at 1s 500ms":                 `instants 500ms (at byte 6): instants stand in the order of time`,
		"at 1s*x":                     `instants x (at byte 6): write a plain decimal integer`,
		"steady 1/s for 1m cost 5..2": `cost 5..2 (at byte 23): the first of the two is the smaller`,
		"steady 1/s for 1m cost 5..":  `cost "" (at byte 26): the number is missing`,
		"steady 1/s for 1m as a\x00b": `as "a\x00b" (at byte 21): a name has 1 to 64 printable ASCII characters`,
		"steady 1/s for 1m clients 900000 and steady 1/s for 1m clients 900000 as b": `it has 1800000 clients, and the most is 1000000`,
		strings.Repeat("burst 1 then ", 50) + "burst 1":                              `it has more than 32 parts`,
	} {
		s, err := ParseShape(text)
		var bad *TextError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if s.String() != "" || len(sent(s, 1)) != 0 {
			t.Errorf("%s: it is %v all the same", text, s)
		}
	}
}

// TestEveryKindsExampleIsGood, and what errors show as good is.
func TestEveryKindsExampleIsGood(t *testing.T) {
	for _, k := range kinds {
		if s, err := ParseShape(k.good); err != nil || s.String() != k.good {
			t.Errorf("%s: %q, %v", k.good, s, err)
		}
		for _, name := range slices.Concat(k.must, k.may) {
			if clauses[name] == nil {
				t.Errorf("%s: there is no clause %s", k.name, name)
			}
		}
	}
}

func TestAShapeLasts(t *testing.T) {
	s := shape(t, "burst 5 over 2s then steady 1/s for 3s and steady 1/s for 9s then at 4s")
	if s.Duration() != 15*time.Second {
		t.Error(s.Duration())
	}
}

func FuzzParseShape(f *testing.F) {
	for _, k := range kinds {
		f.Add(k.good)
	}
	f.Add("burst 50 cost 1..9 one key then steady 5/1m30s for 1m and poisson 1/s as other clients 3 for 1m")
	f.Add("retry storm clients 5 ignore retry 100ms every 1m own keys for 1h")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseShape(text)
		if err != nil {
			var bad *TextError
			if !errors.As(err, &bad) || bad.Place < 0 || bad.Place > len(text) || bad.Good == "" || bad.Problem == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			if _, err := ParseShape(bad.Good); err != nil {
				t.Fatalf("%q: it shows as good %q: %v", text, bad.Good, err)
			}
			return
		}
		again, err := ParseShape(s.String())
		if err != nil || again.String() != s.String() || again.Duration() != s.Duration() || again.Requests() != s.Requests() {
			t.Fatalf("%q is %q is %q: %v", text, s, again, err)
		}
		if s.Requests() > 10_000 {
			return
		}
		from, until := s.span()
		last := from
		for _, r := range sent(s, 1) {
			if r.at < last || r.at > until || int(r.client) >= s.names() || s.name(r.client) == "" || r.cost < 1 || r.cost > MaxCost {
				t.Fatalf("%q: %+v after %d", text, r, last)
			}
			last = r.at
		}
	})
}

// TestAShortCrowdInALongTime: what is sent costs time, and not what might have
// been, at the rate of the crowd, before it and after.
func TestAShortCrowdInALongTime(t *testing.T) {
	for _, text := range []string{
		"flash crowd 1/d to 1000000/s at 0s fading 1ms for 366d",
		"flash crowd 1/d to 1000000/s at 365d fading 1ms for 366d",
		"flash crowd 1/d to 1000000000/s at 1d fading 1us for 366d",
	} {
		if n := len(sent(shape(t, text), 1)); n < 1000 || n > 2000 {
			t.Errorf("%s: %d requests", text, n)
		}
	}
}
