package main

import (
	"sync"

	"golang.org/x/time/rate"
)

// xtimeMutex is the recipe of most tutorials: a map under one lock, which is
// let go before the limiter is asked.
type xtimeMutex struct {
	limit rate.Limit
	burst int
	mu    sync.Mutex
	keys  map[string]*rate.Limiter
}

func (x *xtimeMutex) Allow(key string) bool {
	x.mu.Lock()
	l, ok := x.keys[key]
	if !ok {
		l = rate.NewLimiter(x.limit, x.burst)
		x.keys[key] = l
	}
	x.mu.Unlock()
	return l.Allow()
}

func (x *xtimeMutex) Close() {}

func xtimeMutexPeer() Peer {
	return Peer{
		Name:    xtimeMutexName,
		Module:  "golang.org/x/time",
		What:    "token bucket in floats; our map of limiters under one mutex",
		Differs: "it has no keys of its own, and this map never forgets one",
		New: func(s Spec) (Limiter, error) {
			return &xtimeMutex{limit: rate.Limit(s.perSecond()), burst: int(s.Burst), keys: map[string]*rate.Limiter{}}, nil
		},
	}
}
