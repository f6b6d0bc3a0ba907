package goredis_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/goredis"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

func TestClientsThatWouldCountTwice(t *testing.T) {
	for name, client := range map[string]redis.UniversalClient{
		"retries":          redis.NewClient(&redis.Options{ContextTimeoutEnabled: true}),
		"no deadlines":     redis.NewClient(&redis.Options{MaxRetries: -1}),
		"cluster":          redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}}),
		"ring":             redis.NewRing(&redis.RingOptions{ContextTimeoutEnabled: true}),
		"nobody":           nil,
		"failover retries": redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "m", ContextTimeoutEnabled: true}),
	} {
		if _, err := goredis.New(client); err == nil {
			t.Errorf("%s: a store was made", name)
		}
	}
}

// shared are two limiters with the same limits on one server, by either client.
func shared(t *testing.T, limits string, client redis.UniversalClient, other aforo.Store) (byGoRedis, byRueidis *aforo.Limiter) {
	t.Helper()
	store, err := goredis.New(client, redisstore.WithBudget(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []aforo.Store{store, other} {
		l, err := aforo.New(limits, aforo.WithStore(s))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			byGoRedis = l
		} else {
			byRueidis = l
		}
	}
	return byGoRedis, byRueidis
}

// TestBothClientsShareTheirLimits: and a script that the server has forgotten is
// sent again.
func TestBothClientsShareTheirLimits(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for _, text := range []string{"6/h", "leaky_bucket 6/h", "fixed_window 6/h", "sliding_window_log 6/h", "sliding_window_counter 6/h", "6/h, fixed_window 9/d"} {
		client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, ContextTimeoutEnabled: true})
		defer client.Close()
		other, err := redisstore.Open(server.URL(), redisstore.WithBudget(20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		one, two := shared(t, text, client, other)
		for i := range 8 {
			l := one
			if i%2 == 1 {
				l = two
			}
			server.Do("SCRIPT", "FLUSH")
			d, err := l.Allow(context.Background(), "k")
			if err != nil || d.Allowed != (i < 6) {
				t.Errorf("%s: request %d: %+v, %v", text, i, d, err)
			}
		}
		server.Do("FLUSHALL")
	}
}

func TestGoRedisOnACluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: cluster.Addrs(), ContextTimeoutEnabled: true})
	defer client.Close()
	store, err := goredis.New(client, redisstore.WithBudget(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	l, err := aforo.New("2/h, fixed_window 5/h, sliding_window_log 5/h", aforo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 90 {
		d, err := l.Allow(context.Background(), fmt.Sprint("key ", i%30))
		if err != nil || d.Allowed != (i < 60) {
			t.Fatalf("request %d: %+v, %v", i, d, err)
		}
	}
}

// TestALostAnswerIsNotAskedForAgain: a request whose answer was lost is counted once.
func TestALostAnswerIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr())
	client := redis.NewClient(&redis.Options{Addr: proxy.Addr(), MaxRetries: -1, ContextTimeoutEnabled: true})
	defer client.Close()
	var hooked atomic.Int64
	store, err := goredis.New(client, redisstore.WithBudget(3*time.Second)) // which a busy machine keeps
	if err != nil {
		t.Fatal(err)
	}
	l, err := aforo.New("10/h", aforo.WithStore(store), aforo.WithFailureHook(func(context.Context, aforo.StoreFailure) { hooked.Add(1) }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Allow(context.Background(), "k"); err != nil {
		t.Fatal(err)
	}
	proxy.LoseReplies(true)
	if _, err := l.Allow(context.Background(), "k"); err == nil || hooked.Load() != 1 {
		t.Errorf("an answer that was lost: %v, the hook was called %d times", err, hooked.Load())
	}
	proxy.LoseReplies(false)
	d, err := l.Peek(context.Background(), "k", 1)
	for err != nil && strings.Contains(err.Error(), "budget") {
		d, err = l.Peek(context.Background(), "k", 1)
	}
	if err != nil || d.Remaining != 7 {
		t.Errorf("after one request and one whose answer was lost: %+v, %v", d, err)
	}
}
