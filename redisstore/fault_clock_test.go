package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A stepped is a server whose clock steps, and a limit of ten a minute on it.
type stepped struct {
	t     *testing.T
	s     *redistest.Server
	store *redisstore.Store
	limit aforo.Limit
}

// everyAlgorithm runs a test for each, beside each other, at an instant that is no
// edge of a window.
func everyAlgorithm(t *testing.T, test func(*stepped)) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, redistest.SteppableClock())
			into := s.Time().Sub(s.Time().Truncate(time.Minute))
			s.StepClock(time.Minute + 10*time.Second - into)
			store := open(t, s.URL(), redisstore.WithBudget(unhurried), redisstore.WithRefusals(0))
			test(&stepped{t, s, store, aforo.PerMinute(10).Using(a)})
			noImmortal(t, s)
		})
	}
}

// admits is how many of so many requests for a key are.
func (s *stepped) admits(key string, requests int) (n int) {
	s.t.Helper()
	for range requests {
		if s.ask(key).Allowed {
			n++
		}
	}
	return n
}

func (s *stepped) ask(key string) aforo.Verdict {
	s.t.Helper()
	verdicts := make([]aforo.Verdict, 1)
	call := aforo.Call{Op: aforo.OpTake, Key: key, Limits: []aforo.Limit{s.limit}, Cost: 1}
	if err := s.store.Do(context.Background(), call, verdicts); err != nil {
		s.t.Fatal(err)
	}
	return verdicts[0]
}

func (s *stepped) expect(what string, got, want int) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%v: %s: %d admitted, want %d", s.limit, what, got, want)
	}
}

// A clock that is set back grants nothing: who was at the limit stays there, who had
// room has that and no more, and is back to normal one period after.
func TestTheServersClockStepsBack(t *testing.T) {
	t.Parallel()
	everyAlgorithm(t, func(s *stepped) {
		s.expect("before", s.admits("full", 20), 10)
		s.expect("before", s.admits("half", 5), 5)
		s.s.StepClock(-time.Hour)
		s.expect("at the limit, an hour back", s.admits("full", 20), 0)
		s.expect("with half the room, an hour back", s.admits("half", 20), 5)
		s.expect("never seen, an hour back", s.admits("new", 20), 10)
		s.s.StepClock(2 * time.Minute)
		s.expect("with half the room, two minutes later", s.admits("half", 20), 10)
		s.expect("never seen before, two minutes later", s.admits("new", 20), 10)
		s.s.StepClock(time.Hour)
		s.expect("when the clock has caught up", s.admits("full", 20), 10)
	})
}

// A clock that is set forward by an hour has an hour pass: one capacity more, once,
// and none when it is set back again.
func TestTheServersClockStepsForward(t *testing.T) {
	t.Parallel()
	everyAlgorithm(t, func(s *stepped) {
		s.expect("before", s.admits("k", 20), 10)
		s.s.StepClock(time.Hour)
		s.expect("an hour ahead", s.admits("k", 20), 10)
		for range 3 {
			s.s.StepClock(-time.Hour)
			s.expect("set right again", s.admits("k", 20), 0)
			s.s.StepClock(time.Hour)
			s.expect("an hour ahead again", s.admits("k", 20), 0)
		}
	})
}

// A clock that jitters by less than a period, as one that is slewed in steps, admits
// what it would have: the capacity in any period.
func TestTheServersClockJitters(t *testing.T) {
	t.Parallel()
	everyAlgorithm(t, func(s *stepped) {
		s.expect("before", s.admits("k", 20), 10)
		for range 5 {
			s.s.StepClock(-5 * time.Second)
			s.expect("5s back", s.admits("k", 5), 0)
			s.s.StepClock(5 * time.Second)
			s.expect("5s forward", s.admits("k", 5), 0)
		}
	})
}

// Under load, no step makes the store count wrongly or fail. In a minute no unit of
// the load's limits comes back.
func TestTheServersClockStepsUnderLoad(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.SteppableClock())
	l := startLoad(t, patient(t, s.URL()), 8, newTargets(2))
	for range 5 {
		s.StepClock(-time.Minute)
		l.await(100)
		s.StepClock(2 * time.Minute)
		l.await(100)
		s.StepClock(-time.Minute)
		l.await(100)
	}
	l.noFailures()
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}
