package httplimit_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// serve starts a server of a handler behind a limit.
func serve(t *testing.T, limit aforo.Limit, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(httplimit.Middleware(aforo.Must(limit), httplimit.PeerIP)(h))
	t.Cleanup(server.Close)
	return server
}

func TestTheHandlerGetsTheResponseWriterItself(t *testing.T) {
	w := httptest.NewRecorder()
	httplimit.Middleware(aforo.Must(aforo.PerMinute(1)), httplimit.PeerIP)(
		http.HandlerFunc(func(got http.ResponseWriter, r *http.Request) {
			if got != http.ResponseWriter(w) {
				t.Errorf("the handler got a %T", got)
			}
		})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
}

func TestStreamingAndDeadlinesWorkThroughTheMiddleware(t *testing.T) {
	proceed := make(chan bool)
	server := serve(t, aforo.PerMinute(1), func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Error(err)
		}
		fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		<-proceed
		fmt.Fprintln(w, "second")
		if err := control.Flush(); err != nil {
			t.Error(err)
		}
	})
	response, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body := bufio.NewReader(response.Body)
	if line, err := body.ReadString('\n'); line != "first\n" {
		t.Errorf("read %q, %v before the handler ended", line, err)
	}
	close(proceed)
	if line, err := body.ReadString('\n'); line != "second\n" {
		t.Errorf("read %q, %v", line, err)
	}
	if got := response.Header.Get("X-RateLimit-Remaining"); got != "0" {
		t.Errorf("X-RateLimit-Remaining is %q", got)
	}
}

func TestConnectionsCanBeUpgradedThroughTheMiddleware(t *testing.T) {
	server := serve(t, aforo.PerMinute(1), func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(buffered, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		buffered.Flush()
		line, _ := buffered.ReadString('\n')
		fmt.Fprint(buffered, line)
		buffered.Flush()
	})
	upgrade := func() (net.Conn, *http.Response, *bufio.Reader) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		reader := bufio.NewReader(conn)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		return conn, response, reader
	}
	conn, response, reader := upgrade()
	defer conn.Close()
	fmt.Fprint(conn, "hello\n")
	if line, _ := reader.ReadString('\n'); response.StatusCode != 101 || line != "hello\n" {
		t.Errorf("status %d, echo %q", response.StatusCode, line)
	}
	again, response, _ := upgrade()
	defer again.Close()
	if response.StatusCode != 429 {
		t.Errorf("the second upgrade: status %d", response.StatusCode)
	}
}

func TestRefusedHEADHasTheHeaderOfGETAndNoBody(t *testing.T) {
	server := serve(t, aforo.PerDay(0), ok)
	get, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer get.Body.Close()
	body, _ := io.ReadAll(get.Body)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "HEAD / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
	all, _ := io.ReadAll(conn) // no client in between that would hide a body
	head, rest, _ := strings.Cut(string(all), "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 429 Too Many Requests\r\n") || rest != "" {
		t.Errorf("response is %q", all)
	}
	length := fmt.Sprintf("Content-Length: %d", len(body))
	for _, want := range []string{length, "Content-Type: application/problem+json", "Cache-Control: no-store", "X-Ratelimit-Limit: 0"} {
		if !strings.Contains(head+"\r\n", "\r\n"+want+"\r\n") {
			t.Errorf("%s is missing in %q", want, head)
		}
	}
	// A recorder keeps a body that net/http would drop: there must be none.
	h := httplimit.Middleware(aforo.Must(aforo.PerDay(0)), httplimit.PeerIP)(ok)
	if w := do(h, httptest.NewRequest("HEAD", "/", nil)); w.Code != 429 || w.Body.Len() != 0 {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
}

func TestPeersOfAUnixSocketShareOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	server := httptest.NewUnstartedServer(httplimit.Middleware(aforo.Must(aforo.PerDay(1)), httplimit.PeerIP)(ok))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	for i, want := range []string{"204", "429"} {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n")
		status, _ := bufio.NewReader(conn).ReadString('\n')
		conn.Close()
		if !strings.Contains(status, " "+want+" ") {
			t.Errorf("connection %d: %s, want %s", i, status, want)
		}
	}
}

func TestNoHeaderValueIsTheKeyOfARequestWithoutOne(t *testing.T) {
	server := httptest.NewServer(httplimit.Middleware(aforo.Must(aforo.PerDay(1)), httplimit.Header("X-Api-Key"))(ok))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: test\r\nX-Api-Key: \x00peer 127.0.0.1\r\n\r\n")
	if status, _ := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(status, " 400 ") {
		t.Errorf("net/http answers a NUL byte in a header with %q", status)
	}
}
