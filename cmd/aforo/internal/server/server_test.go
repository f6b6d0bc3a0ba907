package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/httplimit"
)

const testConfig = `policies:
  login: {limit: sliding_window_log 5/15m}
  export: {limits: [leaky_bucket 2/h burst 3, 500/day]}
  ban: {limit: 0/m}
  once: {limit: 0/s burst 1}
  free: {limit: unlimited}
  two: {limit: fixed_window 2/15m}
`

func newServer(t testing.TB, log io.Writer) *Server {
	t.Helper()
	c, err := config.Parse("test", []byte(testConfig))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c.Policies, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func do(s *Server, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func ask(t testing.TB, s *Server, body string) (api.Answer, *httptest.ResponseRecorder) {
	t.Helper()
	w := do(s, "POST", "/v1/check", body)
	var a api.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %d %v %s", body, w.Code, w.Header(), w.Body)
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s: Cache-Control %q", body, w.Header().Get("Cache-Control"))
	}
	if (w.Code == 200) != a.Allowed || w.Code != 200 && w.Code != 429 {
		t.Errorf("%s: status %d of allowed %v", body, w.Code, a.Allowed)
	}
	return a, w
}

func TestCheckCountsDown(t *testing.T) {
	s := newServer(t, io.Discard)
	for i := range int64(7) {
		a, w := ask(t, s, `{"policy":"login","key":"user:42"}`)
		if a.Allowed != (i < 5) || *a.Remaining != max(0, 4-i) || *a.Capacity != 5 {
			t.Errorf("request %d: %s", i, w.Body)
		}
		if a.Policy != "login" || a.Limit != "sliding_window_log 5/15m" || a.Limits != nil {
			t.Errorf("request %d: %s", i, w.Body)
		}
	}
	if a, w := ask(t, s, `{"policy":"login","key":"user:43"}`); !a.Allowed {
		t.Errorf("another key: %s", w.Body)
	}
}

// The shape of the answers, to the letter: clients in other languages read it.
func TestShape(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, tt := range []struct{ body, want string }{
		{`{"policy":"login","key":"a"}`,
			`{"allowed":true,"limit":"sliding_window_log 5/15m","capacity":5,"remaining":4,"retry_after_ms":0,"reset_after_ms":900000,"delay_ms":0,"policy":"login"}`},
		{`{"policy":"login","key":"a","cost":6}`,
			`{"allowed":false,"never":true,"limit":"sliding_window_log 5/15m","capacity":5,"remaining":4,"retry_after_ms":null,"reset_after_ms":N,"delay_ms":0,"policy":"login"}`},
		{`{"policy":"ban","key":"a"}`,
			`{"allowed":false,"never":true,"limit":"0/m","capacity":0,"remaining":0,"retry_after_ms":null,"reset_after_ms":0,"delay_ms":0,"policy":"ban"}`},
		{`{"policy":"once","key":"a"}`,
			`{"allowed":true,"limit":"0/s burst 1","capacity":1,"remaining":0,"retry_after_ms":0,"reset_after_ms":null,"delay_ms":0,"policy":"once"}`},
		{`{"policy":"free","key":"a","cost":1000}`,
			`{"allowed":true,"limit":"unlimited","capacity":null,"remaining":null,"retry_after_ms":0,"reset_after_ms":0,"delay_ms":0,"policy":"free"}`},
		{`{"policy":"export","key":"a"}`,
			`{"allowed":true,"limit":"leaky_bucket 2/h burst 3","capacity":3,"remaining":2,"retry_after_ms":0,"reset_after_ms":1800000,"delay_ms":0,"policy":"export",` +
				`"limits":[{"allowed":true,"limit":"leaky_bucket 2/h burst 3","capacity":3,"remaining":2,"retry_after_ms":0,"reset_after_ms":1800000,"delay_ms":0},` +
				`{"allowed":true,"limit":"500/d","capacity":500,"remaining":499,"retry_after_ms":0,"reset_after_ms":172800,"delay_ms":0}]}`},
		{`{"limit":"5/1m","key":"a"}`,
			`{"allowed":true,"limit":"5/m","capacity":5,"remaining":4,"retry_after_ms":0,"reset_after_ms":12000,"delay_ms":0}`},
	} {
		got := do(s, "POST", "/v1/check", tt.body).Body.String()
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(tt.want), "N", "[0-9]+") + "\n$"
		if !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s:\ngot  %swant %s", tt.body, got, tt.want)
		}
	}
}

// The header fields are those that httplimit writes, of allowed and of refused
// requests alike.
func TestHeadersAreThoseOfTheMiddleware(t *testing.T) {
	for _, limits := range []string{"2/15m", "3/h burst 2, 1000/d", "0/s burst 1", "leaky_bucket 1/h burst 2", "0/m", "unlimited", "fixed_window 2/1000w"} {
		s := newServer(t, io.Discard)
		key := func(*http.Request) (string, bool) { return "k", true }
		limiter, err := aforo.New(limits)
		if err != nil {
			t.Fatal(err)
		}
		other := httplimit.Middleware(limiter, key)(http.NotFoundHandler())
		for i := range 4 {
			_, got := ask(t, s, fmt.Sprintf(`{"limit":%q,"key":"k"}`, limits))
			want := httptest.NewRecorder()
			other.ServeHTTP(want, httptest.NewRequest("GET", "/", nil))
			for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit-Policy", "Ratelimit", "Retry-After"} {
				if strings.Contains(name, "Reset") || name == "Ratelimit" || name == "Retry-After" {
					if (got.Header().Get(name) == "") == (want.Header().Get(name) == "") {
						continue // the seconds may differ, the presence not
					}
				}
				if g, w := got.Header().Get(name), want.Header().Get(name); g != w {
					t.Errorf("%s, request %d: %s is %q, in the middleware %q", limits, i, name, g, w)
				}
			}
		}
	}
}

// One unit for each field, the same in header and body.
func TestUnits(t *testing.T) {
	s := newServer(t, io.Discard)
	var a api.Answer
	var w *httptest.ResponseRecorder
	for range 3 {
		a, w = ask(t, s, `{"limit":"sliding_window_log 2/15m","key":"k"}`)
	}
	if got := w.Header().Get("Retry-After"); got != "900" {
		t.Errorf("Retry-After %q, want 900", got)
	}
	if ms := *a.RetryAfter; ms <= 899_000 || ms > 900_000 {
		t.Errorf("retry_after_ms %d, want just below 900000", ms)
	}
	if *a.ResetAfter < *a.RetryAfter || *a.ResetAfter > 900_000 {
		t.Errorf("reset_after_ms %d", *a.ResetAfter)
	}
	if w := do(s, "POST", "/v1/check", `{"policy":"login","key":"k","cost":6}`); w.Header().Get("Retry-After") != "" {
		t.Errorf("Retry-After %q of what never fits", w.Header().Get("Retry-After"))
	}
}

// Two limits are one if they mean the same, whoever writes them; but no
// policy is ever one of them.
func TestLimitsThatRequestsBring(t *testing.T) {
	s := newServer(t, io.Discard)
	for i, body := range []string{
		`{"limit":"fixed_window 2/1000w, 5/m","key":"k"}`,
		`{"limit":" 5/minute,fixed_window   2/7000d","key":"k"}`,
	} {
		if a, _ := ask(t, s, body); *a.Remaining != int64(1-i) {
			t.Errorf("%s: remaining %d", body, *a.Remaining)
		}
	}
	if a, _ := ask(t, s, `{"limit":"fixed_window 2/1000w","key":"k"}`); *a.Remaining != 1 {
		t.Errorf("one of two limits alone: remaining %d", *a.Remaining)
	}
	ask(t, s, `{"policy":"two","key":"k"}`)
	if a, _ := ask(t, s, `{"limit":"fixed_window 2/15m","key":"k"}`); *a.Remaining != 1 {
		t.Errorf("the limit of a policy: remaining %d", *a.Remaining)
	}
}

// However many limits requests bring, none is forgotten.
func TestManyLimits(t *testing.T) {
	s := newServer(t, io.Discard)
	ask(t, s, `{"limit":"fixed_window 1/1000w","key":"k"}`)
	for i := range 5000 {
		ask(t, s, fmt.Sprintf(`{"limit":"%d/d","key":"k"}`, i+1))
	}
	if a, _ := ask(t, s, `{"limit":"fixed_window 1/1000w","key":"k"}`); a.Allowed {
		t.Error("forgotten")
	}
}

// Keys are bytes: whatever JSON can say, and no two of them the same.
func TestKeys(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, key := range []string{`a b`, `a\tb`, `a\nb`, ``, ` `, `é`, `e\u0301`, `𝟙`, `\u200f`, `\u0000`, `\u0000\u0000`, `2001:db8::1`, strings.Repeat("k", 60_000)} {
		a, w := ask(t, s, `{"limit":"fixed_window 2/1000w","key":"`+key+`"}`)
		if !a.Allowed || *a.Remaining != 1 {
			t.Errorf("key %.20q: %s", key, w.Body)
		}
	}
}

func TestProblems(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"POST", "/v1/check", ``, 400, []string{"empty"}},
		{"POST", "/v1/check", `{"policy":"login","key":"k","cost":-1}`, 400, []string{`"field":"cost"`, `"value":"-1"`, `"example":"{`}},
		{"POST", "/v1/check", `{"limit":"5/xm","key":"k"}`, 400, []string{`"field":"limit"`, `"value":"\"5/xm\""`, `"example":"100/15m"`}},
		{"POST", "/v1/check", `{"limit":"-1","key":"k"}`, 400, []string{`write unlimited`}},
		{"POST", "/v1/check", `{"limit":"","key":"k"}`, 400, []string{`"field":"limit"`, "100/minute burst 20"}},
		{"POST", "/v1/check", `{"limit":"5/m, 5/m","key":"k"}`, 400, []string{`twice`}},
		{"POST", "/v1/check", `{"policy":"nobody","key":"k"}`, 404, []string{`"field":"policy"`, "nobody", "login, export, ban", `"policies":["login",`}},
		{"POST", "/v1/check", `{"policy":"login","key":"` + strings.Repeat("k", MaxBody) + `"}`, 413, []string{"65536"}},
		{"GET", "/v1/check", ``, 405, []string{"takes POST and not GET"}},
		{"PUT", "/healthz", ``, 405, []string{"takes GET and not PUT"}},
		{"GET", "/nothing", ``, 404, []string{"POST /v1/check", "GET /healthz"}},
		{"POST", "/v1/check/", `{}`, 404, []string{`"doors":["POST /v1/check","POST /v1/simulate",`}},
		{"GET", "/" + strings.Repeat("x", 5000), ``, 404, []string{"..."}},
	} {
		w := do(s, tt.method, tt.path, tt.body)
		name := fmt.Sprintf("%s %.20s %.60s", tt.method, tt.path, tt.body)
		var p api.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != api.ProblemType {
			t.Errorf("%s: %v %s", name, err, w.Body)
		}
		if w.Code != tt.status || p.Status != tt.status || p.Title == "" || p.Type == "" || p.Detail == "" {
			t.Errorf("%s: status %d, %+v", name, w.Code, p)
		}
		for _, want := range tt.want {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %q is missing: %s", name, want, w.Body)
			}
		}
		if w.Code == 405 != (w.Header().Get("Allow") != "") || w.Body.Len() > 2000 {
			t.Errorf("%s: Allow %q, %d bytes", name, w.Header().Get("Allow"), w.Body.Len())
		}
		for field := range w.Header() {
			if strings.Contains(strings.ToLower(field), "ratelimit") {
				t.Errorf("%s: %s on what is no decision", name, field)
			}
		}
	}
}

func TestHealth(t *testing.T) {
	s := newServer(t, io.Discard)
	if w := do(s, "GET", "/healthz", ""); w.Code != 200 || w.Body.String() != "{\"status\":\"ok\"}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "HEAD", "/healthz", ""); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}
}

// Many at once admit exactly the limit.
func TestConcurrency(t *testing.T) {
	web := httptest.NewServer(newServer(t, io.Discard))
	defer web.Close()
	for _, body := range []string{
		`{"policy":"login","key":"k"}`,
		`{"limit":"fixed_window 5/1000w, 100/d","key":"k"}`,
	} {
		var allowed, refused atomic.Int64
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for range 10 {
					response, err := http.Post(web.URL+"/v1/check", "application/json", strings.NewReader(body))
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
					switch response.StatusCode {
					case 200:
						allowed.Add(1)
					case 429:
						refused.Add(1)
					}
				}
			})
		}
		group.Wait()
		if allowed.Load() != 5 || refused.Load() != 155 {
			t.Errorf("%s: %d allowed and %d refused of 160, want 5 and 155", body, allowed.Load(), refused.Load())
		}
	}
}

// A failure to decide is a 503, and the log has the reason but no key.
func TestNothingLogsKeys(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &log)
	for _, body := range []string{`{"policy":"login","key":"secret"}`, `{"policy":"x","key":"secret"}`, `{"policy":"login","key":["secret"]}`} {
		do(s, "POST", "/v1/check", body)
	}
	w := httptest.NewRecorder()
	s.failed(w, httptest.NewRequest("POST", "/v1/check", nil), fmt.Errorf("a reason"))
	if w.Code != 503 || strings.Contains(w.Body.String(), "a reason") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "a reason") {
		t.Errorf("log: %s", &log)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(api.GoodRequest)
	f.Add(`{"limit":"10/s burst 20, 1000/h","key":"k","cost":9007199254740991}`)
	f.Add(`{"limit":"sliding_window_counter 60/1m30s","key":"\ud83d\ude00","cost":0}`)
	f.Add(`{"policy":"nobody","key":null}`)
	s := newServer(f, io.Discard)
	f.Fuzz(func(t *testing.T, body string) {
		w := do(s, "POST", "/v1/check", body)
		switch w.Code {
		case 200, 400, 404, 413, 429:
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("not JSON: %s", w.Body)
		}
		if after := w.Header().Get("Retry-After"); after != "" && !regexp.MustCompile(`^[1-9][0-9]*$`).MatchString(after) {
			t.Errorf("Retry-After %q", after)
		}
	})
}
