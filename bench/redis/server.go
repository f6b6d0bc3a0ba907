package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// A server is a redis-server of this run's own.
type server struct {
	addr    string
	folder  string
	process *exec.Cmd
	admin   *goredis.Client // by which it is asked about itself
}

// startServer starts a server on a free port, which keeps nothing on disk.
func startServer() (*server, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		if binary, err = exec.LookPath("valkey-server"); err != nil {
			return nil, errors.New("neither redis-server nor valkey-server is in PATH: install one, for example: apt-get install redis-server")
		}
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "aforo-bench-redis-")
	if err != nil {
		return nil, err
	}
	s := &server{addr: net.JoinHostPort("127.0.0.1", port), folder: folder}
	s.process = exec.Command(binary, "--bind", "127.0.0.1", "--port", port, "--dir", folder, "--save", "", "--appendonly", "no")
	s.process.SysProcAttr = dieWithParent()
	runtime.LockOSThread() // what starts it, and so must not end before it, is this thread: see PR_SET_PDEATHSIG
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	s.admin = goredis.NewClient(&goredis.Options{Addr: s.addr})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err = s.admin.Ping(context.Background()).Err(); err == nil {
			return s, nil
		}
		if time.Now().After(deadline) {
			s.stop()
			return nil, fmt.Errorf("%s does not answer: %w", binary, err)
		}
	}
}

// freePort is one that nobody listens on at the moment.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

func (s *server) stop() {
	_ = s.admin.Close()
	_ = s.process.Process.Kill() // it has nothing to lose
	_ = s.process.Wait()
	_ = os.RemoveAll(s.folder)
}

// info is what the server says of itself, by name.
func (s *server) info(ctx context.Context, sections ...string) (map[string]string, error) {
	text, err := s.admin.Info(ctx, sections...).Result()
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			values[name] = value
		}
	}
	return values, nil
}

func (s *server) version(ctx context.Context) (string, error) {
	info, err := s.info(ctx, "server")
	if valkey := info["valkey_version"]; valkey != "" {
		return "valkey-server " + valkey, err
	}
	return "redis-server " + info["redis_version"], err
}

// spent is what the server has spent since its statistics were reset: seconds of
// CPU since it started, and microseconds in scripts.
func (s *server) spent(ctx context.Context) (cpu, scripts float64, err error) {
	info, err := s.info(ctx, "cpu", "commandstats")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(info[name], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("INFO cpu: %s: %w", name, err)
		}
		cpu += seconds
	}
	// cmdstat_evalsha:calls=1,usec=20,usec_per_call=20.00,...
	for _, name := range []string{"cmdstat_evalsha", "cmdstat_eval"} {
		for field := range strings.SplitSeq(info[name], ",") {
			if usec, ok := strings.CutPrefix(field, "usec="); ok {
				n, err := strconv.ParseFloat(usec, 64)
				if err != nil {
					return 0, 0, fmt.Errorf("INFO commandstats: %s: %w", name, err)
				}
				scripts += n
			}
		}
	}
	return cpu, scripts, nil
}
