package main

import (
	"runtime"
	"sync"
	"time"
)

// timing is what one run of the loop showed.
type timing struct {
	perDecision float64 // wall time / all decisions, in ns
	allowed     int
	decisions   int
}

// ask is the loop that is timed.
func ask(l Limiter, keys []string) (allowed int) {
	for _, key := range keys {
		if l.Allow(key) {
			allowed++
		}
	}
	return allowed
}

// stopwatch times one goroutine for each of draws. Garbage of whatever was
// before is collected first, so that nobody pays for others.
func stopwatch(l Limiter, draws ...[]string) timing {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	allowed := make([]int, len(draws))
	t := timing{}
	for i, keys := range draws {
		t.decisions += len(keys)
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			allowed[i] = ask(l, keys)
		})
	}
	ready.Wait()
	runtime.GC()
	began := time.Now()
	close(start)
	done.Wait()
	t.perDecision = float64(time.Since(began)) / float64(t.decisions)
	for _, n := range allowed {
		t.allowed += n
	}
	return t
}

// shared is the timing of two goroutines that share the work: together they
// decide as often as one alone would.
func shared(l Limiter, a, b []string) timing {
	return stopwatch(l, a[:len(a)/2], b[:len(b)/2])
}
