package server

import (
	"crypto/rand"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
)

// An Option changes what New makes.
type Option func(*Server)

// Watching is from where the dashboard may be looked at.
type Watching string

// The choices of WithWatching.
const (
	FromLoopback Watching = "loopback" // this machine, and only by its own name
	FromAnywhere Watching = "anywhere" // whoever reaches the server
	FromNowhere  Watching = "off"
)

// WithWatching says from where the dashboard may be looked at. Default:
// FromLoopback.
func WithWatching(from Watching) Option { return func(s *Server) { s.watching = from } }

// WithBackend is where the states are, and what is answered for limits that belong to
// no policy when it fails; 0 is a problem. Default: memory, which does not fail.
func WithBackend(b *backend.Backend, onFailure aforo.FailurePolicy) Option {
	return func(s *Server) { s.backend, s.onFailure = b, onFailure }
}

// WithToken is what whoever resets a key has to know. Default: a random one,
// which Token tells.
func WithToken(token string) Option { return func(s *Server) { s.token = token } }

// withEvents is how long it is from one event to the next, and how long a client
// may take to read one, for tests.
func withEvents(tick, slowest time.Duration) Option {
	return func(s *Server) { s.events.tick, s.events.slowest = tick, slowest }
}

// Token is what whoever resets a key has to know.
func (s *Server) Token() string { return s.token }

func newToken() string { return rand.Text() }
