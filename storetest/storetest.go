// Package storetest holds the tests that every aforo.Store must pass, ours and
// anybody's:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T, clock func() time.Time) aforo.Store {
//			return mystore.New(mystore.WithClock(clock))
//		})
//	}
//
// They hold the store to the rules, to the last unit and the last microsecond:
// by vectors, by random sequences that are compared with the rules in package
// aforo, and by what is said of Store and Call.
package storetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// New makes an empty store that reads the time from clock. It releases with
// t.Cleanup what has to be released. The clock may step back.
type New func(t *testing.T, clock func() time.Time) aforo.Store

// Run runs all tests, each on a store of its own.
func Run(t *testing.T, newStore New) {
	t.Run("Vectors", func(t *testing.T) { testVectors(t, newStore) })
	t.Run("Random", func(t *testing.T) { Random(t, newStore, 1, 20_000) })
	t.Run("AllOrNothing", func(t *testing.T) { testAllOrNothing(t, newStore) })
	t.Run("ChargeAllOrNothing", func(t *testing.T) { testChargeAllOrNothing(t, newStore) })
	t.Run("Undo", func(t *testing.T) { testUndo(t, newStore) })
	t.Run("LateTurn", func(t *testing.T) { testLateTurn(t, newStore) })
	t.Run("Prompt", func(t *testing.T) { testPrompt(t, newStore) })
	t.Run("Reset", func(t *testing.T) { testReset(t, newStore) })
	t.Run("Keys", func(t *testing.T) { testKeys(t, newStore) })
	t.Run("States", func(t *testing.T) { testStates(t, newStore) })
	t.Run("BadCalls", func(t *testing.T) { testBadCalls(t, newStore) })
	t.Run("Concurrent", func(t *testing.T) { testConcurrent(t, newStore) })
}

// epoch is when the tests' clocks start: not at the edge of any window.
const epoch = 1_767_225_600_000_000 + 12_345_678

// A clock is set by a test, in microseconds since the Unix epoch.
type clock struct{ micros atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.micros.Store(epoch)
	return c
}

func (c *clock) now() time.Time         { return time.UnixMicro(c.micros.Load()) }
func (c *clock) set(micros int64)       { c.micros.Store(micros) }
func (c *clock) pass(d time.Duration)   { c.micros.Add(d.Microseconds()) }
func parse(limits string) []aforo.Limit { return mustParse(limits).List() }

func mustParse(limits string) aforo.Limits {
	parsed, err := aforo.ParseLimits(limits)
	if err != nil {
		panic(err)
	}
	return parsed
}

// subject is a store with a clock, as the tests talk to it.
type subject struct {
	t     *testing.T
	store aforo.Store
	clock *clock
}

func newSubject(t *testing.T, newStore New) *subject {
	c := newClock()
	return &subject{t, newStore(t, c.now), c}
}

// do carries out a call that must not fail.
func (s *subject) do(call aforo.Call) []aforo.Verdict {
	s.t.Helper()
	verdicts := make([]aforo.Verdict, len(call.Limits))
	if err := s.store.Do(context.Background(), call, verdicts); err != nil {
		s.t.Fatalf("%v of %d: %v", call.Op, call.Cost, err)
	}
	return verdicts
}

// take takes cost units from a key and tells whether all limits allowed it.
func (s *subject) take(limits []aforo.Limit, key string, cost int64) bool {
	s.t.Helper()
	allowed := true
	for _, v := range s.do(aforo.Call{Op: aforo.OpTake, Key: key, Limits: limits, Cost: cost}) {
		allowed = allowed && v.Allowed
	}
	return allowed
}

// remaining is what each limit has left for a key.
func (s *subject) remaining(limits []aforo.Limit, key string) []int64 {
	s.t.Helper()
	var left []int64
	for _, v := range s.do(aforo.Call{Op: aforo.OpPeek, Key: key, Limits: limits}) {
		left = append(left, v.Remaining)
	}
	return left
}
