package main

import (
	"context"

	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
)

type ulule struct{ limiter *limiter.Limiter }

func (u ulule) Allow(key string) bool {
	answer, err := u.limiter.Get(context.Background(), key)
	return err == nil && !answer.Reached
}

func (u ulule) Close() {}

func ululePeer() Peer {
	return Peer{
		Name:    "ulule/limiter",
		Module:  "github.com/ulule/limiter/v3",
		What:    "a window that starts with a key's first hit; keys in its memory store",
		Differs: "a fixed window: it has no rate besides the burst; refusals are counted too",
		New: func(s Spec) (Limiter, error) {
			return ulule{limiter.New(memory.NewStore(), limiter.Rate{Period: s.Per, Limit: s.Burst})}, nil
		},
	}
}
