package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
	"github.com/aforo-dev/aforo/httplimit"
)

// MaxBody bounds the body of a request, in bytes.
const MaxBody = 64 << 10

// dialects write the rate limit fields of every decision.
var dialects = []httplimit.Dialect{httplimit.XRateLimit, httplimit.IETF, httplimit.RetryAfter}

// check answers POST /v1/check: 200 if the request is allowed, 429 if it is
// refused, both with an api.Answer; or a problem, if there is no decision.
func (s *Server) check(w http.ResponseWriter, r *http.Request) {
	request, limiter := s.read(w, r)
	if limiter == nil {
		return
	}
	began := time.Now()
	d, each, err := limiter.AllowEach(r.Context(), request.Key, request.Cost, nil)
	if err != nil {
		s.metrics.errors.WithLabelValues(request.Policy).Inc()
		s.failed(w, r, err)
		return
	}
	s.metrics.see(request.Policy, d, began)
	s.see(request, d)
	status := http.StatusOK
	if !d.Allowed {
		status = http.StatusTooManyRequests
	}
	if !d.Unlimited {
		for _, dialect := range dialects {
			dialect(w.Header(), d, each)
		}
	}
	answerJSON(w, r, status, "application/json", api.NewAnswer(request.Policy, limiter, d, each))
}

// read reads a request, and finds its limiter: nil if that has been answered.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (*api.Request, *aforo.Limiter) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		unreadable(w, r, err, api.GoodRequest)
		return nil, nil
	}
	request, err := api.ParseRequest(body)
	if err != nil {
		badRequest(w, r, err)
		return nil, nil
	}
	limiter, err := s.limiter(&request)
	switch {
	case err != nil:
		badRequest(w, r, err)
	case limiter == nil:
		s.noPolicy(w, r, request.Policy)
	}
	return &request, limiter
}

// limiter is that of the request's policy, nil if there is no such policy; or
// one for the limit that the request brings.
func (s *Server) limiter(request *api.Request) (*aforo.Limiter, error) {
	if request.Policy != "" {
		return s.policies[request.Policy], nil
	}
	limits, err := aforo.ParseLimits(request.Limit)
	if err != nil {
		var wrong *aforo.LimitError
		errors.As(err, &wrong)
		return nil, &api.RequestError{Field: "limit", Value: quoted(request.Limit),
			Problem: fmt.Sprintf("%s %q: %s", wrong.Field, bounded(wrong.Value), wrong.Problem), Good: wrong.Good}
	}
	return s.adHoc(limits)
}

// adHoc is a limiter for limits that belong to no policy.
func (s *Server) adHoc(limits aforo.Limits) (*aforo.Limiter, error) {
	store, err := s.backend.Store(s.onFailure)
	if err != nil {
		return nil, err
	}
	return backend.Limiter(limits, store)
}
