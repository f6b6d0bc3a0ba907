package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// maxStreams is how many may watch at once.
const maxStreams = 1000

// events sends the same event to all who watch, once a tick. While nobody
// watches, nothing runs. Who reads too slowly misses events, and who does not
// read at all is let go: neither holds up anybody.
type events struct {
	tick    time.Duration
	slowest time.Duration // that a client may take to read one event
	make    func() any

	mu      sync.Mutex
	clients map[chan []byte]bool
	running bool
	stopped chan struct{}
	stop    func()
}

func newEvents(make_ func() any) *events {
	e := &events{tick: time.Second, slowest: 5 * time.Second, make: make_, clients: make(map[chan []byte]bool), stopped: make(chan struct{})}
	e.stop = sync.OnceFunc(func() { close(e.stopped) })
	return e
}

// join makes a client; false if there are too many.
func (e *events) join() (chan []byte, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) >= maxStreams {
		return nil, false
	}
	client := make(chan []byte, 1)
	client <- e.frame() // it sees something at once
	e.clients[client] = true
	if !e.running {
		e.running = true
		go e.run()
	}
	return client, true
}

func (e *events) leave(client chan []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.clients, client)
}

// run sends until nobody is left.
func (e *events) run() {
	ticker := time.NewTicker(e.tick)
	defer ticker.Stop()
	for range ticker.C {
		if !e.send() {
			return
		}
	}
}

// send puts an event in the place of one that a client has not taken yet.
func (e *events) send() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.clients) == 0 {
		e.running = false
		return false
	}
	frame := e.frame()
	for client := range e.clients {
		select {
		case <-client:
		default:
		}
		client <- frame
	}
	return true
}

func (e *events) frame() []byte {
	var b bytes.Buffer
	text, _ := json.Marshal(e.make()) // strings and numbers: it cannot fail
	fmt.Fprintf(&b, "event: snapshot\ndata: %s\n\n", text)
	return b.Bytes()
}

// ServeHTTP streams until the client goes, or the server stops.
func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, ok := e.join()
	if !ok {
		w.Header().Set("Retry-After", "10")
		answerProblem(w, r, &api.Problem{Status: http.StatusServiceUnavailable,
			Detail: fmt.Sprintf("%d are watching already, which is the most; try again in a while", maxStreams)})
		return
	}
	defer e.leave(client)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a stream has no end; not all writers have deadlines
	for {
		select {
		case <-r.Context().Done():
			return
		case <-e.stopped:
			return
		case frame := <-client:
			_ = control.SetWriteDeadline(time.Now().Add(e.slowest))
			if _, err := w.Write(frame); err != nil || control.Flush() != nil {
				return
			}
		}
	}
}
