package httplimit_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// refused is a handler whose limiter refuses the next request.
func refused(t testing.TB, limits string, clock *manualClock, options ...httplimit.Option) http.Handler {
	h := httplimit.Middleware(newLimiter(t, limits, clock), httplimit.PeerIP, options...)(ok)
	for range 1000 {
		if w := ask(h); w.Code != http.StatusNoContent {
			return h
		}
	}
	t.Fatal("1000 requests were allowed")
	return nil
}

func TestARefusalSaysWhichLimitRefusedAndWhenToComeBack(t *testing.T) {
	clock := newClock()
	h := refused(t, "sliding_window_log 2/15m", clock)
	clock.advance(500 * time.Millisecond)
	w := ask(h)
	body := w.Body.String()
	if got := w.Header().Get("Content-Length"); got != strconv.Itoa(len(body)) {
		t.Errorf("Content-Length is %s, the body has %d bytes", got, len(body))
	}
	if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("X-Content-Type-Options is %q", got)
	}
	wait := int64(899_500)
	want := problem{
		Type:       "https://iana.org/assignments/http-problem-types#quota-exceeded",
		Title:      "Quota exceeded",
		Status:     429,
		Detail:     `The limit "sliding_window_log 2/15m" allows 2 requests per 15m: try again in 15m.`,
		Violated:   []string{"sliding_window_log 2/15m"},
		RetryAfter: &wait,
	}
	if p := readProblem(t, w); !reflect.DeepEqual(p, want) {
		t.Errorf("body is %s", body)
	}
	if got := w.Header().Get("Retry-After"); got != "900" {
		t.Errorf("Retry-After is %s", got)
	}
}

func TestARefusalNamesAllLimitsThatRefused(t *testing.T) {
	limits, err := aforo.NewLimits(aforo.PerSecond(3).Named("second"), aforo.PerMinute(3).Named("minute"), aforo.PerDay(9).Named("day"))
	if err != nil {
		t.Fatal(err)
	}
	clock := newClock()
	limiter, err := aforo.NewLimiter(limits, aforo.WithClock(clock.now))
	if err != nil {
		t.Fatal(err)
	}
	h := httplimit.Middleware(limiter, httplimit.PeerIP)(ok)
	statuses(3, func() *httptest.ResponseRecorder { return ask(h) })
	p := readProblem(t, ask(h))
	if !reflect.DeepEqual(p.Violated, []string{"second", "minute"}) || !strings.Contains(p.Detail, `"minute" allows 3 requests per 1m: try again in 20s`) {
		t.Errorf("at once: %+v", p)
	}
	clock.advance(time.Second)
	if p := readProblem(t, ask(h)); !reflect.DeepEqual(p.Violated, []string{"minute"}) {
		t.Errorf("a second later: %+v", p)
	}
}

func TestWhatNeverFitsHasNoRetryAfter(t *testing.T) {
	for limits, detail := range map[string]string{
		"2/s":         `The limit "2/s" allows 2 units per 1s: this request costs 3, so waiting does not help.`,
		"0/m burst 3": `The limit "0/m burst 3" allows 3 units in all: waiting does not help.`,
	} {
		h := httplimit.Middleware(newLimiter(t, limits, newClock()), httplimit.PeerIP,
			httplimit.WithCost(func(*http.Request) int64 { return 3 }))(ok)
		ask(h)
		w := ask(h)
		if _, there := w.Header()["Retry-After"]; there || w.Code != 429 {
			t.Errorf("%s: status %d, header %v", limits, w.Code, w.Header())
		}
		if p := readProblem(t, w); p.RetryAfter != nil || p.Detail != detail {
			t.Errorf("%s: %+v", limits, p)
		}
	}
}

func TestPlainTextForWhoPrefersIt(t *testing.T) {
	h := refused(t, "1/m", newClock())
	const text, json = "text/plain; charset=utf-8", "application/problem+json"
	for _, c := range []struct {
		accept string
		want   string
	}{
		{"", json},
		{"*/*", json},
		{"text/plain", text},
		{"TEXT/Plain", text},
		{"text/*", text},
		{"application/json", json},
		{"text/plain, application/json", json},
		{"text/plain, application/json;q=0.9", text},
		{"text/plain, application/json;q=0.9, application/problem+json", json},
		{"text/plain;q=0.5, application/*;q=0.4", text},
		{"text/plain;q=0.4, application/*;q=0.5", json},
		{"text/plain;q=0.001, application/*;q=0", text},
		{"text/plain;q=0, */*;q=0.1", json},
		{"application/problem+json;q=0, */*;q=0.1", text},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json},
		{"text/html, text/*;q=0.9, */*;q=0.8", text},
		{"image/png", json},
		{` , text/plain;x="a,b\"";q=1.000 ,`, text},
		// What cannot be read does not count.
		{"text", json},
		{"text/plain;q=2", json},
		{"text/plain;q=1.001", json},
		{"text/plain;q=0.1234", json},
		{"text/plain;q=+1", json},
		{"text/plain;q=", json},
		{"text/plain, ;", json},
		{"text/plain;x=\"", json},
		{"text/plain" + strings.Repeat(",text/plain", 1000), json},
	} {
		lines := []string{"Accept: " + c.accept}
		if c.accept == "" {
			lines = nil
		}
		w := ask(h, lines...)
		if got := w.Header().Get("Content-Type"); got != c.want {
			t.Errorf("Accept: %s is answered with %s", c.accept, got)
		}
		if c.want == text && w.Body.String() != "The limit \"1/m\" allows 1 request per 1m: try again in 1m.\n" {
			t.Errorf("text is %q", w.Body)
		}
	}
	if w := ask(h, "Accept: application/json;q=0.5", "Accept: text/plain"); w.Header().Get("Content-Type") != text {
		t.Error("two Accept lines are not read as one list")
	}
}

func FuzzAccept(f *testing.F) {
	f.Add("text/plain;q=0.5, */*;q=0.1")
	f.Add(`text/plain;a="\",";q=1`)
	h := refused(f, "1/d", newClock())
	f.Fuzz(func(t *testing.T, accept string) {
		w := ask(h, "Accept: "+accept)
		contentType := w.Header().Get("Content-Type")
		switch {
		case w.Code != 429 || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()):
			t.Errorf("status %d, header %v", w.Code, w.Header())
		case contentType == "application/problem+json":
		case contentType != "text/plain; charset=utf-8" || !strings.Contains(strings.ToLower(accept), "text/") && !strings.Contains(accept, "*/*"):
			t.Errorf("Accept: %q is answered with %s", accept, contentType)
		}
	})
}

func TestTheRefusedHookGetsTheDecisionAndTheFields(t *testing.T) {
	h := refused(t, "1/m", newClock(), httplimit.WithRefused(func(w http.ResponseWriter, r *http.Request, d aforo.Decision) {
		if d.Allowed || d.RetryAfter != time.Minute || d.Name != "1/m" {
			t.Errorf("decision %+v", d)
		}
		http.Error(w, "slow down", http.StatusTeapot)
	}))
	w := ask(h)
	if w.Code != http.StatusTeapot || w.Body.String() != "slow down\n" {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
	want := http.Header{
		"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"60"},
		"Ratelimit-Policy": {`"1/m";q=1;w=60`}, "Ratelimit": {`"1/m";r=0;t=60`}, "Retry-After": {"60"},
	}
	for name, value := range want {
		if !reflect.DeepEqual(w.Header()[name], value) {
			t.Errorf("%s is %q, want %q", name, w.Header()[name], value)
		}
	}
}

func TestTheRefusedHookHasNoStoreSet(t *testing.T) {
	h := refused(t, "1/m", newClock(), httplimit.WithRefused(
		func(w http.ResponseWriter, r *http.Request, d aforo.Decision) { w.WriteHeader(429) }))
	if got := ask(h).Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
}
