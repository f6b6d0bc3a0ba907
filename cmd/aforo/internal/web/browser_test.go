package web_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/server"
)

// needs finds a program, or the packages of npm; `make test` installs them, and
// says by AFORO_BROWSER=required that nothing may be left out.
func needs(t *testing.T, found func() error) {
	t.Helper()
	if err := found(); err != nil {
		if os.Getenv("AFORO_BROWSER") == "required" {
			t.Fatalf("%v: make tools installs it", err)
		}
		t.Skipf("%v: make tools installs it, and make test requires it", err)
	}
}

func program(names ...string) (path string, err error) {
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// run runs the tests of a file by node, and shows those that fail.
func runNode(t *testing.T, file string, env ...string) {
	t.Helper()
	cmd := exec.Command("node", "--test", "--test-reporter=spec", filepath.Join("browsertest", file))
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	passed := 0
	if _, counts, ok := bytes.Cut(out, []byte("ℹ pass ")); ok {
		_, _ = fmt.Sscan(string(counts), &passed)
	}
	if passed < 10 {
		t.Errorf("only %d tests passed\n%s", passed, out)
	}
}

// TestPureParts runs what of the page touches nothing.
func TestPureParts(t *testing.T) {
	needs(t, func() error { _, err := program("node"); return err })
	runNode(t, "pure.test.js")
}

// TestInABrowser runs the page in Chromium, against a server of its own, and then
// what the page has copied. With AFORO_SHOTS it leaves pictures in that folder.
func TestInABrowser(t *testing.T) {
	var chromium string
	needs(t, func() (err error) {
		if chromium, err = program("chromium", "chromium-browser", "google-chrome"); err != nil {
			return err
		}
		if _, err = program("node"); err != nil {
			return err
		}
		_, err = os.Stat(filepath.Join("node_modules", "playwright-core"))
		return err
	})
	url, copied := startServer(t, "the token of this test"), t.TempDir()
	runNode(t, "browser.test.js", "AFORO_URL="+url, "AFORO_TOKEN=the token of this test", "AFORO_CHROMIUM="+chromium, "AFORO_COPIED="+copied)
	for name, run := range map[string]func(t *testing.T, text, dir string){"go": runGo, "yaml": runYAML, "curl": runCurl, "cli": runCLI, "arrivals": runCLI} {
		text, err := os.ReadFile(filepath.Join(copied, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { run(t, string(text), t.TempDir()) })
	}
}

func startServer(t *testing.T, token string) (url string) {
	t.Helper()
	s, err := server.New(config.Default().Policies, slog.New(slog.DiscardHandler), server.WithToken(token))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// shell runs a line in a folder.
func shell(t *testing.T, dir, line string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	whole, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func runGo(t *testing.T, text, dir string) {
	write(t, dir, "main.go", text)
	write(t, dir, "go.mod", "module example.com/user\n\ngo 1.23\n")
	root := absolute(t, filepath.Join("..", "..", "..", ".."))
	out, err := shell(t, dir, "go mod edit -require=github.com/aforo-dev/aforo@v0.0.0 -replace=github.com/aforo-dev/aforo="+root+" && go run .", "GOWORK=off", "GOFLAGS=-mod=mod")
	if err != nil || out != "true 19 0s <nil>\n" {
		t.Errorf("%v %s\n%s", err, out, text)
	}
}

func runYAML(t *testing.T, text, _ string) {
	c, err := config.Parse("copied", []byte(text))
	if err != nil || len(c.Policies) != 1 || c.Policies[0].Limits.String() != "100/m burst 20" {
		t.Errorf("%+v %v\n%s", c, err, text)
	}
}

// runCurl asks another server for what the page's was asked.
func runCurl(t *testing.T, text, dir string) {
	_, rest, ok := strings.Cut(text, "/v1/simulate")
	if !ok {
		t.Fatal(text)
	}
	out, err := shell(t, dir, "curl -sS "+startServer(t, "another token of ours")+"/v1/simulate"+rest)
	if err != nil || !strings.Contains(out, `"limit":"fixed_window 100/m","allowed":200,`) {
		t.Errorf("%v %.300s\n%.300s", err, out, text)
	}
}

// runCLI runs a comparison in a terminal: of the traffic in words that the page
// begins with, or of arrivals, of which all fit.
func runCLI(t *testing.T, text, dir string) {
	if out, err := shell(t, absolute(t, filepath.Join("..", "..")), "go build -o "+dir+"/aforo ."); err != nil {
		t.Fatal(out)
	}
	out, err := shell(t, dir, text, "PATH="+dir+":"+os.Getenv("PATH"))
	want := `fixed_window 100/m +200 +0 `
	if strings.Contains(text, "'at ") {
		want = `fixed_window 100/m +5 +0 `
	}
	if err != nil || !regexp.MustCompile(want).MatchString(out) {
		t.Errorf("%v %s\n%s", err, out, text)
	}
}
