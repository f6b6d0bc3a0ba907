package redistest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a running server.
type process struct {
	command *exec.Cmd
	ended   chan struct{} // closed when it has
}

// launcher is a thread that starts processes and never ends. The kernel sends
// the signal for the death of a parent when the *thread* that started the
// child ends, and Go ends threads when it likes.
var launcher = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread() // and never unlocks it
		for start := range work {
			start()
		}
	}()
	return work
})

// startProcess runs a program in a folder, its output appended to a file.
func startProcess(dir, logPath string, environment []string, program string, args ...string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &process{command: exec.Command(program, args...), ended: make(chan struct{})}
	p.command.Dir = dir
	p.command.Stdout, p.command.Stderr = log, log
	p.command.Env = append(os.Environ(), environment...)
	p.command.SysProcAttr = dieWithParent()
	started := make(chan error)
	launcher() <- func() { started <- p.command.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	go func() {
		_ = p.command.Wait() // how it ended is in its log
		close(p.ended)
	}()
	return p, nil
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends it at once, as kill -9 does, and waits until it has.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil && p.running() {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("still running 10s after kill -9")
	}
}

func (p *process) signal(s syscall.Signal) error {
	if err := p.command.Process.Signal(s); err != nil {
		return fmt.Errorf("signal %v to process %d: %w", s, p.command.Process.Pid, err)
	}
	return nil
}

// tail is the end of a log, for a failure's message.
func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
