package redisstore_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// What others have put under a limiter's key, with no time to live, is not a
// state: the key is as if never used, and what is counted replaces it.
func TestForeignValues(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	store := patient(t, s.URL())
	foreign := map[string][]string{
		"a number":                  {"SET", "", "1000"},
		"nothing":                   {"SET", "", ""},
		"25 bytes of text":          {"SET", "", "0123456789abcdef012345678"},
		"33 bytes of text":          {"SET", "", "0123456789abcdef0123456789abcdef0"},
		"25 bytes of no numbers":    {"SET", "", strings.Repeat("\xff", 25)},
		"33 bytes of no numbers":    {"SET", "", strings.Repeat("\xff", 33)},
		"25 bytes of large numbers": {"SET", "", "\x00" + strings.Repeat("\x00\x00\x00\x00\x00\x00\xe0\x7f", 3)},
		"33 bytes of large numbers": {"SET", "", "\x00" + strings.Repeat("\x00\x00\x00\x00\x00\x00\xe0\x7f", 4)},
		"a hash":                    {"HSET", "", "field", "value"},
		"a set":                     {"SADD", "", "member"},
		"a sorted set":              {"ZADD", "", "1", "member"},
		"a list":                    {"RPUSH", "", "one", "two"},
		"a list with 41 bytes":      {"RPUSH", "", strings.Repeat("x", 41), "two"},
		"a list with three units":   {"RPUSH", "", "\x00\x00\x00\x00\x00\x00\x00\xe0\x7f\x00\x00\x00\x00\x00\x00\x08\x40" + strings.Repeat("\x00", 24), "two"},
		"a list of 41 bytes only":   {"RPUSH", "", strings.Repeat("\x00", 41)},
		"a stream":                  {"XADD", "", "*", "field", "value"},
	}
	for _, text := range []string{"3/h", "leaky_bucket 3/h", "fixed_window 3/h", "sliding_window_log 3/h", "sliding_window_counter 3/h", "3/h, sliding_window_log 3/h"} {
		s.Do("FLUSHALL")
		call := take("k", text)
		verdicts := make([]aforo.Verdict, len(call.Limits))
		if err := store.Do(context.Background(), call, verdicts); err != nil {
			t.Fatal(err)
		}
		keys := slices.Collect(maps.Keys(s.TTLs()))
		for name, command := range foreign {
			for _, key := range keys {
				s.Do("DEL", key)
				command[1] = key
				s.Do(command...)
			}
			for i := range 4 {
				err := store.Do(context.Background(), call, verdicts)
				if err != nil || allowed(verdicts) != (i < 3) {
					t.Errorf("%s in the way of %s: request %d: %+v, %v", name, text, i, verdicts, err)
					break
				}
			}
			noImmortal(t, s)
			if err := store.Do(context.Background(), aforo.Call{Op: aforo.OpReset, Key: "k", Limits: call.Limits}, nil); err != nil {
				t.Errorf("%s: reset: %v", name, err)
			}
		}
	}
}

// All operations bear foreign values.
func TestForeignValuesAndEveryOperation(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	store := patient(t, s.URL())
	for _, a := range aforo.Algorithms() {
		limits := []aforo.Limit{aforo.PerHour(3).Using(a)}
		for op := aforo.OpTake; op <= aforo.OpReset; op++ {
			s.Do("FLUSHALL")
			call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 1}
			verdicts := make([]aforo.Verdict, 1)
			if err := store.Do(context.Background(), call, verdicts); err != nil {
				t.Fatal(err)
			}
			call.Op, call.At = op, 0
			if op == aforo.OpUndo {
				call.At = verdicts[0].At
			}
			for key := range s.TTLs() {
				s.Do("DEL", key)
				s.Do("HSET", key, "field", "value")
			}
			if err := store.Do(context.Background(), call, verdicts); err != nil {
				t.Errorf("%v, %v: %v", a, op, err)
			}
			if err := store.Do(context.Background(), aforo.Call{Op: aforo.OpPeek, Key: "k", Limits: limits}, verdicts); err != nil {
				t.Errorf("%v, %v, then a look: %v", a, op, err)
			}
		}
	}
}

// A live limit whose algorithm changes, and changes back, meets no state of another
// algorithm, and finds what it had counted itself.
func TestAlgorithmsShareNoKeys(t *testing.T) {
	t.Parallel()
	store := patient(t, redistest.Start(t).URL())
	for round := range 2 {
		for _, a := range aforo.Algorithms() {
			call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: []aforo.Limit{aforo.Per(4, forLong).Using(a)}, Cost: 2}
			verdicts := make([]aforo.Verdict, 1)
			if err := store.Do(context.Background(), call, verdicts); err != nil || !verdicts[0].Allowed || verdicts[0].Remaining != int64(2-2*round) {
				t.Errorf("round %d, %v: %+v, %v", round, a, verdicts[0], err)
			}
		}
	}
}

// A key of ours that somebody has made immortal lives no longer than its state:
// the next request that is counted gives it a time to live again.
func TestAPersistedKey(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.SteppableClock())
	store := patient(t, s.URL())
	for _, a := range aforo.Algorithms() {
		s.Do("FLUSHALL")
		call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: []aforo.Limit{aforo.PerMinute(3).Using(a)}, Cost: 3}
		verdicts := make([]aforo.Verdict, 1)
		if err := store.Do(context.Background(), call, verdicts); err != nil || !verdicts[0].Allowed {
			t.Fatalf("%v: %+v, %v", a, verdicts, err)
		}
		for key := range s.TTLs() {
			s.Do("PERSIST", key)
		}
		s.StepClock(2 * 60e9)
		if err := store.Do(context.Background(), call, verdicts); err != nil || !verdicts[0].Allowed {
			t.Errorf("%v: two minutes later: %+v, %v", a, verdicts, err)
		}
		noImmortal(t, s)
	}
}

// Many who meet a foreign value at once get what there is: who removes it removes
// nothing that others have counted meanwhile.
func TestAForeignValueMetByMany(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	store := open(t, s.URL(), redisstore.WithBudget(unhurried), redisstore.WithRefusals(0))
	for _, a := range aforo.Algorithms() {
		call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: []aforo.Limit{aforo.Per(10, forLong).Using(a)}, Cost: 1}
		if err := store.Do(context.Background(), call, make([]aforo.Verdict, 1)); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			for key := range s.TTLs() {
				s.Do("DEL", key)
				s.Do("HSET", key, "field", "value")
			}
			var told atomic.Int64
			var callers sync.WaitGroup
			for range 32 {
				callers.Go(func() {
					verdicts := make([]aforo.Verdict, 1)
					if err := store.Do(context.Background(), call, verdicts); err != nil {
						t.Error(err)
					} else if verdicts[0].Allowed {
						told.Add(1)
					}
				})
			}
			callers.Wait()
			if told.Load() != 10 {
				t.Errorf("%v: %d of 10 admitted", a, told.Load())
			}
		}
		s.Do("FLUSHALL")
	}
}
