package server

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/watch"
)

// snapshot is an event of the dashboard.
func (s *Server) snapshot() any {
	return struct {
		watch.Snapshot
		Store Health `json:"store"`
	}{s.watch.Snapshot(), s.storeHealth()}
}

// see counts a decision for the dashboard.
func (s *Server) see(request *api.Request, d aforo.Decision) {
	if request.Cost > 0 {
		s.watch.Add(watch.Seen{Policy: request.Policy, Key: request.Key, Allowed: d.Allowed,
			Limit: d.Limit, Remaining: d.Remaining, Reset: d.ResetAfter})
	}
}

// A loadedPolicy is a policy as the dashboard shows it.
type loadedPolicy struct {
	Name   string        `json:"name"`
	Key    string        `json:"key,omitempty"`
	Limits []loadedLimit `json:"limits"`
}

// A loadedLimit is a limit with its numbers, and what they mean.
type loadedLimit struct {
	Limit     string `json:"limit"`
	Algorithm string `json:"algorithm,omitempty"` // left out if unlimited
	Rate      int64  `json:"rate"`
	Period    int64  `json:"period_us"`
	Capacity  int64  `json:"capacity"`
	Words     string `json:"words"`
	Note      string `json:"note,omitempty"`
}

func loaded(policies []config.Policy) []loadedPolicy {
	all := []loadedPolicy{}
	for _, p := range policies {
		one := loadedPolicy{Name: p.Name, Key: p.Key.String()}
		for _, l := range p.Limits.List() {
			limit := loadedLimit{Limit: l.String(), Rate: l.Rate(), Period: l.Period().Microseconds(), Capacity: l.Capacity(),
				Words: config.Words(l), Note: config.Note(l)}
			if !l.IsUnlimited() {
				limit.Algorithm = l.Algorithm().String()
			}
			one.Limits = append(one.Limits, limit)
		}
		all = append(all, one)
	}
	return all
}

// showPolicies answers GET /v1/policies.
func (s *Server) showPolicies(w http.ResponseWriter, r *http.Request) {
	answerJSON(w, r, http.StatusOK, "application/json", map[string]any{"policies": s.loaded})
}

// reset answers POST /v1/reset: it forgets a key, for who knows the token.
func (s *Server) reset(w http.ResponseWriter, r *http.Request) {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		answerProblem(w, r, &api.Problem{Status: http.StatusUnauthorized,
			Detail: "to reset a key takes the token that the server printed when it started; for example: Authorization: Bearer TOKEN"})
		return
	}
	request, limiter := s.read(w, r)
	if limiter == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := limiter.Reset(ctx, request.Key); err != nil {
		s.failed(w, r, err)
		return
	}
	s.watch.Forget(request.Policy, request.Key)
	s.log.Info("a key was reset", "policy", request.Policy)
	answerJSON(w, r, http.StatusOK, "application/json", map[string]bool{"reset": true})
}
