package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
	"github.com/aforo-dev/aforo/storetest"
)

// conforms holds a store on a server to what every store must do.
func conforms(t *testing.T, option rueidis.ClientOption) {
	client := connect(t, option)
	storetest.Run(t, func(t *testing.T, clock func() time.Time) aforo.Store {
		return newStore(t, client, redisstore.WithClock(clock), redisstore.WithPrefix(newPrefix()), redisstore.WithBudget(unhurried))
	})
}

func TestASingleServerConforms(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	conforms(t, s.ClientOption())
	noImmortal(t, s)
}

func TestAClusterConforms(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	conforms(t, c.ClientOption())
	noImmortal(t, c.Masters()...)
}

func TestASentinelSetConforms(t *testing.T) {
	t.Parallel()
	s := redistest.StartSentinels(t)
	conforms(t, s.ClientOption())
	noImmortal(t, s.Master())
}

// leastRights are all that a user of the access control list needs: the keys
// of the prefix, what the scripts call, and what the client says when it
// connects.
var leastRights = []string{
	"~aforo*",
	"+evalsha", "+eval",
	"+time", "+get", "+set", "+del", "+type", "+pexpire",
	"+lindex", "+llen", "+lrange", "+lset", "+lpush", "+rpush", "+ltrim",
	"+hello", "+ping", "+client|tracking", "+cluster|slots",
}

func TestTheLeastRightsSuffice(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.User("app", "secret", leastRights...))
	conforms(t, s.ClientOption())
	noImmortal(t, s)
}

func TestAServerOverTLSConforms(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.TLS(), redistest.Password("secret"))
	conforms(t, s.ClientOption())
	noImmortal(t, s)
}

// What a user has no right to is refused by the server, before anything is
// counted.
func TestAMissingRightIsAnError(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.User("app", "secret", append(leastRights, "-set")...))
	store := open(t, s.URL(), redisstore.WithBudget(unhurried))
	err := store.Do(context.Background(), take("k", "3/m"), make([]aforo.Verdict, 1))
	var refused *rueidis.RedisError
	if !errors.As(err, &refused) {
		t.Errorf("without the right to SET: %v", err)
	}
	if keys := s.TTLs(); len(keys) != 0 {
		t.Errorf("it wrote %v", keys)
	}
}

// noImmortal holds every key of servers to have a time to live.
func noImmortal(t *testing.T, servers ...*redistest.Server) {
	t.Helper()
	keys := 0
	for _, s := range servers {
		for key, ttl := range s.TTLs() {
			keys++
			if ttl < 0 {
				t.Errorf("key %q never dies", key)
			}
		}
	}
	if keys == 0 {
		t.Error("there are no keys at all")
	}
}

// take is a call that takes one unit.
func take(key, limits string) aforo.Call {
	parsed, err := aforo.ParseLimits(limits)
	if err != nil {
		panic(err)
	}
	return aforo.Call{Op: aforo.OpTake, Key: key, Limits: parsed.List(), Cost: 1}
}
