package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// What one instance has used up, another refuses, with the true wait: it is refused
// until then, and admitted then.
func TestAnotherInstanceSaysTheTrueWait(t *testing.T) {
	t.Parallel()
	everyAlgorithm(t, func(s *stepped) {
		s.expect("by one", s.admits("k", 20), 10)
		other := &stepped{s.t, s.s, open(s.t, s.s.URL(), redisstore.WithBudget(unhurried)), s.limit}
		v := other.ask("k")
		if v.Allowed || v.Retry <= 0 || v.Retry > 60_000_000 || v.Remaining != 0 {
			s.t.Fatalf("%v: by the other: %+v", s.limit, v)
		}
		wait := time.Duration(v.Retry) * time.Microsecond
		if slack := 2 * time.Second; wait > slack { // a server is not asked at the microsecond
			s.s.StepClock(wait - slack)
			third := &stepped{s.t, s.s, open(s.t, s.s.URL(), redisstore.WithBudget(unhurried)), s.limit}
			s.expect("two seconds before the wait is over", third.admits("k", 1), 0)
			s.s.StepClock(slack)
		} else {
			s.s.StepClock(wait)
		}
		s.expect("when the wait is over", s.admits("k", 1), 1)
	})
}

// Two instances whose clocks are ten seconds apart: what is stored never goes back,
// so the late one neither admits nor lets the other admit again.
func TestALateInstanceRewindsNothing(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 600_000, time.UTC)
	instance := func(ahead time.Duration) *redisstore.Store {
		return open(t, s.URL(), redisstore.WithBudget(unhurried), redisstore.WithRefusals(0),
			redisstore.WithClock(func() time.Time { return now.Add(ahead) }))
	}
	a, b := instance(0), instance(-10*time.Second)
	for _, text := range []string{"2/s burst 4", "leaky_bucket 2/s burst 4", "fixed_window 4/2s", "sliding_window_log 4/2s", "sliding_window_counter 4/2s"} {
		call := take("k", text)
		ask := func(store *redisstore.Store, requests int) (admitted int) {
			for range requests {
				verdicts := make([]aforo.Verdict, 1)
				if err := store.Do(context.Background(), call, verdicts); err != nil {
					t.Fatal(err)
				}
				if verdicts[0].Allowed {
					admitted++
				}
			}
			return admitted
		}
		if n := ask(a, 5); n != 4 {
			t.Errorf("%s: %d of 5 admitted first", text, n)
		}
		if n := ask(b, 1); n != 0 {
			t.Errorf("%s: ten seconds late, one more was admitted", text)
		}
		if n := ask(a, 5); n != 0 {
			t.Errorf("%s: then %d of 5 admitted", text, n)
		}
	}
}

// Instances do not ask their own clocks: entries are as old as the server says.
func TestEntriesAreAsOldAsTheServerSays(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.SteppableClock())
	one, other := patient(t, s.URL()), patient(t, s.URL())
	call := take("k", "sliding_window_log 10/m")
	call.Cost = 10
	verdicts := make([]aforo.Verdict, 1)
	if err := one.Do(context.Background(), call, verdicts); err != nil || !verdicts[0].Allowed {
		t.Fatalf("%+v, %v", verdicts, err)
	}
	taken := verdicts[0].At
	s.StepClock(52 * time.Second) // of which the instances know nothing
	call.Cost = 1
	if err := other.Do(context.Background(), call, verdicts); err != nil || verdicts[0].Allowed {
		t.Fatalf("%+v, %v", verdicts, err)
	}
	if due := verdicts[0].At + verdicts[0].Retry; due != taken+60_000_000 {
		t.Errorf("due %dus after they were taken, want 60s", due-taken)
	}
}

// While the server fails, an instance answers by what was declared, and decisions
// say so; afterwards the server decides again.
func TestFailurePolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy aforo.FailurePolicy
		source aforo.Source
		admits int // of 20 that are asked while it fails, at 10/h by two instances, 4 used before
	}{
		{aforo.FailAllow, aforo.SourceAllow, 20},
		{aforo.FailDeny, aforo.SourceDeny, 0},
		{aforo.FailLocal(2), aforo.SourceLocal, 1},
	} {
		t.Run(c.policy.String(), func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, redistest.Persistent())
			failures, last := 0, error(nil)
			store := open(t, s.URL(), redisstore.WithBudget(unhurried), redisstore.WithBreaker(5, brief))
			limiter, err := aforo.New("fixed_window 10/168h", aforo.WithStore(store),
				aforo.OnStoreFailure(c.policy), aforo.WithFailureHook(func(_ context.Context, f aforo.StoreFailure) { failures, last = failures+1, f.Err }))
			if err != nil {
				t.Fatal(err)
			}
			ask := func(requests int, source aforo.Source) (admitted int) {
				for range requests {
					d, err := limiter.Allow(context.Background(), "k")
					if err != nil || d.Source != source {
						t.Errorf("%v: source %v, want %v (%v; the store's last failure: %v)", d, d.Source, source, err, last)
					}
					if d.Allowed {
						admitted++
					}
				}
				return admitted
			}
			if n := ask(4, aforo.SourceStore); n != 4 {
				t.Errorf("%d of 4 admitted by the server", n)
			}
			s.Kill()
			if n := ask(20, c.source); n != c.admits || failures != 20 {
				t.Errorf("%d of 20 admitted without the server, want %d; %d failures told", n, c.admits, failures)
			}
			s.Restart()
			redistest.Wait(t, "the server decides again", func() bool {
				for range 60 { // each connection that broke may be noticed by a call
					if d, err := limiter.Peek(context.Background(), "k", 1); err != nil || d.Source != aforo.SourceStore {
						return false
					}
				}
				return true
			})
			if n := ask(7, aforo.SourceStore); n != 6 {
				t.Errorf("%d of 7 admitted when it is back, 6 were left", n)
			}
		})
	}
}
