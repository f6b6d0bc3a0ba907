package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

func TestEvents(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	_, url, stop := serveEvents(t, time.Millisecond, time.Minute)
	response, err := http.Get(url + "/v1/events")
	if err != nil || response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%v %v", response, err)
	}
	lines := bufio.NewReader(response.Body)
	for range 3 {
		for _, want := range []string{"event: snapshot\n", `data: {"at":`, "\n"} {
			if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
				t.Fatalf("%q %v", line, err)
			}
		}
	}
	stop() // ends the stream
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("at the end: %v", err)
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
}

// serveEvents is a server that sends an event each tick.
func serveEvents(t *testing.T, tick, slowest time.Duration) (s *Server, url string, stop func()) {
	t.Helper()
	s = withOptions(t, withEvents(tick, slowest))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return s, "http://" + listener.Addr().String(), stop
}

// stream asks for events, and reads the first line of the answer.
func stream(t *testing.T, url string) (net.Conn, *bufio.Reader, string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, r, strings.TrimSpace(line)
}

// TestAThousandWatch: a thousand clients get events, and one more is told that
// there are too many; decisions are made meanwhile.
func TestAThousandWatch(t *testing.T) {
	_, url, _ := serveEvents(t, 50*time.Millisecond, time.Minute)
	var first net.Conn
	for i := range maxStreams {
		conn, _, status := stream(t, url)
		if status != "HTTP/1.1 200 OK" {
			t.Fatal(status)
		}
		if i == 0 {
			first = conn
		}
	}
	if _, _, status := stream(t, url); status != "HTTP/1.1 503 Service Unavailable" {
		t.Errorf("one too many: %s", status)
	}
	response, err := http.Post(url+"/v1/check", "application/json", strings.NewReader(api.GoodRequest))
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%v %v", response, err)
	}
	response.Body.Close()
	first.Close() // a place is free, as soon as the server has noticed
	for {
		if _, _, status := stream(t, url); status == "HTTP/1.1 200 OK" {
			break
		}
	}
}

// TestSlowReadersAreLetGo: who does not read is let go, and whoever reads gets
// every event meanwhile.
func TestSlowReadersAreLetGo(t *testing.T) {
	s, url, _ := serveEvents(t, time.Microsecond, time.Second)
	for range 5 {
		stream(t, url)
	}
	_, reader, _ := stream(t, url)
	watching := func() int {
		s.events.mu.Lock()
		defer s.events.mu.Unlock()
		return len(s.events.clients)
	}
	for watching() > 1 { // a good client sees the others go
		if line, err := reader.ReadString('\n'); err != nil {
			t.Fatalf("%q %v", line, err)
		}
	}
}
