package main

import "tailscale.com/util/limiter"

type tailscaleLimiter struct{ limiter *limiter.Limiter[string] }

func (t tailscaleLimiter) Allow(key string) bool { return t.limiter.Allow(key) }
func (t tailscaleLimiter) Close()                {}

func tailscalePeer() Peer {
	return Peer{
		Name:    "tailscale util/limiter",
		Module:  "tailscale.com",
		What:    "token bucket refilled in whole tokens; an LRU of keys under one mutex",
		Differs: "it keeps only as many keys as it is told, here all; its newest versions need a newer Go",
		New: func(s Spec) (Limiter, error) {
			return tailscaleLimiter{&limiter.Limiter[string]{Size: max(s.Keys, 1024), Max: s.Burst, RefillInterval: s.interval()}}, nil
		},
	}
}
