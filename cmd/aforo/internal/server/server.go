// Package server is the HTTP door: it answers whether a key may do something,
// for clients in any language.
package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/watch"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/web"
)

// A Door is a method and a path that the server answers.
type Door struct {
	Method, Path string
	Does         string // in a few words
	handle       http.HandlerFunc
}

// Server is an http.Handler. All of its state is in one store.
type Server struct {
	backend    *backend.Backend
	onFailure  aforo.FailurePolicy // for limits that belong to no policy
	needsStore bool                // some requests are not decided, or are refused, while the store fails
	metrics    *metrics
	policies   map[string]*aforo.Limiter
	names      []string // of the policies, in the file's order
	doors      []Door
	page       *web.Page
	log        *slog.Logger

	simulating chan struct{} // holds one for each simulation that is being played
	answering  chan struct{} // likewise, and for each that waits or is being answered

	watch    *watch.Watch
	events   *events
	watching Watching
	token    string
	loaded   []loadedPolicy
}

// New makes a server of policies. It logs that it stops, and errors,
// but never a key.
func New(policies []config.Policy, log *slog.Logger, options ...Option) (*Server, error) {
	s := &Server{
		policies: make(map[string]*aforo.Limiter, len(policies)),
		log:      log,

		simulating: make(chan struct{}, simulateAtOnce),
		answering:  make(chan struct{}, answerAtOnce),

		watching: FromLoopback,
		token:    newToken(),
		loaded:   loaded(policies),
	}
	s.events = newEvents(s.snapshot)
	for _, option := range options {
		option(s)
	}
	if s.backend == nil {
		s.backend, _ = backend.Open(config.Store{}, log) // memory: it cannot fail
	}
	s.metrics, s.needsStore = newMetrics(s.backend), needs(s.onFailure)
	page, err := web.New()
	if err != nil {
		return nil, err
	}
	s.page = page
	secret := make(map[string]bool)
	for _, p := range policies {
		secret[p.Name] = p.Key.Secret()
		store, err := s.backend.Store(p.OnStoreFailure)
		if err != nil {
			return nil, err
		}
		s.needsStore = s.needsStore || needs(p.OnStoreFailure)
		limiter, err := aforo.NewLimiter(p.Limits, aforo.WithStore(store), aforo.WithName(p.Name))
		if err != nil {
			return nil, err
		}
		s.policies[p.Name] = limiter
		s.names = append(s.names, p.Name)
	}
	s.watch = watch.New(s.names, secret, time.Now)
	s.doors = []Door{
		{http.MethodPost, "/v1/check", "decides a request, and counts it if it is allowed", s.check},
		{http.MethodPost, "/v1/simulate", "plays arrivals through limits, and says why each decision fell", s.simulate},
		{http.MethodPost, "/v1/arrivals", "reads an access log as arrivals", s.arrivals},
		{http.MethodGet, "/", "the page: a playground, stories, and what happens now", s.page.ServeHTTP},
		{http.MethodPost, "/v1/reset", "forgets a key, with the token", s.watched(s.reset)},
		{http.MethodGet, "/v1/policies", "tells the policies in plain words", s.watched(s.showPolicies)},
		{http.MethodGet, "/v1/events", "tells what happens, once a second", s.watched(s.events.ServeHTTP)},
		{http.MethodGet, "/healthz", "tells that the server and its store are up", s.health},
		{http.MethodGet, "/metrics", "tells Prometheus how often, how fast and by whom", s.metrics.handler().ServeHTTP},
	}
	return s, nil
}

// Doors is what the server answers.
func (s *Server) Doors() []Door { return s.doors }

// ServeHTTP finds the door for a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && s.page.Has(r.URL.Path) {
		s.page.ServeHTTP(w, r)
		return
	}
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

// answerJSON writes a whole response.
func answerJSON(w http.ResponseWriter, r *http.Request, status int, mediaType string, body any) {
	text, _ := json.Marshal(body) // strings and numbers: it cannot fail
	answerText(w, r, status, mediaType, text)
}

// answerText writes a whole response of JSON. Nothing that this server says holds
// for the next request, so nobody may keep it.
func answerText(w http.ResponseWriter, r *http.Request, status int, mediaType string, text []byte) {
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
