package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// TestMain puts this program into the PATH as aforo, for scripts and for tests
// that start a process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"aforo": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:      "testdata/script",
		Deadline: time.Now().Add(5 * time.Minute), // for a command that does not end
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  scriptStatus,
			"server":  scriptServer,
			"post":    scriptPost,
			"signal":  scriptSignal,
			"website": scriptWebsite,
			"redis":   scriptRedis(t),
			"get":     scriptGet,

			"until-up": scriptUntilUp,
		},
	})
}

// scriptRedis is "redis start", which starts a Redis server and sets REDIS to its
// address, "redis kill" and "redis restart".
func scriptRedis(t *testing.T) func(*testscript.TestScript, bool, []string) {
	redis := map[string]*redistest.Server{}
	return func(ts *testscript.TestScript, _ bool, args []string) {
		work := ts.Getenv("WORK")
		switch strings.Join(args, " ") {
		case "start":
			redis[work] = redistest.Start(t)
			ts.Setenv("REDIS", redis[work].URL())
		case "kill":
			redis[work].Kill()
		case "restart":
			redis[work].Restart()
		default:
			ts.Fatalf("usage: redis start|kill|restart")
		}
	}
}

// scriptStatus is "status CODE COMMAND...": it runs a command and wants an exit
// code of it.
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// scriptServer is "server ARGS...": it starts aforo serve on a free port, waits
// for its banner, and sets SERVER to its URL and ADDRESS to its
// host and port.
func scriptServer(ts *testscript.TestScript, _ bool, args []string) {
	p, err := startServer(ts.MkAbs("."), args...)
	ts.Check(err)
	ts.Defer(func() { p.kill() })
	servers[ts.Getenv("WORK")] = p
	ts.Setenv("SERVER", p.url)
	ts.Setenv("ADDRESS", strings.TrimPrefix(p.url, "http://"))
	ts.Check(os.WriteFile(ts.MkAbs("banner"), []byte(p.banner), 0o666))
}

var servers = map[string]*process{} // scripts run one by one

// scriptSignal is "signal NAME": it sends the server a signal and wants it to
// end well.
func scriptSignal(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}
	p := servers[ts.Getenv("WORK")]
	ts.Check(p.cmd.Process.Signal(signals[args[0]]))
	ts.Check(p.wait())
	ts.Check(os.WriteFile(ts.MkAbs("log"), []byte(p.log.String()), 0o666))
}

// scriptPost is "post PATH BODY": it sends a request to the server and prints
// status, header and body of the response.
func scriptPost(ts *testscript.TestScript, _ bool, args []string) {
	response, err := http.Post(ts.Getenv("SERVER")+args[0], "application/json", strings.NewReader(args[1]))
	printResponse(ts, response, err)
}

// scriptGet is "get PATH": it asks the server, and prints what it answers.
func scriptGet(ts *testscript.TestScript, _ bool, args []string) {
	response, err := http.Get(ts.Getenv("SERVER") + args[0])
	printResponse(ts, response, err)
}

// scriptUntilUp waits until the server's store works.
func scriptUntilUp(ts *testscript.TestScript, _ bool, _ []string) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(ts.Getenv("SERVER") + "/healthz")
		ts.Check(err)
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return
		}
	}
	ts.Fatalf("the store does not work again")
}

func printResponse(ts *testscript.TestScript, response *http.Response, err error) {
	ts.Check(err)
	defer response.Body.Close()
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n", response.Status)
	ts.Check(err)
	ts.Check(response.Header.Write(ts.Stdout()))
	_, err = io.Copy(ts.Stdout(), response.Body)
	ts.Check(err)
}

// scriptWebsite starts a server that is not ours, and sets WEBSITE to its URL.
func scriptWebsite(ts *testscript.TestScript, _ bool, _ []string) {
	silent := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/silent"):
			select {
			case <-silent:
			case <-r.Context().Done():
			}
		case strings.HasPrefix(r.URL.Path, "/json"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"status":"ok"}`)
		case strings.HasPrefix(r.URL.Path, "/moved"):
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		default:
			_, _ = io.WriteString(w, "<html>hello</html>")
		}
	}))
	ts.Defer(func() { close(silent); web.Close() })
	ts.Setenv("WEBSITE", web.URL)
}

// process is an aforo serve that runs.
type process struct {
	cmd    *exec.Cmd
	url    string
	banner string
	log    strings.Builder
	ended  chan error
}

// startServer starts a server on a free port and waits for all of its banner.
func startServer(dir string, args ...string) (*process, error) {
	return startProcess(dir, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
}

// startProcess starts a command that serves, and waits for all of its banner.
func startProcess(dir string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command("aforo", args...), ended: make(chan error, 1)}
	p.cmd.Dir = dir
	p.cmd.Stderr = &p.log
	out, w := io.Pipe()
	p.cmd.Stdout = w
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		err := p.cmd.Wait()
		w.Close()
		p.ended <- err
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.banner += lines.Text() + "\n"
		if url, ok := strings.CutPrefix(lines.Text(), "Aforo listens on "); ok {
			p.url, _, _ = strings.Cut(url, " ")
		}
		if strings.HasPrefix(lines.Text(), "Stop with") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p, nil
		}
	}
	return nil, fmt.Errorf("no banner: %v\n%s", <-p.ended, &p.log)
}

// wait returns when the process has ended: nil if its exit code is 0.
func (p *process) wait() error {
	select {
	case err := <-p.ended:
		p.ended <- err
		return err
	case <-time.After(30 * time.Second):
		return fmt.Errorf("it does not end")
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.wait()
}
