package redisstore_test

import (
	"testing"

	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A server that forgets its scripts is told them again, and nobody notices.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	l := startLoad(t, patient(t, s.URL()), 8, newTargets(2))
	for range 50 {
		s.Do("SCRIPT", "FLUSH")
		l.await(20)
	}
	l.noFailures()
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// Connections that an administrator kills take the calls with them that were
// under way; those are not repeated, since they may have been carried out.
func TestClientKill(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	l := startLoad(t, open(t, s.URL(), hurried()...), 8, newTargets(2))
	for range 30 {
		s.Do("CLIENT", "KILL", "TYPE", "normal")
		l.await(50)
	}
	l.countedOnce(patient(t, s.URL()), 0)
	l.within(brief)
	noImmortal(t, s)
}
