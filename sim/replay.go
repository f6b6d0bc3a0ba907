package sim

import (
	"context"
	"time"

	"github.com/aforo-dev/aforo"
)

// A Result is what limits did to traffic.
type Result struct {
	Limits  aforo.Limits
	Allowed int
	Refused int

	// Touched is how many keys were refused at least once.
	Touched int

	// Worst is the key that was refused most often (the first that was added,
	// if there are several), with how many of its requests were refused
	// and how many it made. It is zero if nobody was refused.
	Worst KeyResult

	// LongestDelay is the longest for which a leaky bucket held back a request
	// that it allowed.
	LongestDelay time.Duration
}

// A KeyResult is what happened to one key.
type KeyResult struct {
	Key      string
	Requests int
	Refused  int
}

// Replay plays traffic through limits, each key on its own, with the clock at
// each request's instant. Every request costs 1 unit, and a request that is
// refused is gone: nobody retries. Progress is called now and then with how
// many requests have been played, and at the end; it may be nil. The error is
// that of ctx, or of the limits.
func Replay(ctx context.Context, t *Traffic, limits aforo.Limits, progress func(played int)) (Result, error) {
	t.sort()
	var now time.Time
	limiter, err := aforo.NewLimiter(limits, aforo.WithClock(func() time.Time { return now }))
	if err != nil {
		return Result{}, err
	}
	result := Result{Limits: limits}
	keys := make([]KeyResult, len(t.keys))
	for i, a := range t.arrivals {
		if i&0xffff == 0xffff && progress != nil {
			progress(i)
		}
		now = time.UnixMicro(a.at)
		d, err := limiter.Allow(ctx, t.keys[a.key])
		if err != nil {
			return Result{}, err
		}
		keys[a.key].Requests++
		if d.Allowed {
			result.Allowed++
			result.LongestDelay = max(result.LongestDelay, d.Delay)
			continue
		}
		result.Refused++
		keys[a.key].Refused++
	}
	for k := range keys {
		if keys[k].Refused > 0 {
			result.Touched++
		}
		if keys[k].Refused > result.Worst.Refused {
			keys[k].Key = t.keys[k]
			result.Worst = keys[k]
		}
	}
	if progress != nil {
		progress(t.Len())
	}
	return result, nil
}
