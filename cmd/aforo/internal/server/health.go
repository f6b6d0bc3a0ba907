package server

import (
	"net/http"

	"github.com/aforo-dev/aforo"
)

// Health is how a store is.
type Health struct {
	Kind   string `json:"kind"`             // memory or redis
	OK     bool   `json:"ok"`               // the last call was answered
	Keys   *int64 `json:"keys,omitempty"`   // states kept, if that is known
	Detail string `json:"detail,omitempty"` // what is wrong with it
}

// storeHealth is how the store is, without asking it.
func (s *Server) storeHealth() Health {
	h := Health{Kind: s.backend.Kind(), OK: true}
	if err := s.backend.Health(); err != nil {
		h.OK, h.Detail = false, err.Error()
	}
	if keys, known := s.backend.Keys(); known {
		h.Keys = &keys
	}
	return h
}

// health answers GET /healthz: 200 if decisions are made, as they should be or, while
// the store fails, as the configuration says; 503 if the store fails and that means
// that requests are refused or not decided.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	status, body := http.StatusOK, map[string]string{"status": "ok"}
	if err := s.backend.Check(r.Context()); err != nil {
		body = map[string]string{"status": "degraded", "store": s.backend.Kind(), "detail": err.Error()}
		if s.needsStore {
			status, body["status"] = http.StatusServiceUnavailable, "failing"
		}
	}
	answerJSON(w, r, status, "application/json", body)
}

// needs tells whether requests suffer while the store fails.
func needs(policy aforo.FailurePolicy) bool { return policy == 0 || policy == aforo.FailDeny }
