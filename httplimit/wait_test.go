package httplimit_test

import (
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// Each sequence is a limit and its requests: when they come, in milliseconds
// since the beginning of a window, the status, Retry-After and reset.
func TestWaits(t *testing.T) {
	type request struct {
		at     int
		status int
		retry  string
		reset  string
	}
	logged := func(n int, every int) (requests []request) {
		for i := range n {
			requests = append(requests, request{i * every, 204, "", "60"})
		}
		return requests
	}
	for name, c := range map[string]struct {
		limit    string
		requests []request
	}{
		"a wait below a second is 1": {"10/s burst 1",
			[]request{{0, 204, "", "1"}, {0, 429, "1", "1"}}},
		"a wait is rounded up": {"2/3s burst 1",
			[]request{{0, 204, "", "2"}, {100, 429, "2", "2"}}},
		"what is earned of a unit counts": {"1/s",
			[]request{{0, 204, "", "1"}, {200, 429, "1", "1"}, {1000, 204, "", "1"}}},
		"the end of a window is never 0 or less": {"fixed_window 2/m",
			[]request{{0, 204, "", "60"}, {0, 204, "", "60"}, {59_400, 429, "1", "1"}, {59_999, 429, "1", "1"}, {60_000, 204, "", "60"}}},
		"a wait is until one more fits, not a whole window": {"sliding_window_log 10/m",
			append(logged(10, 2000), request{20_000, 429, "40", "58"})},
		"a bucket has room where a log has none": {"10/m", append(
			[]request{{0, 204, "", "6"}}, request{20_000, 204, "", "6"})},
		"the last that is allowed says when it resets": {"fixed_window 1/h",
			[]request{{0, 204, "", "3600"}}},
		"and so does that of a bucket": {"1/10s",
			[]request{{0, 204, "", "10"}}},
		"seconds are seconds": {"fixed_window 2/15m",
			[]request{{0, 204, "", "900"}, {0, 204, "", "900"}, {0, 429, "900", "900"}}},
		"no fractions": {"2/s",
			[]request{{0, 204, "", "1"}, {0, 204, "", "1"}, {1, 429, "1", "1"}}},
	} {
		clock := newClock()
		start := clock.now()
		h := httplimit.Middleware(newLimiter(t, c.limit, clock), httplimit.PeerIP)(ok)
		for i, want := range c.requests {
			clock.advance(start.Add(time.Duration(want.at) * time.Millisecond).Sub(clock.now()))
			w := ask(h)
			got := request{want.at, w.Code, w.Header().Get("Retry-After"), w.Header().Get("X-RateLimit-Reset")}
			if got != want {
				t.Errorf("%s: request %d is %+v, want %+v", name, i, got, want)
			}
		}
	}
}

// randomLimits are one to three limits; the seed makes them the same each time.
func randomLimits(t *testing.T, random *rand.Rand) aforo.Limits {
	algorithms := []aforo.Algorithm{aforo.TokenBucket, aforo.LeakyBucket, aforo.FixedWindow, aforo.SlidingWindowLog, aforo.SlidingWindowCounter}
	units := []time.Duration{time.Microsecond, time.Millisecond, time.Second, time.Minute}
	for {
		var list []aforo.Limit
		for i := range 1 + random.Intn(3) {
			rate := int64(random.Intn(30))
			l := aforo.Per(rate, time.Duration(1+random.Intn(5000))*units[random.Intn(len(units))]).
				Using(algorithms[random.Intn(len(algorithms))]).Named(fmt.Sprintf(`limit "%d"`, i))
			if random.Intn(2) == 0 && l.Algorithm() <= aforo.LeakyBucket {
				l = l.Burst(int64(1 + random.Intn(30)))
			}
			list = append(list, l)
		}
		if limits, err := aforo.NewLimits(list...); err == nil {
			return limits
		}
	}
}

// A client that sends requests of random costs at random times, and that obeys
// every refusal to the second.
func TestHeadersKeepTheirPromisesUnderRandomLimits(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	refusals := 0
	for range 300 {
		limits := randomLimits(t, random)
		clock := newClock()
		clock.advance(time.Duration(random.Int63n(int64(time.Hour))).Truncate(time.Microsecond))
		limiter, err := aforo.NewLimiter(limits, aforo.WithClock(clock.now))
		if err != nil {
			t.Fatal(err)
		}
		cost := int64(1)
		h := httplimit.Middleware(limiter, httplimit.PeerIP,
			httplimit.WithCost(func(*http.Request) int64 { return cost }))(ok)
		for range 40 {
			cost = int64(1 + random.Intn(1+random.Intn(8)))
			w := ask(h)
			checkFields(t, limits, w)
			if w.Code == http.StatusTooManyRequests {
				refusals++
				checkRetryAfter(t, limits, h, clock, w)
			}
			clock.advance(time.Duration(random.Int63n(int64(3 * time.Second))).Truncate(time.Microsecond))
		}
		if t.Failed() {
			return
		}
	}
	if refusals < 1000 {
		t.Errorf("only %d requests were refused", refusals)
	}
}

var delaySeconds = regexp.MustCompile(`^[1-9][0-9]*$`)

// checkRetryAfter sees that a retry just in time is allowed, and that one a
// second earlier is not.
func checkRetryAfter(t *testing.T, limits aforo.Limits, h http.Handler, clock *manualClock, w *httptest.ResponseRecorder) {
	t.Helper()
	p := readProblem(t, w)
	text := w.Header().Get("Retry-After")
	if text == "" && p.RetryAfter == nil {
		return // never
	}
	if !delaySeconds.MatchString(text) || p.RetryAfter == nil {
		t.Errorf("%v: Retry-After is %q, the body is %+v", limits, text, p)
		return
	}
	wait, err := strconv.ParseInt(text, 10, 64)
	if err != nil || (*p.RetryAfter+999)/1000 != wait {
		t.Errorf("%v: Retry-After is %s, retry_after_ms %d", limits, text, *p.RetryAfter)
	}
	if wait > 1 {
		clock.advance(time.Duration(wait-1) * time.Second)
		if w := ask(h); w.Code != http.StatusTooManyRequests {
			t.Errorf("%v: Retry-After is %d, but %d were enough", limits, wait, wait-1)
		}
		clock.advance(-time.Duration(wait-1) * time.Second)
	}
	clock.advance(time.Duration(wait) * time.Second)
	if w := ask(h); w.Code != http.StatusNoContent {
		t.Errorf("%v: refused after waiting %d s", limits, wait)
	}
}

// checkFields sees that what the fields say is possible, and the same in both
// dialects.
func checkFields(t *testing.T, limits aforo.Limits, w *httptest.ResponseRecorder) {
	t.Helper()
	header := w.Header()
	policies, err := parseList(header.Get("RateLimit-Policy"))
	if err != nil {
		t.Fatal(err)
	}
	quotas, err := parseList(header.Get("RateLimit"))
	if err != nil {
		t.Fatal(err)
	}
	limit, remaining := number(t, header, "X-RateLimit-Limit"), number(t, header, "X-RateLimit-Remaining")
	reset, never := int64(0), header.Get("X-RateLimit-Reset") == ""
	if !never {
		reset = number(t, header, "X-RateLimit-Reset")
	}
	least, longest, listed := remaining, int64(0), false
	for i, l := range limits.List() {
		q, r, wait := policies[i].parameters["q"], quotas[i].parameters["r"], quotas[i].parameters["t"]
		if policies[i].name != l.Name() || quotas[i].name != l.Name() || q != l.Capacity() || r < 0 || r > q {
			t.Errorf("%v: limit %d is %v and %v", limits, i, policies[i], quotas[i])
		}
		// The counter remembers a window for another one.
		if window, whole := policies[i].parameters["w"]; whole && (wait < 0 || wait > 2*window) {
			t.Errorf("%v: t=%d, w=%d", limits, wait, window)
		}
		listed = listed || q == limit
		least, longest = min(least, r), max(longest, wait)
	}
	if remaining < 0 || remaining > limit || remaining != least || !listed || reset < 0 {
		t.Errorf("%v: %v", limits, header)
	}
	if !never && reset < longest || w.Code == http.StatusNoContent && !never && reset != longest {
		t.Errorf("%v: reset is %d, the longest t %d", limits, reset, longest)
	}
}

func number(t *testing.T, header http.Header, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(header.Get(name), 10, 64)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return n
}
