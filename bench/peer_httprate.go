package main

import (
	"net/http"

	"github.com/go-chi/httprate"
)

// httprateLimiter asks httprate without HTTP around it: it is told to set no
// header fields, so that it never touches the response.
type httprateLimiter struct {
	limiter *httprate.RateLimiter
	request *http.Request
}

func (h httprateLimiter) Allow(key string) bool { return !h.limiter.OnLimit(nil, h.request, key) }
func (h httprateLimiter) Close()                {}

func httpratePeer() Peer {
	return Peer{
		Name:    "go-chi/httprate",
		Module:  "github.com/go-chi/httprate",
		What:    "sliding window counter in floats; a map by the key's 64-bit hash under one mutex",
		Differs: "a window: it has no rate besides the burst; keys of equal hash share a limit; asked without its header fields",
		New: func(s Spec) (Limiter, error) {
			request, err := http.NewRequest(http.MethodGet, "/", nil)
			l := httprate.NewRateLimiter(int(s.Burst), s.Per, httprate.WithResponseHeaders(httprate.ResponseHeaders{}))
			return httprateLimiter{l, request}, err
		},
	}
}
