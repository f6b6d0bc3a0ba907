package sim

import (
	"context"

	"github.com/aforo-dev/aforo"
)

// Replay plays traffic through limits, each key on its own, with the clock at
// each request's instant. A request that is refused is gone: nobody retries.
// Progress is called now and then with how many requests have been decided, and
// at the end; it may be nil. The error is that of ctx, or of the limits.
func Replay(ctx context.Context, t *Traffic, limits aforo.Limits, progress func(played int)) (Result, error) {
	return Run(ctx, t, limits, Options{Brief: true, Progress: progress})
}
