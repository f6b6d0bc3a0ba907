package redisstore

import (
	"context"
	"time"

	"github.com/redis/rueidis"
)

// rueidisRunner runs scripts by a client of rueidis, which sends concurrent calls
// together and follows MOVED and ASK.
type rueidisRunner struct{ client rueidis.Client }

// Run implements Runner.
func (r rueidisRunner) Run(ctx context.Context, script *Script, keys []string, argument string) (string, error) {
	for {
		answer, err := script.lua.Exec(ctx, r.client, keys, []string{argument}).ToString()
		if refused, ok := rueidis.IsRedisErr(err); !ok || !refused.IsTryAgain() {
			return answer, err
		}
		// Keys of the slot are just being moved, and nothing was carried out.
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(2 * time.Millisecond):
		}
	}
}
