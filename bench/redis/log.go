package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
)

// The log of a window is the only state that grows with the limit. What a decision
// costs is measured with short and long logs: refused, on one that is full; and
// steadily allowed, so that for each request that enters one leaves. For that all
// are asked at the same pace, and the windows are such that this many requests are
// in them:
const (
	pace     = 8000 // requests a second, of all keys
	full     = 0.8  // of a log
	shortLog = 10
)

func (r *run) log(ctx context.Context) error {
	limits := []int{shortLog, r.sizes.Log}
	var filled []decider
	for _, limit := range limits {
		c := LogCost{Limit: limit}
		if err := r.steady(ctx, &c); err != nil {
			return err
		}
		if err := r.server.admin.FlushAll(ctx).Err(); err != nil {
			return err
		}
		decide, err := r.fill(ctx, &c)
		if err != nil {
			return err
		}
		filled, r.Log = append(filled, decide), append(r.Log, c)
	}
	for range r.sizes.Repetitions {
		for i := range limits {
			refused, err := r.round(ctx, filled[i], keyNames(1), target, 1, false)
			if err != nil {
				return err
			}
			r.Log[i].Refused = append(r.Log[i].Refused, refused.Script)
		}
	}
	return r.server.admin.FlushAll(ctx).Err()
}

// logOf is a limiter of logs, which asks the server each time.
func (r *run) logOf(limit int, per time.Duration) (decider, error) {
	store, err := r.clients.open(redisstore.WithRefusals(0))
	if err != nil {
		return nil, err
	}
	return onStore(store, aforo.Per(int64(limit), per).Using(aforo.SlidingWindowLog))
}

// steady measures decisions that are allowed: the long log is of one key, the short
// ones are of many.
func (r *run) steady(ctx context.Context, c *LogCost) error {
	keys := keyNames(max(1, r.sizes.Log/c.Limit/10))
	window := time.Duration(full * float64(c.Limit*len(keys)) / pace * float64(time.Second))
	decide, err := r.logOf(c.Limit, window)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.progress, "log: limit %d, steadily allowed\n", c.Limit)
	paced(ctx, decide, keys, window+window/8)
	for range r.sizes.Repetitions {
		if err := r.server.admin.ConfigResetStat(ctx).Err(); err != nil {
			return err
		}
		t := paced(ctx, decide, keys, 2*r.sizes.Slice)
		_, scripts, err := r.server.spent(ctx)
		if err != nil {
			return err
		}
		if t.allowed < t.calls {
			c.Refusals += float64(t.calls-t.allowed) / float64(t.calls*r.sizes.Repetitions)
		}
		c.Allowed = append(c.Allowed, scripts/float64(t.calls-t.errors))
	}
	key, err := r.server.admin.RandomKey(ctx).Result()
	if err != nil {
		return err
	}
	entries, err := r.server.admin.LLen(ctx, key).Result()
	c.Held = int(entries) - 1 // without its head
	return err
}

// paced asks at the pace for some time.
func paced(ctx context.Context, decide decider, keys []string, d time.Duration) tally {
	const callers = 8
	next := make([]time.Time, callers)
	end := time.Now().Add(d)
	for i := range next {
		next[i] = time.Now().Add(time.Duration(i) * time.Second / pace)
	}
	return together(keys, callers, func(caller int, key string, t *tally) (more bool) {
		time.Sleep(time.Until(next[caller]))
		t.ask(ctx, decide, key)
		next[caller] = next[caller].Add(callers * time.Second / pace)
		return next[caller].Before(end)
	})
}

// fill fills the log of one key, and tells what it takes.
func (r *run) fill(ctx context.Context, c *LogCost) (decider, error) {
	decide, err := r.logOf(c.Limit, time.Hour)
	if err != nil {
		return nil, err
	}
	for full := false; !full; { // a call that has failed may have been carried out
		t := ask(ctx, decide, keyNames(1), target, c.Limit+target)
		full = t.calls > t.allowed+t.errors
	}
	key, err := r.server.admin.RandomKey(ctx).Result()
	if err != nil {
		return nil, err
	}
	if n, err := r.server.admin.LLen(ctx, key).Result(); err != nil || int(n)-1 != c.Limit {
		return nil, fmt.Errorf("a log of %d has %d entries and its head: %v", c.Limit, n, err)
	}
	size, err := r.server.admin.MemoryUsage(ctx, key, 0).Result()
	c.Bytes = float64(size) / float64(c.Limit)
	return decide, err
}
