package main

import (
	"context"
	"testing"
	"time"
)

// testServer is a server of a test's own, and the connections to it.
func testServer(t *testing.T) (*server, *clients) {
	t.Helper()
	s, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	c, err := s.connect(quickSizes().Budget)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return s, c
}

func limiters() []subject {
	return append(append(peers(), aforoUnmemorised()), algorithms()...)
}

func newDecider(t *testing.T, s *server, c *clients, of subject, l limit) decider {
	t.Helper()
	if err := s.admin.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	decide, err := of.new(c, l)
	if err != nil {
		t.Fatal(err)
	}
	return decide
}

// TestSubjectsLimit shows that limiters are measured, not the lack of one: the burst
// passes, the rest does not, and another key has a burst of its own.
func TestSubjectsLimit(t *testing.T) {
	s, c := testServer(t)
	for _, of := range limiters() {
		decide := newDecider(t, s, c, of, limit{rate: 5, burst: 5, per: time.Hour})
		for _, key := range keyNames(2) {
			for i := range 10 {
				allowed, err := decide(context.Background(), key)
				if err != nil || allowed != (i < 5) {
					t.Errorf("%s, %s, request %d: allowed %v, %v", of.Name, key, i+1, allowed, err)
				}
			}
		}
	}
}

// TestSubjectsLimitTogether asks from many goroutines for the same key.
func TestSubjectsLimitTogether(t *testing.T) {
	s, c := testServer(t)
	for _, of := range limiters() {
		decide := newDecider(t, s, c, of, limit{rate: 100, burst: 100, per: time.Hour})
		all := ask(context.Background(), decide, keyNames(1), 16, 400)
		if all.calls != 400 || all.allowed > 100 || all.allowed < 100 && all.errors == 0 {
			t.Errorf("%s: %d of %d allowed, with %d errors", of.Name, all.allowed, all.calls, all.errors)
		}
	}
}

// TestSubjectsHoldTheMeasuredLimits tries the very limits of the workloads, and what
// is counted of them.
func TestSubjectsHoldTheMeasuredLimits(t *testing.T) {
	s, c := testServer(t)
	for _, of := range limiters() {
		if all := ask(context.Background(), newDecider(t, s, c, of, open), keyNames(1), 1, 500); all.allowed != 500 {
			t.Errorf("%s, open: %+v", of.Name, all)
		}
		if all := ask(context.Background(), newDecider(t, s, c, of, shut), keyNames(1), 1, 500); all.allowed != 1 || all.errors != 0 {
			t.Errorf("%s, shut: %+v", of.Name, all)
		}
	}
}

func TestCeilingsCount(t *testing.T) {
	s, c := testServer(t)
	for _, of := range subjects() {
		if !of.Ceiling {
			continue
		}
		ask(context.Background(), newDecider(t, s, c, of, open), keyNames(1), 4, 20)
		keys := s.admin.Keys(context.Background(), "*").Val()
		if len(keys) != 1 {
			t.Fatalf("%s: keys %v", of.Name, keys)
		}
		if n, err := s.admin.Get(context.Background(), keys[0]).Int(); err != nil || n != 20*max(1, of.Batch) {
			t.Errorf("%s has counted %d, %v", of.Name, n, err)
		}
	}
}

func TestSubjectsSayWhatTheyAre(t *testing.T) {
	seen := map[string]bool{}
	for _, of := range withVersions(append(subjects(), aforoUnmemorised())) {
		if of.What == "" || of.Version == "" || seen[of.Name] {
			t.Errorf("%q does not say what it is, or is there twice: %+v", of.Name, of)
		}
		seen[of.Name] = true
	}
	for _, name := range []string{aforoName, plainName, redisRateName, rueidisScriptName, tunedScriptName, unmemorised} {
		if !seen[name] {
			t.Errorf("no subject has the name %q, which the goals use", name)
		}
	}
}
