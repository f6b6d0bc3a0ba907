package main

import (
	"sync"
	"time"

	"go.uber.org/ratelimit"
)

// uber can only make the caller wait. A limit of one each nanosecond, which no
// caller reaches, shows what its decision costs when there is nothing to wait
// for; a limit that holds would only show how well the process sleeps.
type uber struct {
	perSecond int
	keys      sync.Map
}

func (u *uber) Allow(key string) bool {
	l, ok := u.keys.Load(key)
	if !ok {
		l, _ = u.keys.LoadOrStore(key, ratelimit.New(u.perSecond))
	}
	l.(ratelimit.Limiter).Take()
	return true
}

func (u *uber) Close() {}

func uberPeer() Peer {
	return Peer{
		Name:    "uber-go/ratelimit + sync.Map",
		Module:  "go.uber.org/ratelimit",
		What:    "a leaky bucket that sleeps until the turn; our sync.Map of limiters",
		Differs: "it cannot refuse, only wait: measured on the hot key alone, at a rate (1 each ns) at which nothing waits",
		Waits:   true,
		New:     func(Spec) (Limiter, error) { return &uber{perSecond: int(time.Second)}, nil },
	}
}
