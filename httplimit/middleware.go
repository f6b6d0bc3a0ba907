package httplimit

import (
	"net/http"

	"github.com/aforo-dev/aforo"
)

// Middleware wraps handlers so that each request is first decided by the
// limiter, under the key that the key function gives it. Handlers that are
// wrapped with the same limiter share its state; so use one limiter with one
// key function only, or the address of one client may be the name of another.
//
// An allowed request goes on to the handler, with the header fields of the
// dialects already set on its response. A refused one is answered with 429
// Too Many Requests (RFC 6585, section 4). If no decision can be made, WithError
// says what happens. A request that no limit applies to goes on as it came.
//
// Middlewares may be nested. Then the fields of the IETF dialect list the
// limits of all, and the X-RateLimit fields are those of the innermost that was
// reached.
//
// It panics if the limiter or the key function is nil, and what it returns
// panics if the handler is nil: when all is put together, never while serving.
func Middleware(limiter *aforo.Limiter, key KeyFunc, options ...Option) func(http.Handler) http.Handler {
	const good = "; for example: httplimit.Middleware(aforo.Must(aforo.PerMinute(100)), httplimit.PeerIP)(mux)"
	if limiter == nil {
		panic("httplimit: Middleware: the limiter is nil" + good)
	}
	if key == nil {
		panic("httplimit: Middleware: the key function is nil" + good)
	}
	m := &middleware{limiter: limiter, key: key, dialects: []Dialect{XRateLimit, IETF}}
	for _, option := range options {
		if option != nil {
			option(m)
		}
	}
	return func(next http.Handler) http.Handler {
		if next == nil {
			panic("httplimit: Middleware: the handler is nil" + good)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m.admit(w, r) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// middleware is what Middleware was told. It does not change while serving.
type middleware struct {
	limiter  *aforo.Limiter
	key      KeyFunc
	missing  Missing
	cost     func(*http.Request) int64 // nil: each request costs 1
	dialects []Dialect
	refused  func(http.ResponseWriter, *http.Request, aforo.Decision) // nil: a 429 of our own
	failed   func(http.ResponseWriter, *http.Request, error) bool     // nil: a 503
}

// admit tells whether the request goes on to the handler. If not, it has been
// answered.
func (m *middleware) admit(w http.ResponseWriter, r *http.Request) bool {
	key, ok := m.key(r)
	switch {
	case ok:
		key = apart(key)
	case m.missing.kind == skip:
		return true
	case m.missing.kind == refuse:
		missingProblem(m.missing.what).answer(w, r)
		return false
	default:
		key = m.missing.key(r)
	}
	cost := int64(1)
	if m.cost != nil {
		cost = m.cost(r)
	}
	each := make([]aforo.Decision, 0, m.limiter.Limits().Len())
	d, each, err := m.limiter.AllowEach(r.Context(), key, cost, each)
	switch {
	case err != nil:
		return m.fail(w, r, err)
	case d.Unlimited:
		return true
	}
	for _, dialect := range m.dialects {
		dialect(w.Header(), d, each)
	}
	if !d.Allowed {
		m.refuse(w, r, d, each, cost)
	}
	return d.Allowed
}

// refuse answers a request that a limit refused.
func (m *middleware) refuse(w http.ResponseWriter, r *http.Request, d aforo.Decision, each []aforo.Decision, cost int64) {
	RetryAfter(w.Header(), d, each)
	if m.refused == nil {
		refusedProblem(d, each, cost).answer(w, r)
		return
	}
	m.refused(w, r, d)
}

// fail deals with a request for which no decision could be made.
func (m *middleware) fail(w http.ResponseWriter, r *http.Request, err error) (pass bool) {
	switch {
	case r.Context().Err() != nil:
		// Nobody reads a body any more. The status is for who still might:
		// without it a deadline set on the server would end in an empty 200.
		setNoStore(w.Header())
		w.WriteHeader(http.StatusServiceUnavailable)
	case m.failed != nil:
		return m.failed(w, r, err)
	default:
		failedProblem().answer(w, r)
	}
	return false
}
