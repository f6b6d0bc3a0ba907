package redisstore_test

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A full server that evicts nothing refuses to write. What would be counted is a
// failure of the store, and nothing is half counted; what is refused or looked at
// needs no memory and goes on.
func TestAFullServer(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.Config("maxmemory-policy", "noeviction"))
	l := startLoad(t, open(t, s.URL(), hurried()...), 8, newTargets(2))
	l.await(2000) // all tight ones are used up
	s.Do("CONFIG", "SET", "maxmemory", "1")
	redistest.Wait(t, "calls fail", func() bool { return l.failures() > 20 })
	if text := l.report(); !strings.Contains(text, "OOM") && !strings.Contains(text, "maxmemory") {
		t.Errorf("the errors do not name the cause: %s", text)
	}
	store := patient(t, s.URL())
	for _, a := range aforo.Algorithms() {
		call := aforo.Call{Op: aforo.OpTake, Key: "tight0", Limits: []aforo.Limit{aforo.Per(tight, forLong).Using(a)}, Cost: 1}
		verdicts := make([]aforo.Verdict, 1)
		if err := store.Do(context.Background(), call, verdicts); err != nil || verdicts[0].Allowed {
			t.Errorf("%v: a refusal by a full server: %+v, %v", a, verdicts[0], err)
		}
	}
	s.Do("CONFIG", "SET", "maxmemory", "0")
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// A full server meets a log whose oldest entries have aged out. Whether it counts
// (it does, since dropping them comes first) or not, the log stays whole.
func TestAFullServerAndALogThatAges(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.SteppableClock())
	store := patient(t, s.URL())
	do := func(call aforo.Call) (aforo.Verdict, error) {
		verdicts := make([]aforo.Verdict, 1)
		err := store.Do(context.Background(), call, verdicts)
		return verdicts[0], err
	}
	call := take("k", "sliding_window_log 10/m")
	for i := range 8 {
		if v, err := do(call); err != nil || !v.Allowed {
			t.Fatalf("request %d: %+v, %v", i, v, err)
		}
		s.StepClock(6 * time.Second)
	}
	s.StepClock(21 * time.Second) // two have aged out, six are left
	s.Do("CONFIG", "SET", "maxmemory", "1")
	remain := int64(4)
	for range 3 {
		if v, err := do(call); err == nil && v.Allowed {
			remain--
		}
	}
	s.Do("CONFIG", "SET", "maxmemory", "0")
	call.Op, call.Cost = aforo.OpPeek, 0
	if v, err := do(call); err != nil || v.Remaining != remain {
		t.Errorf("%d remain, want %d (%v)", v.Remaining, remain, err)
	}
}

// A full server that evicts forgets keys: each time one more capacity is admitted
// to that key, and not more.
func TestEviction(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.Config("maxmemory-policy", "allkeys-lru"))
	store := open(t, s.URL(), redisstore.WithBudget(unhurried), redisstore.WithRefusals(0))
	const keys, each, rounds, callers = 8000, 2, 2, 16
	if err := store.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Do("CONFIG", "SET", "maxmemory", strconv.Itoa(number(t, s.Info("memory", "used_memory"))+400_000))
	limits := []aforo.Limit{aforo.Per(each, forLong)}
	var admitted atomic.Int64
	failed := make(chan error, callers)
	for caller := range callers {
		go func() {
			var err error
			for i := range rounds * keys / callers {
				call := aforo.Call{Op: aforo.OpTake, Key: strconv.Itoa((caller + i*callers) % keys), Limits: limits, Cost: 1}
				verdicts := make([]aforo.Verdict, 1)
				for range each {
					if err == nil {
						err = store.Do(context.Background(), call, verdicts)
					}
					if verdicts[0].Allowed {
						admitted.Add(1)
					}
				}
			}
			failed <- err
		}()
	}
	for range callers {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	evicted := int64(number(t, s.Info("stats", "evicted_keys")))
	if evicted == 0 {
		t.Fatal("nothing was evicted: make the server smaller")
	}
	if exact := int64(keys * each); admitted.Load() < exact || admitted.Load() > exact+evicted*each {
		t.Errorf("%d admitted, %d keys evicted: want %d to %d", admitted.Load(), evicted, exact, exact+evicted*each)
	}
	t.Logf("%d admitted to %d keys of %d, %d evicted", admitted.Load(), keys, each, evicted)
	noImmortal(t, s)
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
