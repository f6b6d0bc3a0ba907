package main

import (
	"context"

	"github.com/aforo-dev/aforo"
)

// aforoLimiter asks as an application does, and reads what it needs of the
// decision.
type aforoLimiter struct{ limiter *aforo.Limiter }

func (a aforoLimiter) Allow(key string) bool {
	d, err := a.limiter.Allow(context.Background(), key)
	return err == nil && d.Allowed
}

func (a aforoLimiter) Close() {}

func aforoPeer() Peer {
	return Peer{
		Name:   aforoName,
		Module: "github.com/aforo-dev/aforo",
		What:   "token bucket in exact integers, with Remaining, RetryAfter and ResetAfter in each answer; keys in the memory store",
		New:    func(s Spec) (Limiter, error) { return newAforo(s, aforo.TokenBucket) },
	}
}

// newAforo makes a limiter of one limit under any of the algorithms.
func newAforo(s Spec, algorithm aforo.Algorithm) (Limiter, error) {
	return newAforoOf(aforoLimit(s, algorithm))
}

// aforoLimit is the spec as a limit. The buckets take rate and burst, the
// windows the burst as all that fits in one.
func aforoLimit(s Spec, algorithm aforo.Algorithm) aforo.Limit {
	switch algorithm {
	case aforo.TokenBucket, aforo.LeakyBucket:
		return aforo.Per(s.Rate, s.Per).Burst(s.Burst).Using(algorithm)
	default:
		return aforo.Per(s.Burst, s.Per).Using(algorithm)
	}
}

func newAforoOf(list ...aforo.Limit) (Limiter, error) {
	limits, err := aforo.NewLimits(list...)
	if err != nil {
		return nil, err
	}
	limiter, err := aforo.NewLimiter(limits)
	if err != nil {
		return nil, err
	}
	return aforoLimiter{limiter}, nil
}
