package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A tally is what callers have seen.
type tally struct {
	calls, allowed, errors int
	latencies              []time.Duration
	err                    error // the last
}

// ask has callers ask at once until there have been so many calls.
func ask(ctx context.Context, decide decider, keys []string, callers, calls int) tally {
	each := (calls + callers - 1) / callers
	return together(keys, callers, func(_ int, key string, t *tally) (more bool) {
		t.ask(ctx, decide, key)
		return t.calls < each
	})
}

// askFor has callers ask at once for some time.
func askFor(ctx context.Context, decide decider, keys []string, callers int, d time.Duration) tally {
	end := time.Now().Add(d)
	return together(keys, callers, func(_ int, key string, t *tally) (more bool) {
		began := time.Now()
		t.ask(ctx, decide, key)
		now := time.Now()
		t.latencies = append(t.latencies, now.Sub(began))
		return now.Before(end)
	})
}

func (t *tally) ask(ctx context.Context, decide decider, key string) {
	allowed, err := decide(ctx, key)
	t.calls++
	switch {
	case err != nil:
		t.errors, t.err = t.errors+1, err
	case allowed:
		t.allowed++
	}
}

// together runs callers at once, each of which goes through all keys from a place of
// its own, until it has had enough.
func together(keys []string, callers int, call func(caller int, key string, t *tally) (more bool)) (all tally) {
	tallies := make([]tally, callers)
	var done sync.WaitGroup
	for caller := range callers {
		done.Go(func() {
			for i := caller * len(keys) / callers; call(caller, keys[i%len(keys)], &tallies[caller]); i++ {
			}
		})
	}
	done.Wait()
	for _, t := range tallies {
		all.calls, all.allowed, all.errors = all.calls+t.calls, all.allowed+t.allowed, all.errors+t.errors
		all.latencies = append(all.latencies, t.latencies...)
		if t.err != nil {
			all.err = t.err
		}
	}
	return all
}

// round measures one subject for a slice of time. All that it decides must be
// allowed, or all be refused.
func (r *run) round(ctx context.Context, decide decider, keys []string, callers, batch int, allowed bool) (Round, error) {
	runtime.GC() // nobody pays for others
	if err := r.server.admin.ConfigResetStat(ctx).Err(); err != nil {
		return Round{}, err
	}
	serverBefore, _, err := r.server.spent(ctx)
	if err != nil {
		return Round{}, err
	}
	clientBefore, began := cpu(), time.Now()
	t := askFor(ctx, decide, keys, callers, r.sizes.Slice)
	took, client := time.Since(began), cpu()-clientBefore
	server, scripts, err := r.server.spent(ctx)
	if err != nil {
		return Round{}, err
	}
	decisions := float64((t.calls - t.errors) * batch)
	if decisions == 0 {
		decisions = 1
	}
	wrong := t.allowed
	if allowed {
		wrong = t.calls - t.errors - t.allowed
	}
	slices.Sort(t.latencies)
	return Round{
		PerSecond: float64((t.calls-t.errors)*batch) / took.Seconds(),
		ClientCPU: client.Seconds() / decisions * 1e6,
		ServerCPU: (server - serverBefore) / decisions * 1e6,
		Script:    scripts / decisions,
		P50:       percentile(t.latencies, 50),
		P99:       percentile(t.latencies, 99),
		Errors:    float64(t.errors) / float64(t.calls),
		Wrong:     float64(wrong*batch) / decisions,
	}, nil
}

// percentile is of sorted latencies, in microseconds.
func percentile(sorted []time.Duration, of int) float64 {
	return float64(sorted[(len(sorted)-1)*of/100]) / 1e3
}

// cpu is the time that this program has had of the processors.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it is asked of itself
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
