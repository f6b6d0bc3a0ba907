package main

import (
	"context"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
)

func throttledStore() subject {
	return subject{
		Name: "throttled", Module: "github.com/throttled/throttled/v2",
		What: "GCRA (a token bucket) in two round trips, which it repeats when another was faster, and gives up with an error after ten; by go-redis",
		new: func(c *clients, l limit) (decider, error) {
			store, err := goredisstore.NewCtx(c.goredis, "throttled:")
			if err != nil {
				return nil, err
			}
			quota := throttled.RateQuota{MaxRate: throttled.PerDuration(int(l.rate), l.per), MaxBurst: int(l.burst) - 1}
			limiter, err := throttled.NewGCRARateLimiterCtx(store, quota)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, key string) (bool, error) {
				limited, _, err := limiter.RateLimitCtx(ctx, key, 1)
				return err == nil && !limited, err
			}, nil
		},
	}
}
