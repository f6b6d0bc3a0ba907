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
		b := r.client.B()
		answer, err := r.client.Do(ctx, b.Evalsha().Sha1(script.sha1).Numkeys(int64(len(keys))).Key(keys...).Arg(argument).Build()).ToString()
		if unknown, ok := rueidis.IsRedisErr(err); ok && unknown.IsNoScript() {
			answer, err = r.client.Do(ctx, b.Eval().Script(script.Text).Numkeys(int64(len(keys))).Key(keys...).Arg(argument).Build()).ToString()
		}
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
