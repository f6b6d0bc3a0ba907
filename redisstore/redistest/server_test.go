package redistest

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAServerAnswers(t *testing.T) {
	t.Parallel()
	s := Start(t)
	s.Do("SET", "k", "v", "PX", "60000")
	s.Do("SET", "immortal", "v")
	if v := s.Do("GET", "k"); v != "v" {
		t.Errorf("GET k: %v", v)
	}
	if v := s.Do("GET", "nobody"); v != nil {
		t.Errorf("GET of a key that is not there: %v", v)
	}
	if _, err := s.Try("HGET", "k", "f"); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE") {
		t.Errorf("HGET of a string: %v", err)
	}
	if ttls := s.TTLs(); len(ttls) != 2 || ttls["immortal"] != -1 || ttls["k"] <= 0 || ttls["k"] > 60000 {
		t.Errorf("the TTLs are %v", ttls)
	}
	if calls := s.Calls("set"); calls != 2 {
		t.Errorf("SET was called %d times", calls)
	}
	if calls := s.Calls("hset"); calls != 0 {
		t.Errorf("HSET was called %d times", calls)
	}
	if s.URL() != "redis://"+s.Addr()+"/" {
		t.Errorf("the URL is %s", s.URL())
	}
}

func TestManyKeysHaveTheirTTLs(t *testing.T) {
	t.Parallel()
	s := Start(t)
	s.Do("EVAL", "for i = 1, 5000 do redis.call('SET', 'k' .. i, i, 'PX', 100000 + i) end", "0")
	if ttls := s.TTLs(); len(ttls) != 5000 {
		t.Errorf("%d keys", len(ttls))
	}
}

func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []Option
		restart func(*Server)
		want    any
	}{
		{"with nothing on disk", nil, (*Server).Restart, nil},
		{"with everything on disk", []Option{Persistent()}, (*Server).Restart, "v"},
		{"after a loss of the disk", []Option{Persistent()}, (*Server).RestartEmpty, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Start(t, c.options...)
			s.Do("SET", "k", "v")
			addr := s.Addr()
			s.Kill()
			if _, err := s.Try("PING"); err == nil {
				t.Fatal("a killed server answers")
			}
			c.restart(s)
			if v := s.Do("GET", "k"); v != c.want || s.Addr() != addr {
				t.Errorf("restarted at %s (was %s), GET k: %v, want %v", s.Addr(), addr, v, c.want)
			}
		})
	}
}

func TestAPausedServerIsSilentAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := Start(t)
	s.Pause()
	answered := make(chan error, 1)
	go func() {
		_, err := s.Try("SET", "k", "v")
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("answered while paused, with the error %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	s.Resume()
	if err := <-answered; err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

func TestPasswordsAndUsers(t *testing.T) {
	t.Parallel()
	s := Start(t, Password("secret"))
	if v := s.Do("ACL", "WHOAMI"); v != "default" {
		t.Errorf("with a password I am %v", v)
	}
	if want := "redis://:secret@" + s.Addr() + "/"; s.URL() != want {
		t.Errorf("the URL is %s, want %s", s.URL(), want)
	}
	s = Start(t, User("app", "p@ss/word", "~app:*", "+get"))
	if want := "redis://app:p%40ss%2Fword@" + s.Addr() + "/"; s.URL() != want {
		t.Errorf("the URL is %s, want %s", s.URL(), want)
	}
	if v := s.Do("ACL", "WHOAMI"); v != checker {
		t.Errorf("the checks are done by %v", v)
	}
	if v, err := s.Try("ACL", "DRYRUN", "app", "SET", "app:k", "v"); err == nil && v == "OK" {
		t.Error("the user may SET")
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := Start(t, TLS(), User("app", "secret", "~*", "+@all"))
	if s.URL() != "rediss://app:secret@"+s.Addr()+"/" {
		t.Errorf("the URL is %s", s.URL())
	}
	if v := s.Do("PING"); v != "PONG" {
		t.Errorf("PING: %v", v)
	}
	if s.TLSConfig().InsecureSkipVerify {
		t.Error("the certificate is not checked")
	}
	s.roots.RootCAs = nil // the system's, which do not know the test's authority
	if _, err := s.Try("PING"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a client that does not trust the authority: %v", err)
	}
}

func TestTheClockStepsWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	s := Start(t, SteppableClock())
	near := func(offset time.Duration) {
		t.Helper()
		if d := time.Until(s.Time()) - offset; d.Abs() > 10*time.Second {
			t.Errorf("the server's clock is %v off, want %v", d+offset, offset)
		}
	}
	near(0)
	s.Do("SET", "k", "v", "PX", "600000")
	s.StepClock(-time.Hour)
	near(-time.Hour)
	if ttl := s.TTLs()["k"]; ttl < 4_000_000 || ttl > 4_200_000 {
		t.Errorf("an hour back, a key of 10 minutes has %d ms to live", ttl)
	}
	s.StepClock(time.Hour + 5*time.Minute)
	near(5 * time.Minute)
	if ttl := s.TTLs()["k"]; ttl < 200_000 || ttl > 300_000 {
		t.Errorf("5 minutes forward, a key of 10 minutes has %d ms to live", ttl)
	}
	s.StepClock(10 * time.Minute)
	if v := s.Do("GET", "k"); v != nil {
		t.Errorf("the key outlived its time: %v", v)
	}
	seconds := s.Do("EVAL", "return redis.call('TIME')[1]", "0").(string)
	if n, _ := strconv.ParseInt(seconds, 10, 64); time.Until(time.Unix(n, 0)) < 10*time.Minute {
		t.Errorf("a script's TIME is %s", seconds)
	}
}

func TestAMissingBinaryIsNamed(t *testing.T) {
	t.Setenv(BinaryVariable, "/nowhere/redis-server")
	if _, err := serverBinary(); err == nil || !strings.Contains(err.Error(), "/nowhere/redis-server") {
		t.Errorf("a variable that names nothing: %v", err)
	}
	t.Setenv(BinaryVariable, "")
	t.Setenv("PATH", t.TempDir())
	if _, err := serverBinary(); err == nil || !strings.Contains(err.Error(), "apt-get install redis-server") {
		t.Errorf("nothing in PATH: %v", err)
	}
}

// A test process that is killed leaves no server behind: this one starts
// itself again, has that start a server, and kills it.
func TestNoServerOutlivesTheTest(t *testing.T) {
	if os.Getenv("REDISTEST_VICTIM") != "" {
		s := Start(t)
		os.Stdout.WriteString("server " + strconv.Itoa(s.process.command.Process.Pid) + "\n")
		select {}
	}
	if dieWithParent() == nil {
		t.Skip("only Linux can")
	}
	victim := exec.Command(os.Args[0], "-test.run", "^TestNoServerOutlivesTheTest$")
	victim.Env = append(os.Environ(), "REDISTEST_VICTIM=1", "TMPDIR="+t.TempDir())
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "server "); ok {
			pid, _ = strconv.Atoi(text)
		}
	}
	if pid == 0 || !serves(pid) {
		t.Fatalf("the victim started no server (process %d)", pid)
	}
	_ = victim.Process.Signal(syscall.SIGKILL)
	_ = victim.Wait()
	Wait(t, "the server is gone", func() bool { return !serves(pid) })
}

// serves tells whether a process is there and no zombie.
func serves(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}
