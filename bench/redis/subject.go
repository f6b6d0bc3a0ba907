package main

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo/bench/internal/host"
	"github.com/aforo-dev/aforo/redisstore"
)

// A limit is what every subject is given, as far as it can hold it.
type limit struct {
	rate  int64         // units that come back in each period, for those that refill
	burst int64         // units at once, and all of a window for those that count in windows
	per   time.Duration // the period, and the window
}

// steady is a limit as most are: it never refuses within a measurement, and what is
// used comes back faster than it is used.
var steady = limit{rate: 1_000_000, burst: 1_000_000, per: time.Second}

// open never refuses within a measurement, and one hit is remembered for six
// minutes. So no subject is spared the work of a key's new lifetime.
var open = limit{rate: 10, burst: 10_000_000, per: time.Hour}

// shut refuses all but the first hit of each key, for an hour.
var shut = limit{rate: 1, burst: 1, per: time.Hour}

// A decider is what is measured: a question by key, which many ask at once.
type decider func(ctx context.Context, key string) (allowed bool, err error)

// A subject is a way to limit by key with Redis, or a ceiling, which is no limiter:
// the least that a client can do.
type subject struct {
	Name    string
	Module  string // whose version is told
	Version string
	What    string // what it does, by which client
	Ceiling bool
	Batch   int // decisions a call, if not 1

	new func(*clients, limit) (decider, error)
}

// subjects lists who is measured with every number of callers, Aforo first. A new
// peer is one file and one line here.
func subjects() []subject {
	return []subject{
		aforoByRueidis(), aforoAsItComes(), aforoByGoRedis(),
		redisRate(), throttledStore(), ululeStore(),
		rueidisIncr(), rueidisScript(), tunedScript(), goRedisIncr(), goRedisScript(), pipeline(),
	}
}

// peers are those that are not ceilings.
func peers() (list []subject) {
	for _, s := range subjects() {
		if !s.Ceiling {
			list = append(list, s)
		}
	}
	return list
}

// withVersions is the subjects as they are told of in the results.
func withVersions(list []subject) []subject {
	versions := host.Versions()
	for i := range list {
		list[i].Version = versions[list[i].Module]
	}
	return list
}

const (
	rueidisModule = "github.com/redis/rueidis"
	goRedisModule = "github.com/redis/go-redis/v9"
)

// clients are the connections, which subjects share.
type clients struct {
	addr    string
	budget  time.Duration // of Aforo's calls
	opened  []*redisstore.Store
	tuned   rueidis.Client  // as redisstore.Open makes it
	rueidis rueidis.Client  // with the options that it has by default
	goredis *goredis.Client // as its own documentation makes it, but for the pool
	once    *goredis.Client // that sends nothing again, which Aforo asks for
}

// mostCallers is how many connections go-redis may have, so that none has to wait
// for one.
const mostCallers = 256

func (s *server) connect(budget time.Duration) (*clients, error) {
	option := rueidis.ClientOption{InitAddress: []string{s.addr}, DisableRetry: true, DisableCache: true}
	plain, err := rueidis.NewClient(option)
	if err != nil {
		return nil, err
	}
	option.PipelineMultiplex, option.MaxFlushDelay = -1, 20*time.Microsecond
	tuned, err := rueidis.NewClient(option)
	if err != nil {
		return nil, err
	}
	return &clients{
		addr: s.addr, budget: budget, rueidis: plain, tuned: tuned,
		goredis: goredis.NewClient(&goredis.Options{Addr: s.addr, PoolSize: mostCallers}),
		once:    goredis.NewClient(&goredis.Options{Addr: s.addr, PoolSize: mostCallers, MaxRetries: -1, ContextTimeoutEnabled: true}),
	}, nil
}

// open makes a store as an application does by an address.
func (c *clients) open(options ...redisstore.Option) (*redisstore.Store, error) {
	store, err := redisstore.Open("redis://"+c.addr, c.budgeted(options...)...)
	if err == nil {
		c.opened = append(c.opened, store)
	}
	return store, err
}

func (c *clients) close() {
	for _, store := range c.opened {
		store.Close()
	}
	c.rueidis.Close()
	c.tuned.Close()
	_ = c.goredis.Close()
	_ = c.once.Close()
}
