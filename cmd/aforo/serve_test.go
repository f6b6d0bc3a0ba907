package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// A request that is in flight when the server is told to stop is answered, and
// new ones are not taken.
func TestStopAnswersWhatIsInFlight(t *testing.T) {
	p, err := startServer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"policy":"login","key":"user:42"}`
	// With "100 Continue" the server says that it reads the body.
	fmt.Fprintf(conn, "POST /v1/check HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q %v", line, err)
	}
	_, _ = reader.ReadString('\n')
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until the port is closed
		other, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			break
		}
		other.Close()
	}
	if _, err := io.WriteString(conn, body); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%v %v", response, err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("exit: %v\n%s", err, &p.log)
	}
}

// In this process: a stopped server leaves nothing behind.
func TestServeLeavesNoGoroutine(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	ended := make(chan error, 1)
	var log bytes.Buffer
	go func() {
		ended <- serve(ctx, serveOptions{listen: "127.0.0.1:0"}, streams{out: w, err: &log})
	}()
	banner := make([]byte, 4096)
	if n, err := out.Read(banner); err != nil || !strings.Contains(string(banner[:n]), "Stop with") {
		t.Errorf("%q %v", banner[:n], err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, want := range []string{"msg=started", "msg=stopping", "msg=stopped"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &log)
		}
	}
}

// The line to try that the banner shows works in a shell, whatever the names.
func TestBannerCanBeTried(t *testing.T) {
	dir := t.TempDir()
	config := "policies:\n  'it''s \"odd\" \\ $HOME': {limit: 5/m}\n"
	if err := os.WriteFile(filepath.Join(dir, "aforo.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := startServer(dir, "-c", "aforo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	_, command, _ := strings.Cut(p.banner, "Try it:\n")
	command, _, _ = strings.Cut(command, "\n")
	if got := runShell(t, dir, command); !strings.Contains(got.out, "200 OK") || !strings.Contains(got.out, `"remaining":4`) {
		t.Errorf("%s\n%+v", command, got)
	}
}
