package main

import (
	"context"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/goredis"
)

const (
	aforoName   = "Aforo"
	plainName   = "Aforo, rueidis as it comes"
	unmemorised = "Aforo, no refusals remembered"
	threeLimits = "three token buckets at once"
	aforoModule = "github.com/aforo-dev/aforo/redisstore"
)

// budgeted are options with a breaker that does not trip: so what fails is counted,
// and what follows is measured.
func (c *clients) budgeted(options ...redisstore.Option) []redisstore.Option {
	return append(options, redisstore.WithBudget(c.budget), redisstore.WithBreaker(1<<30, time.Millisecond))
}

func aforoByRueidis() subject {
	return subject{
		Name: aforoName, Module: aforoModule,
		What: "token bucket in exact integers, with Remaining, RetryAfter and ResetAfter in each answer, a budget and a circuit breaker; by redisstore.Open, which has rueidis collect what it sends on one connection for 20us",
		new:  func(c *clients, l limit) (decider, error) { return aforoOf(c, l, []aforo.Algorithm{aforo.TokenBucket}) },
	}
}

func aforoAsItComes() subject {
	return subject{
		Name: plainName, Module: aforoModule,
		What: "the same by redisstore.New, on a client of rueidis with the options that it has by default",
		new: func(c *clients, l limit) (decider, error) {
			store, err := redisstore.New(c.rueidis, c.budgeted()...)
			if err != nil {
				return nil, err
			}
			return onStore(store, l.aforo(aforo.TokenBucket))
		},
	}
}

func aforoByGoRedis() subject {
	return subject{
		Name: "Aforo by go-redis", Module: aforoModule + "/goredis",
		What: "the same by go-redis",
		new: func(c *clients, l limit) (decider, error) {
			store, err := goredis.New(c.once, c.budgeted()...)
			if err != nil {
				return nil, err
			}
			return onStore(store, l.aforo(aforo.TokenBucket))
		},
	}
}

// aforoUnmemorised asks the server each time.
func aforoUnmemorised() subject {
	return subject{
		Name: unmemorised, Module: aforoModule,
		What: "Aforo with WithRefusals(0)",
		new: func(c *clients, l limit) (decider, error) {
			return aforoOf(c, l, []aforo.Algorithm{aforo.TokenBucket}, redisstore.WithRefusals(0))
		},
	}
}

// algorithms is Aforo under each algorithm, and with several limits.
func algorithms() (list []subject) {
	for _, a := range aforo.Algorithms() {
		list = append(list, subject{
			Name: a.String(), Module: aforoModule,
			new: func(c *clients, l limit) (decider, error) { return aforoOf(c, l, []aforo.Algorithm{a}) },
		})
	}
	return append(list, subject{
		Name: threeLimits, Module: aforoModule,
		new: func(c *clients, l limit) (decider, error) {
			return aforoOf(c, l, []aforo.Algorithm{aforo.TokenBucket, aforo.TokenBucket, aforo.TokenBucket})
		},
	})
}

func aforoOf(c *clients, l limit, algorithms []aforo.Algorithm, options ...redisstore.Option) (decider, error) {
	store, err := c.open(options...)
	if err != nil {
		return nil, err
	}
	var limits []aforo.Limit
	for i, a := range algorithms {
		l.per *= time.Duration(1 + i) // each has a key of its own
		limits = append(limits, l.aforo(a))
	}
	return onStore(store, limits...)
}

func onStore(store aforo.Store, list ...aforo.Limit) (decider, error) {
	limits, err := aforo.NewLimits(list...)
	if err != nil {
		return nil, err
	}
	limiter, err := aforo.NewLimiter(limits, aforo.WithStore(store))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, key string) (bool, error) {
		d, err := limiter.Allow(ctx, key)
		return d.Allowed, err
	}, nil
}

// aforo is the limit under an algorithm. The buckets take rate and burst, the
// windows the burst as all that fits in one.
func (l limit) aforo(a aforo.Algorithm) aforo.Limit {
	if a == aforo.TokenBucket || a == aforo.LeakyBucket {
		return aforo.Per(l.rate, l.per).Burst(l.burst).Using(a)
	}
	return aforo.Per(l.burst, l.per).Using(a)
}
