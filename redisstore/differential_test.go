package redisstore_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
	"github.com/aforo-dev/aforo/storetest"
)

// TestScriptsSayWhatTheRulesSay: random calls, and no field of any answer differs.
// AFORO_CALLS is how many; make soak makes ten million.
func TestScriptsSayWhatTheRulesSay(t *testing.T) {
	t.Parallel()
	calls, shards := 200_000, 4
	if text := os.Getenv("AFORO_CALLS"); text != "" {
		var err error
		if calls, err = strconv.Atoi(text); err != nil {
			t.Fatalf("AFORO_CALLS=%s: %v; for example: 10000000", text, err)
		}
	}
	seed := time.Now().UnixNano()
	for shard := range shards {
		t.Run(fmt.Sprint("seed ", seed+int64(shard)), func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			client := connect(t, server.ClientOption())
			stretches := 0
			storetest.Random(t, func(t *testing.T, clock func() time.Time) aforo.Store {
				if stretches++; stretches%1000 == 0 {
					server.Do("FLUSHALL") // keys outlive a test's clock
				}
				return newStore(t, client, redisstore.WithClock(clock), redisstore.WithPrefix(newPrefix()), redisstore.WithBudget(unhurried))
			}, seed+int64(shard), calls/shards)
		})
	}
}
