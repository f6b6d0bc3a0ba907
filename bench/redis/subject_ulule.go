package main

import (
	"context"

	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/redis"
)

func ululeStore() subject {
	return subject{
		Name: "ulule/limiter", Module: "github.com/ulule/limiter/v3",
		What: "fixed window that begins with the first hit, which counts what it refuses, in one script; by go-redis",
		new: func(c *clients, l limit) (decider, error) {
			store, err := redis.NewStore(c.goredis)
			if err != nil {
				return nil, err
			}
			limiter := limiter.New(store, limiter.Rate{Period: l.per, Limit: l.burst})
			return func(ctx context.Context, key string) (bool, error) {
				result, err := limiter.Get(ctx, key)
				return err == nil && !result.Reached, err
			}, nil
		},
	}
}
