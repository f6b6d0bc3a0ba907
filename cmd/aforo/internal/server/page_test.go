package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

// local asks as this machine does.
func local(s *Server, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr, r.Host = "127.0.0.1:4242", "localhost:8080"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if r.Header.Get("Host") != "" {
		r.Host = r.Header.Get("Host")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func withOptions(t testing.TB, options ...Option) *Server {
	t.Helper()
	c, err := config.Parse("test", []byte(testConfig+"  keyed: {key: header X-Api-Key, limit: 2/15m}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c.Policies, slog.New(slog.DiscardHandler), options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSimulateDoor(t *testing.T) {
	s := withOptions(t)
	w := do(s, "POST", "/v1/simulate", simulate.GoodRequest)
	var result simulate.Result
	if err := json.Unmarshal(w.Body.Bytes(), &result); err != nil || w.Code != 200 || len(result.Lanes) != 5 {
		t.Errorf("%d %v %.200s", w.Code, err, w.Body)
	}
	for body, want := range map[string]int{
		`{`: 400, `{"limit":"5/s"}`: 400, strings.Repeat(" ", simulate.MaxBody+1): 413,
		`{"limit":"5/s","traffic":"poisson 1000/s for 1m"}`:                             413,
		`{"limit":"1/m","traffic":"retry storm clients 1000 ignore retry 1ms for 10s"}`: 413,
	} {
		w := do(s, "POST", "/v1/simulate", body)
		var p api.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != want || w.Header().Get("Content-Type") != api.ProblemType || p.Detail == "" || p.Example == "" {
			t.Errorf("%.60s: %d %v %s", body, w.Code, err, w.Body)
		}
	}
	if w := do(s, "GET", "/v1/simulate", ""); w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", w.Code)
	}
}

// TestSimulationsTakeTurns: while as many are played as may be, others wait, and
// are told so when they have waited long enough; decisions go on meanwhile.
func TestSimulationsTakeTurns(t *testing.T) {
	s := withOptions(t)
	for range simulateAtOnce {
		s.simulating <- struct{}{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for path, body := range map[string]string{"/v1/simulate": simulate.GoodRequest, "/v1/arrivals": goodLog} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", path, strings.NewReader(body)))
		if w.Code != 503 || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "others are being played") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if a, _ := ask(t, s, api.GoodRequest); !a.Allowed {
		t.Error("decisions wait for simulations")
	}
	<-s.simulating
	if w := do(s, "POST", "/v1/simulate", simulate.GoodRequest); w.Code != 200 {
		t.Errorf("with a place: %d", w.Code)
	}
}

// stuck is a client that asks, and does not read what it is answered until it
// is let go.
type stuck struct {
	*httptest.ResponseRecorder
	began, read chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	s.began <- struct{}{}
	<-s.read
	return s.ResponseRecorder.Write(b)
}

// TestSlowReadersTakeNoTurns: who does not read an answer keeps nobody from being
// answered, and there are only so many answers that nobody reads.
func TestSlowReadersTakeNoTurns(t *testing.T) {
	s := withOptions(t)
	began, read := make(chan struct{}), make(chan struct{})
	var done sync.WaitGroup
	for i := range answerAtOnce {
		path, body := "/v1/simulate", simulate.GoodRequest
		if i%2 == 1 {
			path, body = "/v1/arrivals", goodLog
		}
		if w := do(s, "POST", path, body); w.Code != 200 {
			t.Fatalf("beside %d slow readers: %d %s", i, w.Code, w.Body)
		}
		done.Go(func() {
			s.ServeHTTP(stuck{httptest.NewRecorder(), began, read}, httptest.NewRequest("POST", path, strings.NewReader(body)))
		})
		<-began
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/v1/simulate", strings.NewReader(simulate.GoodRequest))); w.Code != 503 {
		t.Errorf("one more: %d", w.Code)
	}
	close(read)
	done.Wait()
	if w := do(s, "POST", "/v1/simulate", simulate.GoodRequest); w.Code != 200 || len(s.answering) != 0 || len(s.simulating) != 0 {
		t.Errorf("afterwards: %d, %d and %d places are taken", w.Code, len(s.answering), len(s.simulating))
	}
}

func TestLogsBecomeArrivals(t *testing.T) {
	s := withOptions(t)
	log := `192.0.2.2 - - [17/May/2026:10:05:04 +0000] "GET /b HTTP/1.1" 200 512
nobody knows
192.0.2.1 - - [17/May/2026:10:05:03 +0000] "GET /a?secret=1 HTTP/1.1" 200 512
`
	w := do(s, "POST", "/v1/arrivals", log)
	want := `{"arrivals":[{"t_us":1779012303000000,"key":"192.0.2.1"},{"t_us":1779012304000000,"key":"192.0.2.2"}],"requests":2,"bad_lines":1,"first_bad":[{"line":2,"reason":"`
	if w.Code != 200 || !strings.HasPrefix(w.Body.String(), want) || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for body, want := range map[string]string{
		"":                               "the log is empty",
		"\x1f\x8b\x08":                   "a compressed log is to be decompressed first",
		"\x28\xb5\x2f\xfd....":           "a compressed log is to be decompressed first",
		"MZ\x00\x00":                     "this is no text",
		"junk\nmore junk":                "no line of 2 is a request of an access log; line 1: ",
		strings.Repeat("x", MaxLog+1):    "the body has more than 16777216 bytes",
		strings.Repeat("junk\n", 100_00): "no line of 10000 is a request",
	} {
		w := do(s, "POST", "/v1/arrivals", body)
		if w.Code != 400 && w.Code != 413 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.20q: %d %s", body, w.Code, w.Body)
		}
	}
	var many strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&many, "192.0.2.1 - - [17/May/2026:%02d:%02d:%02d +0000] \"GET / HTTP/1.1\" 200 5\n", 23-i/3600%24, 59-i/60%60, 59-i%60)
	}
	var found readLog
	if err := json.Unmarshal(do(s, "POST", "/v1/arrivals", many.String()).Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	first, last := found.Arrivals[0].At, found.Arrivals[len(found.Arrivals)-1].At
	if found.Requests != 30_000 || len(found.Arrivals) != simulate.MaxArrivals || last-first != (simulate.MaxArrivals-1)*1e6 {
		t.Errorf("%d requests, %d arrivals over %d us", found.Requests, len(found.Arrivals), last-first)
	}
}

// TestWhoMayWatch: this machine by its own names, its own page, and no proxy.
func TestWhoMayWatch(t *testing.T) {
	for _, tt := range []struct {
		from    Watching
		remote  string
		host    string
		header  []string
		allowed bool
	}{
		{FromLoopback, "127.0.0.1:1", "localhost:8080", nil, true},
		{FromLoopback, "127.0.0.1:1", "LOCALHOST", nil, true},
		{FromLoopback, "[::1]:1", "[::1]:8080", nil, true},
		{FromLoopback, "127.0.0.1:1", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "same-origin"}, true},
		{FromLoopback, "127.0.0.1:1", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "none"}, true},
		{FromLoopback, "127.0.0.1:1", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{FromLoopback, "127.0.0.1:1", "127.0.0.1:8080", []string{"Sec-Fetch-Site", "same-site"}, false},
		{FromLoopback, "192.0.2.7:1", "localhost:8080", nil, false},
		{FromLoopback, "127.0.0.1:1", "evil.example:8080", nil, false},
		{FromLoopback, "127.0.0.1:1", "localhost.evil.example", nil, false},
		{FromLoopback, "127.0.0.1:1", "", nil, false},
		{FromLoopback, "127.0.0.1:1", "localhost", []string{"X-Forwarded-For", "192.0.2.7"}, false},
		{FromLoopback, "127.0.0.1:1", "localhost", []string{"Forwarded", "for=192.0.2.7"}, false},
		{FromAnywhere, "192.0.2.7:1", "limits.example", nil, true},
		{FromAnywhere, "192.0.2.7:1", "limits.example", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{FromNowhere, "127.0.0.1:1", "localhost", nil, false},
	} {
		s := withOptions(t, WithWatching(tt.from))
		for _, path := range []string{"GET /v1/policies", "HEAD /v1/events", "POST /v1/reset"} {
			method, at, _ := strings.Cut(path, " ")
			r := httptest.NewRequest(method, at, nil)
			r.RemoteAddr, r.Host = tt.remote, tt.host
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Set(tt.header[i], tt.header[i+1])
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if (w.Code != 403) != tt.allowed {
				t.Errorf("%+v: %s: %d %s", tt, path, w.Code, w.Body)
			}
		}
	}
}

func TestPoliciesInWords(t *testing.T) {
	w := local(withOptions(t), "GET", "/v1/policies", "")
	for _, want := range []string{
		`{"name":"login","limits":[{"limit":"sliding_window_log 5/15m","algorithm":"sliding_window_log","rate":5,"period_us":900000000,"capacity":5,"words":"at most 5 in any 15 minutes"}]}`,
		`{"name":"keyed","key":"header X-Api-Key",`, `"words":"no limit: everything passes"`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s is missing: %s", want, w.Body)
		}
	}
}

func TestResetTakesTheToken(t *testing.T) {
	s := withOptions(t, WithToken("a token of ours!"))
	use := func() api.Answer { a, _ := ask(t, s, `{"policy":"two","key":"k"}`); return a }
	for range 3 {
		use()
	}
	body := `{"policy":"two","key":"k"}`
	for _, header := range []string{"", "Bearer ", "Bearer a token of our", "Basic a token of ours!", "a token of ours!"} {
		w := local(s, "POST", "/v1/reset", body, "Authorization", header)
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") != "Bearer" || strings.Contains(w.Body.String(), "a token of ours!") {
			t.Errorf("%q: %d %s", header, w.Code, w.Body)
		}
	}
	if use().Allowed {
		t.Error("it was reset without the token")
	}
	if w := local(s, "POST", "/v1/reset", body, "Authorization", "Bearer a token of ours!"); w.Code != 200 || w.Body.String() != "{\"reset\":true}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if near := s.watch.Snapshot().Near; len(near) != 0 {
		t.Errorf("after the reset, near their limit: %+v", near)
	}
	if a := use(); !a.Allowed || *a.Remaining != 1 {
		t.Errorf("after the reset: %+v", a)
	}
	for bad, want := range map[string]int{`{"policy":"none","key":"k"}`: 404, `{"policy":"two"}`: 400, `{"limit":"x","key":"k"}`: 400, `{"limit":"2/15m","key":"k"}`: 200} {
		if w := local(s, "POST", "/v1/reset", bad, "Authorization", "Bearer a token of ours!"); w.Code != want {
			t.Errorf("%s: %d %s", bad, w.Code, w.Body)
		}
	}
	if a, b := withOptions(t).Token(), withOptions(t).Token(); a == b || len(a) < 26 {
		t.Errorf("tokens %q and %q", a, b)
	}
}

// TestWhatIsDecidedIsSeen: counted by policy and outcome, without secrets; a
// look is none.
func TestWhatIsDecidedIsSeen(t *testing.T) {
	s := withOptions(t)
	for range 3 {
		ask(t, s, `{"policy":"keyed","key":"hunter2"}`)
		ask(t, s, `{"policy":"two","key":"user:42"}`)
	}
	ask(t, s, `{"limit":"0/m","key":"adhoc-key"}`)
	ask(t, s, `{"policy":"two","key":"user:42","cost":0}`)
	text, err := json.Marshal(s.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Policies []struct {
			Name    string
			Allowed int64 `json:"allowed_total"`
			Refused int64 `json:"refused_total"`
		}
		Top   []struct{ Policy, Key string }
		Store Health
	}
	policies := bytes.ReplaceAll(text, []byte(`"allowed":[`), []byte(`"a":[`))
	policies = bytes.ReplaceAll(policies, []byte(`"refused":[`), []byte(`"r":[`))
	if err := json.Unmarshal(policies, &seen); err != nil {
		t.Fatal(err)
	}
	for _, p := range seen.Policies {
		switch p.Name {
		case "keyed", "two":
			if p.Allowed != 2 || p.Refused != 1 {
				t.Errorf("%+v", p)
			}
		case "":
			if p.Allowed != 0 || p.Refused != 1 {
				t.Errorf("%+v", p)
			}
		}
	}
	if strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), `"key":"user:42"`) || len(seen.Top) != 3 {
		t.Errorf("%s", text)
	}
	if seen.Store.Kind != "memory" || *seen.Store.Keys != 2 || !seen.Store.OK {
		t.Errorf("%+v", seen.Store)
	}
}
