package main

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMain lets the test binary do a job, as the command does for itself.
func TestMain(m *testing.M) {
	if was, err := runJob(); was {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// A child that was built with the race detector would sleep a second
	// before it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// small holds a few hits for an hour.
var small = Spec{Rate: 5, Per: time.Hour, Burst: 5, Keys: 1000}

func newPeer(t *testing.T, p Peer, s Spec) Limiter {
	t.Helper()
	l, err := p.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}
