package main

import (
	"sync"

	"golang.org/x/time/rate"
)

// xtimeSyncMap is the other recipe of tutorials.
type xtimeSyncMap struct {
	limit rate.Limit
	burst int
	keys  sync.Map
}

func (x *xtimeSyncMap) Allow(key string) bool {
	l, ok := x.keys.Load(key)
	if !ok {
		l, _ = x.keys.LoadOrStore(key, rate.NewLimiter(x.limit, x.burst))
	}
	return l.(*rate.Limiter).Allow()
}

func (x *xtimeSyncMap) Close() {}

func xtimeSyncMapPeer() Peer {
	return Peer{
		Name:    "x/time/rate + sync.Map",
		Module:  "golang.org/x/time",
		What:    "token bucket in floats; our sync.Map of limiters",
		Differs: "it has no keys of its own, and this map never forgets one",
		New: func(s Spec) (Limiter, error) {
			return &xtimeSyncMap{limit: rate.Limit(s.perSecond()), burst: int(s.Burst)}, nil
		},
	}
}
