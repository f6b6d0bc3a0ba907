package main

import (
	"context"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

const (
	rueidisScriptName = "rueidis EVALSHA"
	tunedScriptName   = "rueidis EVALSHA, collected"
	batch             = 64
	incr              = "return redis.call('INCR', KEYS[1])"
)

// The ceilings count keys of their own, and limit nothing.

func rueidisIncr() subject {
	return subject{
		Name: "rueidis INCR", Module: rueidisModule, What: "one INCR", Ceiling: true,
		new: func(c *clients, _ limit) (decider, error) {
			return func(ctx context.Context, key string) (bool, error) {
				return true, c.rueidis.Do(ctx, c.rueidis.B().Incr().Key("ri:"+key).Build()).Error()
			}, nil
		},
	}
}

func rueidisScript() subject {
	return scriptBy(rueidisScriptName, "a script of one INCR", func(c *clients) rueidis.Client { return c.rueidis })
}

func tunedScript() subject {
	return scriptBy(tunedScriptName, "the same by a client with the options that redisstore.Open gives it",
		func(c *clients) rueidis.Client { return c.tuned })
}

func scriptBy(name, what string, by func(*clients) rueidis.Client) subject {
	return subject{
		Name: name, Module: rueidisModule, What: what, Ceiling: true,
		new: func(c *clients, _ limit) (decider, error) {
			script, client := rueidis.NewLuaScript(incr), by(c)
			return func(ctx context.Context, key string) (bool, error) {
				return true, script.Exec(ctx, client, []string{"rs:" + key}, nil).Error()
			}, nil
		},
	}
}

func goRedisIncr() subject {
	return subject{
		Name: "go-redis INCR", Module: goRedisModule, What: "one INCR", Ceiling: true,
		new: func(c *clients, _ limit) (decider, error) {
			return func(ctx context.Context, key string) (bool, error) {
				return true, c.goredis.Incr(ctx, "gi:"+key).Err()
			}, nil
		},
	}
}

func goRedisScript() subject {
	return subject{
		Name: "go-redis EVALSHA", Module: goRedisModule, What: "a script of one INCR", Ceiling: true,
		new: func(c *clients, _ limit) (decider, error) {
			script := goredis.NewScript(incr)
			return func(ctx context.Context, key string) (bool, error) {
				return true, script.Run(ctx, c.goredis, []string{"gs:" + key}).Err()
			}, nil
		},
	}
}

func pipeline() subject {
	return subject{
		Name: "pipeline of 64 INCR", Module: rueidisModule, Ceiling: true, Batch: batch,
		What: "each caller sends 64 INCR at once, by rueidis: not what a limiter can do whose callers come one by one",
		new: func(c *clients, _ limit) (decider, error) {
			return func(ctx context.Context, key string) (bool, error) {
				commands := make([]rueidis.Completed, batch)
				for i := range commands {
					commands[i] = c.rueidis.B().Incr().Key("rp:" + key).Build()
				}
				for _, result := range c.rueidis.DoMulti(ctx, commands...) {
					if err := result.Error(); err != nil {
						return false, err
					}
				}
				return true, nil
			}, nil
		},
	}
}
