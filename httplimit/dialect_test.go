package httplimit_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// fields are the lines of a response's header, without those of the body.
func fields(header http.Header) string {
	header = header.Clone()
	for _, name := range []string{"Content-Type", "Content-Length", "X-Content-Type-Options"} {
		header.Del(name)
	}
	var b strings.Builder
	_ = header.Write(&b) // sorts
	return strings.ReplaceAll(b.String(), "\r\n", "\n")
}

func wantFields(t *testing.T, when string, header http.Header, want string) {
	t.Helper()
	if got, want := fields(header), strings.TrimSpace(strings.ReplaceAll(want, "\t", ""))+"\n"; got != want {
		t.Errorf("%s: fields are\n%swant\n%s", when, got, want)
	}
}

// Each algorithm allows 2 per minute; two requests come 10 s into a window, and
// a third is refused half a second later.
func TestFieldsOfEachAlgorithm(t *testing.T) {
	for algorithm, want := range map[string]struct {
		reset      [2]int // after the first request, and when refused
		retryAfter int
	}{
		"token_bucket":           {[2]int{30, 60}, 30},
		"leaky_bucket":           {[2]int{30, 60}, 30},
		"fixed_window":           {[2]int{50, 50}, 50},
		"sliding_window_log":     {[2]int{60, 60}, 60},
		"sliding_window_counter": {[2]int{110, 110}, 80},
	} {
		clock := newClock()
		clock.advance(10 * time.Second)
		h := httplimit.Middleware(newLimiter(t, algorithm+" 2/m", clock, aforo.WithName("api")), httplimit.PeerIP)(ok)
		wantFields(t, algorithm+", first", ask(h).Header(), fmt.Sprintf(`
			Ratelimit: "api";r=1;t=%[1]d
			Ratelimit-Policy: "api";q=2;w=60
			X-Ratelimit-Limit: 2
			X-Ratelimit-Remaining: 1
			X-Ratelimit-Reset: %[1]d
			`, want.reset[0]))
		ask(h)
		clock.advance(500 * time.Millisecond)
		wantFields(t, algorithm+", refused", ask(h).Header(), fmt.Sprintf(`
			Cache-Control: no-store
			Ratelimit: "api";r=0;t=%[1]d
			Ratelimit-Policy: "api";q=2;w=60
			Retry-After: %[1]d
			X-Ratelimit-Limit: 2
			X-Ratelimit-Remaining: 0
			X-Ratelimit-Reset: %[2]d
			`, want.retryAfter, want.reset[1]))
	}
}

func TestSeveralLimitsAreListedAndTheTightestIsReportedInAnyOrder(t *testing.T) {
	second, hour := aforo.PerSecond(2).Named("second"), aforo.PerHour(3).Named("hour")
	// What the two limits say at each step, and what is reported of them.
	steps := []struct {
		second, hour string
		reported     string
		wait         time.Duration
	}{
		{`r=1;t=1`, `r=2;t=1200`, "2 1 1200 ", 0},
		{`r=0;t=1`, `r=1;t=2400`, "2 0 2400 ", 0},
		{`r=0;t=1`, `r=1;t=2400`, "2 0 2400 1", time.Second}, // the second refuses
		{`r=1;t=1`, `r=0;t=3599`, "3 0 3599 ", time.Second},
		{`r=2;t=0`, `r=0;t=1198`, "3 0 3598 1198", 0}, // the hour refuses
	}
	for _, order := range [][]aforo.Limit{{second, hour}, {hour, second}} {
		limits, err := aforo.NewLimits(order...)
		if err != nil {
			t.Fatal(err)
		}
		clock := newClock()
		limiter, err := aforo.NewLimiter(limits, aforo.WithClock(clock.now))
		if err != nil {
			t.Fatal(err)
		}
		h := httplimit.Middleware(limiter, httplimit.PeerIP)(ok)
		for i, step := range steps {
			header := ask(h).Header()
			policies := []string{`"second";q=2;w=1`, `"hour";q=3;w=3600`}
			quotas := []string{`"second";` + step.second, `"hour";` + step.hour}
			if order[0].Name() == "hour" {
				policies[0], policies[1] = policies[1], policies[0]
				quotas[0], quotas[1] = quotas[1], quotas[0]
			}
			if got, want := header.Values("RateLimit-Policy"), []string{strings.Join(policies, ", ")}; !reflect.DeepEqual(got, want) {
				t.Errorf("%v, step %d: RateLimit-Policy %q, want %q", limits, i, got, want)
			}
			if got, want := header.Values("RateLimit"), []string{strings.Join(quotas, ", ")}; !reflect.DeepEqual(got, want) {
				t.Errorf("%v, step %d: RateLimit %q, want %q", limits, i, got, want)
			}
			got := strings.Join([]string{header.Get("X-RateLimit-Limit"), header.Get("X-RateLimit-Remaining"),
				header.Get("X-RateLimit-Reset"), header.Get("Retry-After")}, " ")
			if got != step.reported {
				t.Errorf("%v, step %d: limit, remaining, reset, retry are %q, want %q", limits, i, got, step.reported)
			}
			clock.advance(step.wait)
		}
	}
}

func TestNestedMiddlewaresListAllTheirLimits(t *testing.T) {
	clock := newClock()
	outer := httplimit.Middleware(newLimiter(t, "9/m", clock, aforo.WithName("outer")), httplimit.PeerIP)
	inner := httplimit.Middleware(newLimiter(t, "1/m", clock, aforo.WithName("inner")), httplimit.PeerIP)
	h := outer(inner(ok))
	ask(h)
	w := ask(h)
	items, err := parseList(strings.Join(w.Header().Values("RateLimit"), ", "))
	if err != nil || len(items) != 2 || items[0].name != "outer" || items[0].parameters["r"] != 7 || items[1].parameters["r"] != 0 {
		t.Errorf("RateLimit is %q: %v", w.Header().Values("RateLimit"), err)
	}
	if got := w.Header()["X-Ratelimit-Limit"]; w.Code != 429 || !reflect.DeepEqual(got, []string{"1"}) {
		t.Errorf("status %d, X-RateLimit-Limit %q", w.Code, got)
	}
}

func TestDialectsCanBeChosen(t *testing.T) {
	for name, c := range map[string]struct {
		dialects []httplimit.Dialect
		want     string
	}{
		"none": {nil, "Cache-Control Retry-After"},
		"IETF": {[]httplimit.Dialect{httplimit.IETF}, "Cache-Control Ratelimit Ratelimit-Policy Retry-After"},
		"own": {[]httplimit.Dialect{func(h http.Header, d aforo.Decision, each []aforo.Decision) {
			h.Set("Quota", fmt.Sprintf("%s %d of %d, %d limit", d.Name, d.Remaining, d.Limit, len(each)))
		}}, "Cache-Control Quota Retry-After"},
	} {
		header := ask(refused(t, "1/m", newClock(), httplimit.WithDialects(c.dialects...))).Header()
		var names []string
		for _, line := range strings.Split(strings.TrimSpace(fields(header)), "\n") {
			field, _, _ := strings.Cut(line, ":")
			names = append(names, field)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: fields %s, want %s", name, got, c.want)
		}
		if got := header.Get("Quota"); name == "own" && got != "1/m 0 of 1, 1 limit" {
			t.Errorf("own field is %q", got)
		}
	}
}

// written is what a dialect writes about one decision.
func written(dialect httplimit.Dialect, d aforo.Decision) http.Header {
	header := make(http.Header)
	dialect(header, d, []aforo.Decision{d})
	return header
}

func TestIETFIsAlwaysAStructuredField(t *testing.T) {
	for _, c := range []struct {
		d             aforo.Decision
		policy, quota string
	}{
		{aforo.Decision{Name: `a"b\c`, Limit: 1, Window: time.Minute}, `"a\"b\\c";q=1;w=60`, `"a\"b\\c";r=0;t=0`},
		{aforo.Decision{Name: "é\r\nX: y\x7f\x00", Window: time.Second}, `"????X: y??";q=0;w=1`, `"????X: y??";r=0;t=0`},
		{aforo.Decision{Limit: 1<<52 - 1, Remaining: 1 << 52, Window: aforo.Never - 1},
			`"";q=999999999999999;w=9223372037`, `"";r=999999999999999;t=0`},
		{aforo.Decision{Window: time.Second - 1, ResetAfter: 1, Allowed: true}, `"";q=0`, `"";r=0;t=1`},
		{aforo.Decision{Window: time.Second + 1, ResetAfter: 1, RetryAfter: time.Minute + 1}, `"";q=0;w=2`, `"";r=0;t=61`},
		{aforo.Decision{Window: aforo.Never, ResetAfter: 1, RetryAfter: aforo.Never}, `"";q=0`, `"";r=0`},
		{aforo.Decision{Window: aforo.Never, ResetAfter: aforo.Never, Allowed: true}, `"";q=0`, `"";r=0`},
	} {
		header := written(httplimit.IETF, c.d)
		policy, quota := header.Get("RateLimit-Policy"), header.Get("RateLimit")
		if policy != c.policy || quota != c.quota {
			t.Errorf("%+v is written as %s and %s, want %s and %s", c.d, policy, quota, c.policy, c.quota)
		}
		for _, field := range []string{policy, quota} {
			if _, err := parseList(field); err != nil {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
}

func TestXRateLimitNumbersAreNotCut(t *testing.T) {
	header := written(httplimit.XRateLimit, aforo.Decision{Limit: 1<<52 - 1, Remaining: 1<<52 - 2, ResetAfter: aforo.Never - 1})
	wantFields(t, "large", header, `
		X-Ratelimit-Limit: 4503599627370495
		X-Ratelimit-Remaining: 4503599627370494
		X-Ratelimit-Reset: 9223372037
		`)
	for _, dialect := range []httplimit.Dialect{httplimit.XRateLimit, httplimit.XRateLimitEpoch} {
		wantFields(t, "never reset", written(dialect, aforo.Decision{Limit: 1, ResetAfter: aforo.Never}), `
			X-Ratelimit-Limit: 1
			X-Ratelimit-Remaining: 0
			`)
	}
}

func TestTheEpochDialectIsADateInSeconds(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 15 * time.Minute, 100 * 365 * 24 * time.Hour} {
		before := time.Now()
		text := written(httplimit.XRateLimitEpoch, aforo.Decision{ResetAfter: after}).Get("X-RateLimit-Reset")
		epoch, err := strconv.ParseInt(text, 10, 64)
		if err != nil || epoch < before.Add(after).Unix() || epoch > time.Now().Add(after).Unix()+1 {
			t.Errorf("%v after %v is %q", after, before, text)
		}
	}
}
