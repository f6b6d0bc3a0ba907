package textbook

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
	"github.com/aforo-dev/aforo/sim"
)

// redisConn is a connection to a Redis server for wrong limiters, which only need
// commands that answer with an integer.
type redisConn struct {
	net.Conn
	answers *bufio.Reader
}

func dialRedis(addr string) (*redisConn, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &redisConn{conn, bufio.NewReader(conn)}, nil
}

func (c *redisConn) do(command ...any) (int64, error) {
	if _, err := fmt.Fprintln(c, command...); err != nil {
		return 0, err
	}
	answer, err := c.answers.ReadString('\n')
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(answer, ":")), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%v: %s", command, answer)
	}
	return n, nil
}

// wrongTwoSteps is the wrong fixed window that many write first: it counts, and
// in a second step sets when the count is to be forgotten. Between the two
// anything may happen.
type wrongTwoSteps struct {
	redis   *redisConn
	limit   int64
	seconds int
	between func() // for a test, to stop there
}

func (w *wrongTwoSteps) allow(key string) (bool, error) {
	count, err := w.redis.do("INCR", key)
	if err != nil {
		return false, err
	}
	if count == 1 {
		if w.between != nil {
			w.between()
		}
		if _, err := w.redis.do("EXPIRE", key, w.seconds); err != nil {
			return false, err
		}
	}
	return count <= w.limit, nil
}

// dieVariable has this program be a process that dies between the two steps.
const dieVariable = "AFORO_TEST_DIES_BETWEEN"

func TestMain(m *testing.M) {
	if addr := os.Getenv(dieVariable); addr != "" {
		redis, err := dialRedis(addr)
		if err == nil {
			w := wrongTwoSteps{redis: redis, limit: 5, seconds: 60, between: func() {
				fmt.Println("counted")
				select {} // until it is killed
			}}
			_, err = w.allow("user:42")
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// dieBetween starts a process that counts, and kills it before it says for how long.
func dieBetween(t *testing.T, addr string) {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), dieVariable+"="+addr)
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = process.Process.Kill()
	_ = process.Wait()
	if line != "counted\n" {
		t.Fatalf("the process said %q: %v", line, err)
	}
}

// twoSteps is what comes of a key that one process has left without an end.
type twoSteps struct {
	Limit, Asked  int // 5 a minute, once a minute
	Wrong, Right  int // allowed
	LeftForever   int // keys that never die
	RightImmortal int // of the keys of the right store
}

// measureTwoSteps asks once a minute for an hour, and once more after a year, by
// the clock of the server.
func measureTwoSteps(t *testing.T) twoSteps {
	server := redistest.Start(t, redistest.SteppableClock())
	m := twoSteps{Limit: 5, Asked: 60}
	dieBetween(t, server.Addr())
	redis, err := dialRedis(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer redis.Close()
	wrong := &wrongTwoSteps{redis: redis, limit: int64(m.Limit), seconds: 60}
	right := sharedLimiter(t, server, fmt.Sprintf("fixed_window %d/m", m.Limit))
	askBoth := func() (wrongly, rightly bool) {
		wrongly, err := wrong.allow("user:42")
		if err != nil {
			t.Fatal(err)
		}
		d, err := right.Allow(t.Context(), "user:42")
		if err != nil {
			t.Fatal(err)
		}
		return wrongly, d.Allowed
	}
	for range m.Asked {
		server.StepClock(time.Minute)
		wrongly, rightly := askBoth()
		m.Wrong += one(wrongly)
		m.Right += one(rightly)
	}
	for key, ttl := range server.TTLs() {
		if ttl < 0 && key == "user:42" {
			m.LeftForever++
		} else if ttl < 0 {
			m.RightImmortal++
		}
	}
	server.StepClock(365 * 24 * time.Hour)
	wrongly, rightly := askBoth()
	if wrongly || !rightly {
		t.Errorf("after a year the wrong one allows: %v, the right one: %v", wrongly, rightly)
	}
	return m
}

// sharedLimiter is a limiter of an instance that shares a server.
func sharedLimiter(t *testing.T, server *redistest.Server, limit string) *aforo.Limiter {
	t.Helper()
	store, err := redisstore.Open(server.URL(), redisstore.WithBudget(10*time.Second), redisstore.WithRefusals(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	limiter, err := aforo.New(limit, aforo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	return limiter
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// wrongSortedSet is the wrong sliding window log that is found in many places: it
// adds the request to a sorted set before it counts it, so those that it refuses
// stay in the set and are counted too.
type wrongSortedSet struct {
	redis     *redisConn
	limit, ms int64
	requests  int
}

func (w *wrongSortedSet) allow(key string, nowMS int64) (bool, error) {
	w.requests++ // members of their own, so that this is its only fault
	for _, command := range [][]any{
		{"ZREMRANGEBYSCORE", key, "-inf", nowMS - w.ms},
		{"ZADD", key, nowMS, fmt.Sprint("request:", w.requests)},
		{"PEXPIRE", key, w.ms},
	} {
		if _, err := w.redis.do(command...); err != nil {
			return false, err
		}
	}
	count, err := w.redis.do("ZCARD", key)
	return count <= w.limit, err
}

// wrongMembers is another wrong one: it counts before it adds, and then adds the
// time as the member too, so that requests of one millisecond are one.
type wrongMembers struct {
	redis     *redisConn
	limit, ms int64
}

func (w *wrongMembers) allow(key string, nowMS int64) (bool, error) {
	if _, err := w.redis.do("ZREMRANGEBYSCORE", key, "-inf", nowMS-w.ms); err != nil {
		return false, err
	}
	count, err := w.redis.do("ZCARD", key)
	if err != nil || count >= w.limit {
		return false, err
	}
	if _, err := w.redis.do("ZADD", key, nowMS, nowMS); err != nil {
		return false, err
	}
	_, err = w.redis.do("PEXPIRE", key, w.ms)
	return true, err
}

// sortedSets is what the wrong sorted sets allow, beside a sliding_window_log.
type sortedSets struct {
	Asked, Wrong, Right int // by somebody who never stops asking
	AfterTheFirst       int // of Wrong, those after the first refusal

	Together, WrongTogether, RightTogether int // in one millisecond
	Members                                int64
}

func measureSortedSets(t *testing.T) (m sortedSets) {
	redis, err := dialRedis(redistest.Start(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer redis.Close()
	start := sim.Start.UnixMilli()

	wrong := &wrongSortedSet{redis: redis, limit: 10, ms: 60_000}
	right := newAlone(t, "sliding_window_log 10/m")
	refused := false
	for m.Asked = 0; m.Asked < 600; m.Asked++ { // each second for ten minutes
		at := start + int64(m.Asked)*1000
		allowed, err := wrong.allow("persistent", at)
		if err != nil {
			t.Fatal(err)
		}
		if m.Wrong += one(allowed); refused {
			m.AfterTheFirst += one(allowed)
		}
		refused = refused || !allowed
		m.Right += one(right.allow(at * 1000))
	}

	members := &wrongMembers{redis: redis, limit: 10, ms: 60_000}
	right = newAlone(t, "sliding_window_log 10/m")
	for m.Together = 0; m.Together < 100; m.Together++ {
		allowed, err := members.allow("together", start)
		if err != nil {
			t.Fatal(err)
		}
		m.WrongTogether += one(allowed)
		m.RightTogether += one(right.allow(start * 1000))
	}
	if m.Members, err = redis.do("ZCARD", "together"); err != nil {
		t.Fatal(err)
	}
	return m
}
