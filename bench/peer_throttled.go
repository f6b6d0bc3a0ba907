package main

import (
	"context"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

type throttledLimiter struct {
	limiter *throttled.GCRARateLimiterCtx
}

func (t throttledLimiter) Allow(key string) bool {
	limited, _, err := t.limiter.RateLimitCtx(context.Background(), key, 1)
	return err == nil && !limited
}

func (t throttledLimiter) Close() {}

func throttledPeer() Peer {
	return Peer{
		Name:    throttledName,
		Module:  "github.com/throttled/throttled/v2",
		What:    "GCRA (a token bucket), with remaining and retry times in each answer; keys in its memstore, as a map without bound",
		Differs: "it gives up with an error after ten lost races on a key, which counts as a refusal here; its map never forgets a key",
		New: func(s Spec) (Limiter, error) {
			store, err := memstore.NewCtx(0)
			if err != nil {
				return nil, err
			}
			quota := throttled.RateQuota{MaxRate: throttled.PerDuration(int(s.Rate), s.Per), MaxBurst: int(s.Burst) - 1}
			l, err := throttled.NewGCRARateLimiterCtx(store, quota)
			return throttledLimiter{l}, err
		},
	}
}
