package main

import "github.com/didip/tollbooth/v7/limiter"

type tollboothLimiter struct{ limiter *limiter.Limiter }

func (t tollboothLimiter) Allow(key string) bool { return !t.limiter.LimitReached(key) }
func (t tollboothLimiter) Close()                {}

func tollboothPeer() Peer {
	return Peer{
		Name:    "tollbooth",
		Module:  "github.com/didip/tollbooth/v7",
		What:    "token bucket in floats (a copy of x/time/rate); keys in a cache with expiry, under one lock",
		Differs: "asked by LimitReached, without its middleware; version 7, not its newest",
		New: func(s Spec) (Limiter, error) {
			return tollboothLimiter{limiter.New(nil).SetMax(s.perSecond()).SetBurst(int(s.Burst))}, nil
		},
	}
}
