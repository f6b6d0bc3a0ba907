// Package goredis is aforo's Redis store on a client of redis/go-redis, for those
// who have one already:
//
//	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", MaxRetries: -1, ContextTimeoutEnabled: true})
//	store, err := goredis.New(client)
//	limiter, err := aforo.New("100/minute burst 20", aforo.WithStore(store))
//
// The states are those of package redisstore: processes with either client share
// their limits. It takes a connection for each call at a time, where redisstore's own
// client sends concurrent calls together, and so is slower under load.
package goredis

import (
	"context"
	"errors"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/aforo-dev/aforo/redisstore"
)

// New makes a store on a client, which the caller closes: one of redis.NewClient,
// redis.NewFailoverClient, redis.NewClusterClient or redis.NewRing.
//
// A client that sends a command again when its answer was lost would count it twice:
// so one with retries is refused, as is one that does not keep to the deadline of a
// call. A cluster client sends a command again when its connection has broken,
// whatever its options say: there one request may then be counted twice.
func New(client redis.UniversalClient, options ...redisstore.Option) (*redisstore.Store, error) {
	const good = "; for example: redis.Options{MaxRetries: -1, ContextTimeoutEnabled: true}"
	retries, deadlines := true, false
	switch c := client.(type) {
	case nil:
		return nil, errors.New("goredis: New: the client is nil")
	case *redis.Client:
		retries, deadlines = c.Options().MaxRetries > 0, c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		retries, deadlines = false, c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		retries, deadlines = c.Options().MaxRetries > 0, c.Options().ContextTimeoutEnabled
	default:
		return nil, errors.New("goredis: New: the client is none of redis.Client, redis.ClusterClient and redis.Ring")
	}
	switch {
	case retries:
		return nil, errors.New("goredis: New: a client with retries would count twice what was answered too late; give it MaxRetries -1" + good)
	case !deadlines:
		return nil, errors.New("goredis: New: the client does not keep to the deadlines of contexts; give it ContextTimeoutEnabled" + good)
	}
	return redisstore.NewWith(&runner{client: client}, options...)
}

// runner runs scripts by a client of go-redis.
type runner struct {
	client  redis.UniversalClient
	scripts sync.Map // of redis.Script, by redisstore.Script
}

// Run implements redisstore.Runner.
func (r *runner) Run(ctx context.Context, script *redisstore.Script, keys []string, argument string) (string, error) {
	known, ok := r.scripts.Load(script)
	if !ok {
		known, _ = r.scripts.LoadOrStore(script, redis.NewScript(script.Text))
	}
	return known.(*redis.Script).Run(ctx, r.client, keys, argument).Text()
}
