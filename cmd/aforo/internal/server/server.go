// Package server is the HTTP door: it answers whether a key may do something,
// for clients in any language.
package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
)

// A Door is a method and a path that the server answers.
type Door struct {
	Method, Path string
	Does         string // in a few words
	handle       http.HandlerFunc
}

// Server is an http.Handler. All of its state is in one memory store.
type Server struct {
	store    *aforo.Memory
	policies map[string]*aforo.Limiter
	names    []string // of the policies, in the file's order
	doors    []Door
	log      *slog.Logger

	simulating chan struct{} // holds one for each simulation that is being played
}

// New makes a server of policies. It logs that it stops, and errors,
// but never a key.
func New(policies []config.Policy, log *slog.Logger) (*Server, error) {
	s := &Server{
		store:    aforo.NewMemory(),
		policies: make(map[string]*aforo.Limiter, len(policies)),
		log:      log,

		simulating: make(chan struct{}, simulateAtOnce),
	}
	for _, p := range policies {
		limiter, err := aforo.NewLimiter(p.Limits, aforo.WithStore(s.store), aforo.WithName(p.Name))
		if err != nil {
			return nil, err
		}
		s.policies[p.Name] = limiter
		s.names = append(s.names, p.Name)
	}
	s.doors = []Door{
		{http.MethodPost, "/v1/check", "decides a request, and counts it if it is allowed", s.check},
		{http.MethodPost, "/v1/simulate", "plays arrivals through limits, and says why each decision fell", s.simulate},
		{http.MethodGet, "/healthz", "tells that the server is up", s.health},
	}
	return s, nil
}

// Doors is what the server answers.
func (s *Server) Doors() []Door { return s.doors }

// ServeHTTP finds the door for a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	allow := ""
	for _, door := range s.doors {
		if door.Path != r.URL.Path {
			continue
		}
		if door.Method == r.Method || door.Method == http.MethodGet && r.Method == http.MethodHead {
			door.handle(w, r)
			return
		}
		allow = door.Method
	}
	if allow == "" {
		s.noDoor(w, r)
		return
	}
	w.Header().Set("Allow", allow)
	answerProblem(w, r, &api.Problem{
		Status:  http.StatusMethodNotAllowed,
		Detail:  strconv.Quote(bounded(r.URL.Path)) + " takes " + allow + " and not " + bounded(r.Method),
		Example: example,
	})
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	answerJSON(w, r, http.StatusOK, "application/json", map[string]string{"status": "ok"})
}

// answerJSON writes a whole response. Nothing that this server says holds for
// the next request, so nobody may keep it.
func answerJSON(w http.ResponseWriter, r *http.Request, status int, mediaType string, body any) {
	text, _ := json.Marshal(body) // strings and numbers: it cannot fail
	text = append(text, '\n')
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(text)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // a client that has gone needs no answer
	}
}
