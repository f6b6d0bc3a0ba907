package redistest

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Proxy stands before a server and does to the bytes that pass what networks
// do. Its methods may be called from any goroutine, at any time, and hold for
// the connections that are open as for those to come.
type Proxy struct {
	target           string
	listener         net.Listener
	requests         path // from clients to the server
	replies          path
	connectionsMutex sync.Mutex
	connections      map[net.Conn]bool // both ends of each; nil once closed
	copying          sync.WaitGroup
	opened, lost     atomic.Int64 // connections made, and how many of the first of them are lost
}

// A path is one direction.
type path struct {
	delay atomic.Int64 // nanoseconds
	lose  atomic.Bool
	bytes atomic.Int64 // arrived, whether lost or not
}

// NewProxy starts a proxy before the server at an address (for example:
// NewProxy(t, server.Addr())). It delays and loses nothing yet.
func NewProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{target: target, listener: listener, connections: make(map[net.Conn]bool)}
	p.copying.Go(p.accept)
	tb.Cleanup(p.close)
	return p
}

// Addr is where clients connect, such as 127.0.0.1:43210.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Delay has requests arrive at the server, and replies at the client, later by
// so much each. What follows is not held up further: bandwidth stays.
func (p *Proxy) Delay(requests, replies time.Duration) {
	p.requests.delay.Store(int64(requests))
	p.replies.delay.Store(int64(replies))
}

// LoseReplies has the server's replies vanish: requests are carried out and
// nobody learns of it. What was lost does not come later; Cut the connections
// before replies pass again, since a client would take them for others.
func (p *Proxy) LoseReplies(lose bool) { p.replies.lose.Store(lose) }

// LoseAll has everything vanish, in both directions, as a firewall does that
// drops packets.
func (p *Proxy) LoseAll(lose bool) {
	p.requests.lose.Store(lose)
	p.replies.lose.Store(lose)
}

// LoseOpen has everything vanish, in both directions and for ever, that goes
// through the connections that are open now, as when a router forgets them.
func (p *Proxy) LoseOpen() { p.lost.Store(p.opened.Load()) }

// RequestBytes is how many bytes clients have sent.
func (p *Proxy) RequestBytes() int64 { return p.requests.bytes.Load() }

// Cut closes all connections; new ones can be made.
func (p *Proxy) Cut() {
	p.connectionsMutex.Lock()
	defer p.connectionsMutex.Unlock()
	for connection := range p.connections {
		connection.Close()
	}
}

func (p *Proxy) close() {
	p.listener.Close()
	p.connectionsMutex.Lock()
	for connection := range p.connections {
		connection.Close()
	}
	p.connections = nil
	p.connectionsMutex.Unlock()
	p.copying.Wait()
}

// keep has Cut know the two ends of a connection; false if the proxy is
// closed.
func (p *Proxy) keep(ends ...net.Conn) bool {
	p.connectionsMutex.Lock()
	defer p.connectionsMutex.Unlock()
	for _, end := range ends {
		if p.connections == nil {
			end.Close()
			continue
		}
		p.connections[end] = true
	}
	return p.connections != nil
}

func (p *Proxy) forget(end net.Conn) {
	end.Close()
	p.connectionsMutex.Lock()
	delete(p.connections, end)
	p.connectionsMutex.Unlock()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil { // the server is gone, and so the client's connection
			client.Close()
			continue
		}
		if p.keep(client, server) {
			number := p.opened.Add(1)
			p.copying.Go(func() { p.copy(number, &p.requests, client, server) })
			p.copying.Go(func() { p.copy(number, &p.replies, server, client) })
		}
	}
}

// A chunk is what was read at once, and when it is due at the other end.
type chunk struct {
	due  time.Time
	data []byte
}

// copy passes on what comes from one end, and closes both when it ends.
func (p *Proxy) copy(number int64, way *path, from, to net.Conn) {
	queue := make(chan chunk, 4096)
	defer p.forget(from)
	defer close(queue)
	p.copying.Go(func() { deliver(queue, to) })
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		way.bytes.Add(int64(n))
		if n > 0 && !way.lose.Load() && number > p.lost.Load() {
			queue <- chunk{time.Now().Add(time.Duration(way.delay.Load())), buffer[:n]}
		}
		if err != nil {
			return
		}
	}
}

// deliver writes each chunk when it is due. If the receiver is gone, the rest
// is forgotten; what the other direction still carries arrives all the same.
func deliver(queue <-chan chunk, to net.Conn) {
	defer to.Close()
	for c := range queue {
		time.Sleep(time.Until(c.due))
		_, _ = to.Write(c.data)
	}
}
