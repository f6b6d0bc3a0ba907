package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/server"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// Everything in the documents that looks as if it worked is made to work here:
// programs are built and run, commands are run and their output is compared,
// configurations are validated, links lead somewhere.

const checkout = "../.."

// A block is what stands between fences in a document.
type block struct {
	document, language, text string
}

func documents(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 4 {
		t.Fatalf("only %v", paths)
	}
	return paths
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(t *testing.T, languages ...string) (list []block) {
	t.Helper()
	for _, path := range documents(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
			for _, language := range languages {
				if m[1] == language {
					list = append(list, block{path, language, m[2]})
				}
			}
		}
	}
	return list
}

// TestPrograms builds the programs in the documents as a user's module would,
// and runs those that end.
func TestPrograms(t *testing.T) {
	module, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	redis := redistest.Start(t)
	programs := blocks(t, "go")
	if len(programs) == 0 {
		t.Fatal("there are none")
	}
	for _, b := range programs {
		dir := t.TempDir()
		write(t, dir, "main.go", withRedis(b.text, redis))
		write(t, dir, "go.mod", "module example.com/user\n\ngo 1.23\n")
		shell(t, dir, "go mod edit -require=github.com/aforo-dev/aforo@v0.0.0 -replace=github.com/aforo-dev/aforo="+module)
		if strings.Contains(b.text, "/redisstore\"") {
			shell(t, dir, "go mod edit -require=github.com/aforo-dev/aforo/redisstore@v0.0.0 -replace=github.com/aforo-dev/aforo/redisstore="+module+"/redisstore")
		}
		command := "go run ."
		if strings.Contains(b.text, "ListenAndServe") {
			command = "go vet . && go build -o program ."
		}
		if out, err := shell(t, dir, command); err != nil {
			t.Errorf("%s: %v\n%s\n%s", b.document, err, out, b.text)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// shell runs a command in a shell, where aforo is this program.
func shell(t *testing.T, dir, command string) (string, error) {
	t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if dir != checkout { // a module of its own
		cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS=-mod=mod")
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestCommands runs the commands after "$ " and compares what they print. A
// line of three dots stands for any lines.
func TestCommands(t *testing.T) {
	redis := redistest.Start(t)
	sessions := blocks(t, "console")
	if len(sessions) == 0 {
		t.Fatal("there are none")
	}
	for _, b := range sessions {
		for _, part := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			got, _ := shell(t, checkout, withRedis(command, redis))
			if !looksLike(got, withRedis(want, redis)) {
				t.Errorf("%s: %s\nprints\n%s\nnot\n%s", b.document, command, got, want)
			}
		}
	}
}

// withRedis is a text with the address of a server that runs in place of the one that
// documents have.
func withRedis(text string, redis *redistest.Server) string {
	return strings.ReplaceAll(text, "redis://127.0.0.1:6379", strings.TrimSuffix(redis.URL(), "/"))
}

func looksLike(got, want string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = strings.ReplaceAll(pattern, `\.\.\.`+"\n", "(?s:.*)")
	pattern = strings.ReplaceAll(pattern, "\n"+`\.\.\.`, "(?s:.*)")
	return regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimSpace(got))
}

// TestConfigurations validates the configurations.
func TestConfigurations(t *testing.T) {
	for _, b := range blocks(t, "yaml") {
		dir := t.TempDir()
		write(t, dir, "aforo.yaml", b.text)
		if out, err := shell(t, dir, "aforo validate aforo.yaml"); err != nil {
			t.Errorf("%s: %s\n%s", b.document, out, b.text)
		}
	}
}

var waits = regexp.MustCompile(`_ms":[1-9]\d*`)

// TestExchanges sends the requests in the documents to a server with its example
// policies, and compares the answers; how long a wait is depends on the clock.
func TestExchanges(t *testing.T) {
	exchanges := blocks(t, "http")
	if len(exchanges) == 0 {
		t.Fatal("there are none")
	}
	for _, b := range exchanges {
		handler, err := server.New(config.Default().Policies, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.text), "\n")
		method, path, _ := strings.Cut(lines[0], " ")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(lines[1])))
		got := fmt.Sprint(w.Code, "\n", strings.TrimSpace(w.Body.String()))
		want := strings.Join(lines[3:], "\n")
		if waits.ReplaceAllString(got, "_ms") != waits.ReplaceAllString(want, "_ms") {
			t.Errorf("%s: %s\n got %s\nwant %s", b.document, lines[1], got, want)
		}
	}
}

// TestPlainBlocks: what stands between fences without a language is one of
// these, or a picture.
func TestPlainBlocks(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(checkout, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks(t, "") {
		command := strings.TrimSpace(b.text)
		switch {
		case strings.HasPrefix(command, "make "):
			if !bytes.Contains(makefile, []byte("\n"+strings.TrimPrefix(command, "make ")+":")) {
				t.Errorf("%s: there is no %s", b.document, command)
			}
		case strings.HasPrefix(command, "go mod edit "): // TestPrograms runs it
		case strings.Contains(command, "--") || strings.Contains(command, "|"): // a picture
		default:
			t.Errorf("%s: nobody knows whether this works: %s", b.document, command)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	for _, path := range documents(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestReadmesAreTwins: both READMEs are short, begin with code, and show the
// same programs and commands.
func TestReadmesAreTwins(t *testing.T) {
	var texts [2]string
	for i, name := range []string{"README.md", "README.es.md"} {
		data, err := os.ReadFile(filepath.Join(checkout, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(data)
		if n := strings.Count(texts[i], "\n"); n > 150 {
			t.Errorf("%s has %d lines", name, n)
		}
		if code := strings.Index(texts[i], "```go"); code < 0 || strings.Count(texts[i][:code], "\n") > 20 {
			t.Errorf("%s does not begin with code", name)
		}
	}
	english, spanish := fence.FindAllString(texts[0], -1), fence.FindAllString(texts[1], -1)
	if len(english) != len(spanish) {
		t.Fatalf("%d blocks in English, %d in Spanish", len(english), len(spanish))
	}
	comment := regexp.MustCompile(`(?m)\s*//.*$`)
	for i := range english {
		if comment.ReplaceAllString(english[i], "") != comment.ReplaceAllString(spanish[i], "") {
			t.Errorf("these differ:\n%s\n%s", english[i], spanish[i])
		}
	}
}
