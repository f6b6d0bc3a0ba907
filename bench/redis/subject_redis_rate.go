package main

import (
	"context"

	"github.com/go-redis/redis_rate/v10"
)

const redisRateName = "redis_rate"

func redisRate() subject {
	return subject{
		Name: redisRateName, Module: "github.com/go-redis/redis_rate/v10",
		What: "GCRA (a token bucket) in floating point, with remaining and retry times in each answer, in one script; by go-redis",
		new: func(c *clients, l limit) (decider, error) {
			limiter := redis_rate.NewLimiter(c.goredis)
			limit := redis_rate.Limit{Rate: int(l.rate), Burst: int(l.burst), Period: l.per}
			return func(ctx context.Context, key string) (bool, error) {
				result, err := limiter.Allow(ctx, key, limit)
				return err == nil && result.Allowed > 0, err
			}, nil
		},
	}
}
