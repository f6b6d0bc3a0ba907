package redistest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// A Server is one server of a test.
type Server struct {
	tb       testing.TB
	settings settings
	binary   string
	dir      string
	port     int
	args     []string // after the configuration file's path
	roots    *tls.Config
	clock    *steppableClock
	process  *process
}

// Start starts a server and waits until it answers.
func Start(tb testing.TB, options ...Option) *Server {
	tb.Helper()
	return start(tb, nil, options)
}

func start(tb testing.TB, args []string, options []Option) *Server {
	tb.Helper()
	binary, err := serverBinary()
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, binary: binary, dir: tb.TempDir(), args: args}
	for _, option := range options {
		option(&s.settings)
	}
	if s.settings.tls {
		s.roots = makeCertificates(tb, s.dir)
	}
	if s.settings.clock {
		s.clock = newSteppableClock(tb, s.dir)
	}
	tb.Cleanup(s.stop)
	for try := 1; ; try++ {
		if s.port, err = freePort(); err != nil {
			tb.Fatal(err)
		}
		s.configure()
		if err = s.launch(); err == nil {
			return s
		}
		if try == 5 || !strings.Contains(err.Error(), "already in use") {
			s.giveUp(err)
		}
	}
}

// noTLS is how a server says that it was built without.
var noTLS = regexp.MustCompile(`tls-port|tls-cert-file|Failed finding TLS support`)

// giveUp ends the test, or skips it if the binary that the environment names
// was built without what the test needs.
func (s *Server) giveUp(err error) {
	s.tb.Helper()
	if s.settings.tls && os.Getenv(BinaryVariable) != "" && noTLS.MatchString(err.Error()) {
		s.tb.Skipf("%s was built without TLS", s.binary)
	}
	s.tb.Fatal(err)
}

// configure writes redis.conf, in which the options' directives come last.
func (s *Server) configure() {
	s.tb.Helper()
	port := strconv.Itoa(s.port)
	directives := [][]string{{"bind", "127.0.0.1"}, {"dir", s.dir}, {"daemonize", "no"}}
	if s.settings.tls {
		directives = append(directives, []string{"port", "0"}, []string{"tls-port", port},
			[]string{"tls-cert-file", filepath.Join(s.dir, certificateFile)}, []string{"tls-key-file", filepath.Join(s.dir, keyFile)},
			[]string{"tls-ca-cert-file", filepath.Join(s.dir, authorityFile)}, []string{"tls-auth-clients", "no"})
	} else {
		directives = append(directives, []string{"port", port})
	}
	if s.args == nil { // a Sentinel does not know it
		directives = append(directives, []string{"save", ""})
	}
	text := configuration(append(directives, s.settings.directives...))
	if err := os.WriteFile(s.configPath(), text, 0o600); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *Server) configPath() string { return filepath.Join(s.dir, "redis.conf") }
func (s *Server) logPath() string    { return filepath.Join(s.dir, "log") }

// launch starts the process and waits until it answers a PING.
func (s *Server) launch() (err error) {
	environment := s.settings.environment
	if s.clock != nil {
		environment = append(environment, s.clock.environment()...)
	}
	if err := os.RemoveAll(s.logPath()); err != nil {
		return err
	}
	s.process, err = startProcess(s.dir, s.logPath(), environment, s.binary, append([]string{s.configPath()}, s.args...)...)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		_, err := s.Try("PING")
		if err == nil {
			return nil
		}
		if !s.process.running() || time.Now().After(deadline) {
			return fmt.Errorf("%s does not answer on port %d (%w); its log ends with:\n%s", s.binary, s.port, err, tail(s.logPath()))
		}
	}
}

func (s *Server) stop() {
	if s.process == nil {
		return
	}
	if err := s.process.kill(); err != nil {
		s.tb.Errorf("port %d: %v", s.port, err)
	}
	if s.tb.Failed() {
		s.tb.Logf("the log of the server on port %d ends with:\n%s", s.port, tail(s.logPath()))
	}
}

// Addr is the server's address, such as 127.0.0.1:12345.
func (s *Server) Addr() string { return address(s.port) }

// URL is the server's address with the user's name and password, such as
// redis://127.0.0.1:12345, or rediss:// if it speaks TLS.
func (s *Server) URL() string {
	u := url.URL{Scheme: "redis", Host: s.Addr(), Path: "/"}
	if s.settings.tls {
		u.Scheme = "rediss"
	}
	if s.settings.password != "" {
		u.User = url.UserPassword(s.settings.user, s.settings.password)
	}
	return u.String()
}

// ClientOption is what a client needs to connect as a test's user: address,
// user, password, and TLS with the server's authority.
func (s *Server) ClientOption() rueidis.ClientOption {
	return rueidis.ClientOption{
		InitAddress: []string{s.Addr()},
		Username:    s.settings.user,
		Password:    s.settings.password,
		TLSConfig:   s.TLSConfig(),
	}
}

// TLSConfig trusts the server's authority and nobody else. It is nil if the
// server does not speak TLS.
func (s *Server) TLSConfig() *tls.Config { return s.roots.Clone() }

// Kill ends the server at once, as kill -9 does.
func (s *Server) Kill() {
	s.tb.Helper()
	if err := s.process.kill(); err != nil {
		s.tb.Fatal(err)
	}
}

// Restart starts a server that was killed, on the same port and with what it
// has on disk: everything if it is Persistent, else nothing.
func (s *Server) Restart() {
	s.tb.Helper()
	if s.process.running() {
		s.tb.Fatal(errors.New("Restart of a server that runs: Kill it first"))
	}
	if err := s.launch(); err != nil {
		s.tb.Fatal(err)
	}
}

// RestartEmpty is Restart after a loss of the disk.
func (s *Server) RestartEmpty() {
	s.tb.Helper()
	for _, name := range []string{"appendonlydir", "appendonly.aof", "dump.rdb"} {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			s.tb.Fatal(err)
		}
	}
	s.Restart()
}

// Pause has the server fall silent, as SIGSTOP does: connections stay, and
// new ones are still accepted by the kernel.
func (s *Server) Pause() { s.tb.Helper(); s.must(s.process.signal(syscall.SIGSTOP)) }

// Resume ends a Pause.
func (s *Server) Resume() { s.tb.Helper(); s.must(s.process.signal(syscall.SIGCONT)) }

func (s *Server) must(err error) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
}
