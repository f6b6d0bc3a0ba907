package main

import (
	"sync"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
)

type failsafe struct {
	spec Spec
	keys sync.Map
}

func (f *failsafe) Allow(key string) bool {
	l, ok := f.keys.Load(key)
	if !ok {
		l, _ = f.keys.LoadOrStore(key, ratelimiter.NewBursty[any](uint(f.spec.Burst), f.spec.Per))
	}
	return l.(ratelimiter.RateLimiter[any]).TryAcquirePermit()
}

func (f *failsafe) Close() {}

func failsafePeer() Peer {
	return Peer{
		Name:    "failsafe-go + sync.Map",
		Module:  "github.com/failsafe-go/failsafe-go",
		What:    "its bursty limiter, a window that starts when the key is made; our sync.Map of limiters",
		Differs: "a fixed window: it has no rate besides the burst; no keys of its own, and this map never forgets one",
		New:     func(s Spec) (Limiter, error) { return &failsafe{spec: s}, nil },
	}
}
