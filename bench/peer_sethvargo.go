package main

import (
	"context"

	limiter "github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"
)

type sethvargo struct{ store limiter.Store }

func (s sethvargo) Allow(key string) bool {
	_, _, _, ok, err := s.store.Take(context.Background(), key)
	return err == nil && ok
}

func (s sethvargo) Close() { _ = s.store.Close(context.Background()) }

func sethvargoPeer() Peer {
	return Peer{
		Name:    sethvargoName,
		Module:  "github.com/sethvargo/go-limiter",
		What:    "a window that starts with a key's first hit; keys in its memorystore",
		Differs: "a fixed window: it has no rate besides the burst",
		New: func(s Spec) (Limiter, error) {
			store, err := memorystore.New(&memorystore.Config{Tokens: uint64(s.Burst), Interval: s.Per})
			return sethvargo{store}, err
		},
	}
}
