package main

import (
	"sync"

	"github.com/juju/ratelimit"
)

type juju struct {
	spec Spec
	mu   sync.Mutex
	keys map[string]*ratelimit.Bucket
}

func (j *juju) Allow(key string) bool {
	j.mu.Lock()
	b, ok := j.keys[key]
	if !ok {
		b = ratelimit.NewBucket(j.spec.interval(), j.spec.Burst)
		j.keys[key] = b
	}
	j.mu.Unlock()
	return b.TakeAvailable(1) == 1
}

func (j *juju) Close() {}

func jujuPeer() Peer {
	return Peer{
		Name:    "juju/ratelimit + mutex map",
		Module:  "github.com/juju/ratelimit",
		What:    "token bucket refilled in whole tokens; our map of buckets under one mutex",
		Differs: "it has no keys of its own, and this map never forgets one",
		New: func(s Spec) (Limiter, error) {
			return &juju{spec: s, keys: map[string]*ratelimit.Bucket{}}, nil
		},
	}
}
