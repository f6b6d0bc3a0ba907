package main

import (
	"time"

	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"
)

type echoLimiter struct {
	store *middleware.RateLimiterMemoryStore
}

func (e echoLimiter) Allow(key string) bool {
	allowed, err := e.store.Allow(key)
	return err == nil && allowed
}

func (e echoLimiter) Close() {}

func echoPeer() Peer {
	return Peer{
		Name:    "echo memory store",
		Module:  "github.com/labstack/echo/v4",
		What:    "token bucket in floats (x/time/rate); a map under one mutex, which is held for the whole decision",
		Differs: "asked by its store, without its middleware; keys expire after a day here, since by default it forgets after three minutes what a slow limit still needs",
		New: func(s Spec) (Limiter, error) {
			config := middleware.RateLimiterMemoryStoreConfig{Rate: rate.Limit(s.perSecond()), Burst: int(s.Burst), ExpiresIn: 24 * time.Hour}
			return echoLimiter{middleware.NewRateLimiterMemoryStoreWithConfig(config)}, nil
		},
	}
}
