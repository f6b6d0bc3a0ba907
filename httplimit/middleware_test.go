package httplimit_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// A manualClock stands still until it is moved.
type manualClock struct {
	mu sync.Mutex
	at time.Time
}

// newClock begins with a minute, an hour and a day, so that aligned windows do.
func newClock() *manualClock { return &manualClock{at: time.Unix(1_767_225_600, 0)} }

func (c *manualClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// newLimiter is a limiter of the limits on a clock.
func newLimiter(t testing.TB, limits string, clock *manualClock, options ...aforo.Option) *aforo.Limiter {
	t.Helper()
	l, err := aforo.New(limits, append(options, aforo.WithClock(clock.now))...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var ok = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })

// ask sends a GET request with the header lines through a handler.
func ask(h http.Handler, lines ...string) *httptest.ResponseRecorder {
	return askFrom(h, "192.0.2.1:1234", lines...)
}

func askFrom(h http.Handler, peer string, lines ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = peer
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return do(h, r)
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// statuses asks n times.
func statuses(n int, ask func() *httptest.ResponseRecorder) (codes []int) {
	for range n {
		codes = append(codes, ask().Code)
	}
	return codes
}

type problem struct {
	Type       string   `json:"type"`
	Title      string   `json:"title"`
	Status     int      `json:"status"`
	Detail     string   `json:"detail"`
	Violated   []string `json:"violated-policies"`
	RetryAfter *int64   `json:"retry_after_ms"`
}

func readProblem(t testing.TB, w *httptest.ResponseRecorder) (p problem) {
	t.Helper()
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("Content-Type is %q", got)
	}
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if message, _ := recover().(string); !strings.Contains(message, want) || !strings.Contains(message, "for example: ") {
			t.Errorf("panic is %q, want one with %q and a good example", message, want)
		}
	}()
	f()
}

func TestWiringNonsensePanicsAtOnceAndShowsAGoodCall(t *testing.T) {
	limiter := aforo.Must(aforo.PerMinute(1))
	mustPanic(t, "limiter is nil", func() { httplimit.Middleware(nil, httplimit.PeerIP) })
	mustPanic(t, "key function is nil", func() { httplimit.Middleware(limiter, nil) })
	mustPanic(t, "handler is nil", func() { httplimit.Middleware(limiter, httplimit.PeerIP)(nil) })
	mustPanic(t, "dialect is nil", func() { httplimit.WithDialects(httplimit.IETF, nil) })
	mustPanic(t, "WithCost", func() { httplimit.WithCost(nil) })
	mustPanic(t, "WithRefused", func() { httplimit.WithRefused(nil) })
	mustPanic(t, "WithError", func() { httplimit.WithError(nil) })
	mustPanic(t, "Refuse", func() { httplimit.Refuse("") })
	for _, name := range []string{"", "X Api Key", "X-Key:", "Clé", "a\nb"} {
		mustPanic(t, "not the name of a header field", func() { httplimit.Header(name) })
	}
	httplimit.Middleware(limiter, httplimit.PeerIP, nil)(ok)
}

func TestHandlersOfOneLimiterShareItsState(t *testing.T) {
	limit := httplimit.Middleware(newLimiter(t, "3/m", newClock()), httplimit.PeerIP)
	a, b := limit(ok), limit(ok)
	for i, want := range []int{204, 204, 204, 429, 429} {
		if got := ask([]http.Handler{a, b}[i%2]).Code; got != want {
			t.Errorf("request %d: status %d, want %d", i, got, want)
		}
	}
}

func TestConcurrentRequestsOfOneKeyAdmitExactlyTheLimit(t *testing.T) {
	var admitted atomic.Int64
	h := httplimit.Middleware(newLimiter(t, "37/m", newClock()), httplimit.PeerIP)(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { admitted.Add(1) }))
	var wg sync.WaitGroup
	var passed atomic.Int64
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				if ask(h).Code == http.StatusOK {
					passed.Add(1)
				}
			}
		}()
	}
	wg.Wait()
	if admitted.Load() != 37 || passed.Load() != 37 {
		t.Errorf("handler ran %d times, %d responses of 200; want 37 of both", admitted.Load(), passed.Load())
	}
}

func TestUnlimitedRequestsCarryNoFields(t *testing.T) {
	limiter, err := aforo.New("unlimited")
	if err != nil {
		t.Fatal(err)
	}
	w := ask(httplimit.Middleware(limiter, httplimit.PeerIP)(ok))
	if w.Code != 204 || len(w.Header()) != 0 {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
}

func TestTheHandlersOwnErrorKeepsTheFields(t *testing.T) {
	h := httplimit.Middleware(newLimiter(t, "9/m", newClock()), httplimit.PeerIP)(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusTeapot) }))
	w := ask(h)
	if w.Code != http.StatusTeapot || w.Header().Get("X-RateLimit-Remaining") != "8" || w.Header().Get("RateLimit") == "" {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
}

func TestCost(t *testing.T) {
	cost := int64(4)
	h := httplimit.Middleware(newLimiter(t, "10/m", newClock()), httplimit.PeerIP,
		httplimit.WithCost(func(*http.Request) int64 { return cost }))(ok)
	for i, want := range []struct {
		cost      int64
		status    int
		remaining string
	}{
		{4, 204, "6"}, {0, 204, "6"}, {7, 429, "6"}, {6, 204, "0"}, {1, 429, "0"}, {0, 204, "0"}, {-1, 503, ""},
	} {
		cost = want.cost
		w := ask(h)
		if got := w.Header().Get("X-RateLimit-Remaining"); w.Code != want.status || got != want.remaining {
			t.Errorf("request %d of cost %d: status %d with %q remaining, want %d with %q", i, cost, w.Code, got, want.status, want.remaining)
		}
	}
}

// A brokenStore decides nothing.
type brokenStore struct{ err error }

func (s brokenStore) Do(context.Context, aforo.Call, []aforo.Verdict) error { return s.err }

func TestWithoutADecisionTheAnswerIs503AndTellsNothing(t *testing.T) {
	limiter := aforo.Must(aforo.PerMinute(1), aforo.WithStore(brokenStore{errors.New("dial tcp 10.0.0.7: secret")}))
	w := ask(httplimit.Middleware(limiter, httplimit.PeerIP)(ok))
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("body is %s", w.Body)
	}
	want := http.Header{
		"Cache-Control": {"no-store"}, "Content-Type": {"application/problem+json"},
		"Content-Length": w.Header()["Content-Length"], "X-Content-Type-Options": {"nosniff"},
	}
	if !reflect.DeepEqual(w.Header(), want) {
		t.Errorf("header is %v, want %v", w.Header(), want)
	}
	if p := readProblem(t, w); w.Code != 503 || p.Status != 503 || p.Type != "about:blank" || p.Title != "Service Unavailable" {
		t.Errorf("status %d, problem %+v", w.Code, p)
	}
}

func TestWithErrorPassesOrAnswers(t *testing.T) {
	limiter := aforo.Must(aforo.PerMinute(1), aforo.WithStore(brokenStore{errors.New("down")}))
	var seen error
	pass := true
	h := httplimit.Middleware(limiter, httplimit.PeerIP, httplimit.WithError(
		func(w http.ResponseWriter, r *http.Request, err error) bool {
			seen = err
			if !pass {
				w.WriteHeader(http.StatusBadGateway)
			}
			return pass
		}))(ok)
	if w := ask(h); w.Code != 204 || seen == nil || len(w.Header()) != 0 {
		t.Errorf("passing: status %d, header %v, error %v", w.Code, w.Header(), seen)
	}
	pass = false
	if w := ask(h); w.Code != 502 {
		t.Errorf("answering: status %d", w.Code)
	}
}

func TestANegativeCostIsAnError(t *testing.T) {
	var costError *aforo.CostError
	h := httplimit.Middleware(newLimiter(t, "1/m", newClock()), httplimit.PeerIP,
		httplimit.WithCost(func(*http.Request) int64 { return -7 }),
		httplimit.WithError(func(w http.ResponseWriter, r *http.Request, err error) bool { return errors.As(err, &costError) }))(ok)
	if w := ask(h); w.Code != 204 || costError == nil || costError.Cost != -7 {
		t.Errorf("status %d, error %v", w.Code, costError)
	}
}

func TestARequestWhoseContextHasEndedIsNotServed(t *testing.T) {
	h := httplimit.Middleware(newLimiter(t, "1/m", newClock()), httplimit.PeerIP, httplimit.WithError(
		func(http.ResponseWriter, *http.Request, error) bool { t.Error("the hook was called"); return true }))(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := do(h, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if w.Code != 503 || w.Body.Len() != 0 || w.Header().Get("X-RateLimit-Limit") != "" {
		t.Errorf("status %d, header %v, body %q", w.Code, w.Header(), w.Body)
	}
}
