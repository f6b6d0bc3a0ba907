package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/aforo-dev/aforo"
)

// log measures the price of the only algorithm that remembers every request.
func (r *run) log() error {
	s := &Section{
		Name: "log", Title: "The sliding window log",
		Note: "ns a decision on one key whose log is full, on 1 goroutine: steadily allowed, so that for each request one leaves and one enters, or refused. Memory is that of a full log by its requests, with the key's own.",
	}
	limits := []int{10, r.Sizes.Log}
	err := r.rounds(s.Name, len(limits), func(i int) error {
		return r.logOf(s, limits[i])
	})
	r.keep(s)
	return err
}

func (r *run) logOf(s *Section, limit int) error {
	subject := fmt.Sprintf("limit %d", limit)
	ticking := &tickingClock{step: time.Microsecond}
	steady, err := newLog(limit, time.Duration(limit)*time.Microsecond, ticking)
	if err != nil {
		return err
	}
	ask(steady, oneKey(2*limit))
	keys := oneKey(r.Sizes.Hot / 5)
	r.note(s, "allowed", subject, stopwatch(steady, keys), true)

	ticking = &tickingClock{step: time.Microsecond}
	full, err := newLog(limit, time.Hour, ticking)
	if err != nil {
		return err
	}
	ask(full, oneKey(limit))
	r.note(s, "refused", subject, stopwatch(full, keys), false)

	found, err := inChild(job{Kind: "log", Limit: limit, Keys: max(1, r.Sizes.Log/limit)})
	if err != nil {
		return err
	}
	s.add("memory of a request", "B", subject, found["bytes"])
	return nil
}

// tickingClock moves on whenever it is read, so that each request has an
// instant and an entry of its own, and the clock's own cost is next to nothing.
type tickingClock struct {
	now, step time.Duration
}

func (c *tickingClock) read() time.Time {
	c.now += c.step
	return time.Unix(1_700_000_000, 0).Add(c.now)
}

func newLog(limit int, period time.Duration, clock *tickingClock) (Limiter, error) {
	l := aforo.Per(int64(limit), period).Using(aforo.SlidingWindowLog)
	limits, err := aforo.NewLimits(l)
	if err != nil {
		return nil, err
	}
	limiter, err := aforo.NewLimiter(limits, aforo.WithClock(clock.read))
	return aforoLimiter{limiter}, err
}

// measureLog runs in a process of its own.
func measureLog(j job) (map[string]float64, error) {
	empty := memoryNow()
	limiter, err := newLog(j.Limit, time.Hour, &tickingClock{step: time.Microsecond})
	if err != nil {
		return nil, err
	}
	for range j.Limit {
		if n := fill(limiter, j.Keys); n != j.Keys {
			return nil, fmt.Errorf("%d of %d requests were admitted", n, j.Keys)
		}
	}
	full := memoryNow()
	full.minus(empty)
	_, err = limiter.(aforoLimiter).limiter.Peek(context.Background(), key(0), 1)
	runtime.KeepAlive(limiter)
	return figures{"bytes": full["heap"] / float64(j.Keys*j.Limit)}, err
}
