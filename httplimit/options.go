package httplimit

import (
	"net/http"
	"slices"

	"github.com/aforo-dev/aforo"
)

// An Option changes what Middleware makes. Options that are given nonsense
// panic when they are made, never while serving.
type Option func(*middleware)

// WithMissing says what becomes of a request that has no key. Default:
// FallBack().
func WithMissing(missing Missing) Option {
	return func(m *middleware) { m.missing = missing }
}

// WithDialects sets in which header fields clients are told where they stand;
// with no dialects, in none. Retry-After does not depend on it. Default:
// XRateLimit and IETF.
func WithDialects(dialects ...Dialect) Option {
	for _, dialect := range dialects {
		if dialect == nil {
			panic("httplimit: WithDialects: a dialect is nil; for example: httplimit.WithDialects(httplimit.IETF)")
		}
	}
	dialects = slices.Clone(dialects)
	return func(m *middleware) { m.dialects = dialects }
}

// WithCost sets how many units a request costs. A cost of 0 is always allowed
// unless the key is in debt, and only tells the client where it stands; a
// negative one is an error, for WithError. Default: 1 unit each.
func WithCost(cost func(r *http.Request) int64) Option {
	if cost == nil {
		panic("httplimit: WithCost: the function is nil; for example: func(*http.Request) int64 { return 1 }")
	}
	return func(m *middleware) { m.cost = cost }
}

// WithRefused answers refused requests in another way. The function is called
// with all header fields set that do not depend on the body: those of the
// dialects, Retry-After and Cache-Control. It must write a status, usually 429;
// if it writes nothing at all, net/http makes it a 200. Default: 429 with
// problem details or plain text.
func WithRefused(answer func(w http.ResponseWriter, r *http.Request, d aforo.Decision)) Option {
	if answer == nil {
		panic("httplimit: WithRefused: the function is nil; for example: " +
			"func(w http.ResponseWriter, r *http.Request, d aforo.Decision) { w.WriteHeader(http.StatusTooManyRequests) }")
	}
	return func(m *middleware) { m.refused = answer }
}

// WithError decides about requests for which no decision could be made, such
// as when the store fails, or when a cost is negative. The function returns
// true to let the request go on to the handler; before it returns false, it
// must answer. It is the place to log the error. It is not called when the
// request's context has ended.
//
// Default: 503 Service Unavailable, which tells nothing of the error. To let
// requests pass while a store is down, rather give the limiter a store with
// such a policy: it can do so for as long as it is down, and limit locally
// meanwhile, where this function sees one request at a time. Such responses
// carry no rate limit fields, since nobody knows where the client stands.
func WithError(decide func(w http.ResponseWriter, r *http.Request, err error) (pass bool)) Option {
	if decide == nil {
		panic("httplimit: WithError: the function is nil; for example: " +
			"func(http.ResponseWriter, *http.Request, error) bool { return true }")
	}
	return func(m *middleware) { m.failed = decide }
}
