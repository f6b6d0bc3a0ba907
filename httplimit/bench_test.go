package httplimit_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// A discard is a ResponseWriter that is used again and again.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// once is a function that serves a request behind a limit.
func once(limit aforo.Limit, options ...httplimit.Option) func() {
	h := httplimit.Middleware(aforo.Must(limit), httplimit.PeerIP, options...)(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w, r := discard{make(http.Header)}, httptest.NewRequest("GET", "/", nil)
	return func() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}

func TestAnAllowedRequestAllocatesLittle(t *testing.T) {
	// The key, the limiter's answer in two parts, and for each of the two
	// dialects its text and its values.
	const most = 7
	if got := testing.AllocsPerRun(1000, once(aforo.PerSecond(1_000_000))); got > most {
		t.Errorf("%v allocations, want at most %d", got, most)
	}
}

func BenchmarkAllowed(b *testing.B) { benchmark(b, once(aforo.PerSecond(1_000_000_000))) }

func BenchmarkAllowedWithoutDialects(b *testing.B) {
	benchmark(b, once(aforo.PerSecond(1_000_000_000), httplimit.WithDialects()))
}

func BenchmarkRefused(b *testing.B) { benchmark(b, once(aforo.PerDay(0))) }

func benchmark(b *testing.B, serve func()) {
	b.ReportAllocs()
	for range b.N {
		serve()
	}
}
