// Package backend is where the server keeps its states: in its memory or in Redis,
// with what is known of how that goes.
package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/redisstore"
)

// A Backend is the store of a server.
type Backend struct {
	memory  *aforo.Memory     // one of the two
	redis   *redisstore.Store // is there
	address string            // as it may be shown
	log     *slog.Logger

	mu       sync.Mutex
	byPolicy map[aforo.FailurePolicy]aforo.Store
	told     time.Time // when a failure was last logged

	failures atomic.Int64
	failing  atomic.Pointer[error] // since the last call; nil if that went well
}

// Open makes a backend. That Redis is absent is no error: see redisstore.Open.
func Open(c config.Store, log *slog.Logger) (*Backend, error) {
	b := &Backend{log: log, byPolicy: make(map[aforo.FailurePolicy]aforo.Store)}
	if c.Address == "" || c.Address == config.MemoryStore {
		b.memory, b.address = aforo.NewMemory(), config.MemoryStore
		return b, nil
	}
	var options []redisstore.Option
	if c.Prefix != "" {
		options = append(options, redisstore.WithPrefix(c.Prefix))
	}
	if c.Budget != 0 {
		options = append(options, redisstore.WithBudget(c.Budget))
	}
	redis, err := redisstore.Open(c.Address, options...)
	if err != nil {
		return nil, err
	}
	b.redis, b.address = redis, redisstore.ShownAddress(c.Address)
	return b, nil
}

// Store is the store for limits that are to be decided so when it fails; 0 is not at
// all. Those of one policy share what is counted meanwhile.
func (b *Backend) Store(policy aforo.FailurePolicy) (aforo.Store, error) {
	if b.memory != nil {
		return b.memory, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if store := b.byPolicy[policy]; store != nil {
		return store, nil
	}
	store := aforo.Store(b)
	if policy != 0 {
		var err error
		if store, err = aforo.Failover(b, policy, nil); err != nil {
			return nil, err
		}
	}
	b.byPolicy[policy] = store
	return store, nil
}

// Do implements aforo.Store, and takes note of how it goes.
func (b *Backend) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	err := b.redis.Do(ctx, call, verdicts)
	var debt *aforo.DebtError
	if ctx.Err() == nil && !errors.As(err, &debt) {
		b.note(err)
	}
	return err
}

// States implements aforo.StateReader.
func (b *Backend) States(ctx context.Context, call aforo.Call, states []aforo.State) (int64, error) {
	return b.redis.States(ctx, call, states)
}

// quiet is how long nothing more is logged of a store that fails.
const quiet = 10 * time.Second

// note logs that the store fails, now and then, and that it works again.
func (b *Backend) note(err error) {
	if err == nil {
		if b.failing.Load() != nil && b.failing.Swap(nil) != nil {
			b.log.Info("the store works again", "store", b.address)
		}
		return
	}
	b.failures.Add(1)
	if !errors.Is(err, redisstore.ErrPaused) || b.failing.Load() == nil {
		b.failing.Store(&err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.told) < quiet {
		return
	}
	b.told = time.Now()
	b.log.Error("the store fails", "store", b.address, "error", err, "failures", b.failures.Load())
}

// Advise logs what is known to be unwise of a server that is there: that it may forget
// keys. It asks at most for as long as ctx lasts.
func (b *Backend) Advise(ctx context.Context) {
	if b.redis == nil {
		return
	}
	if err := b.Check(ctx); err != nil {
		b.log.Warn("the store does not answer yet", "store", b.address, "error", err)
		return
	}
	if memory, err := b.redis.Memory(ctx); err == nil && memory.Evicts() {
		b.log.Warn("when its memory is full, the store forgets keys, and so resets limits; for example: maxmemory-policy noeviction",
			"store", b.address, "maxmemory-policy", memory.Eviction, "maxmemory", memory.Max)
	}
}

// Check asks the store whether it works.
func (b *Backend) Check(ctx context.Context) error {
	if b.redis == nil {
		return nil
	}
	err := b.redis.Ping(ctx)
	if ctx.Err() == nil {
		b.note(err)
	}
	return err
}

// Health is how the last call went, without asking.
func (b *Backend) Health() error {
	if failing := b.failing.Load(); failing != nil {
		return *failing
	}
	return nil
}

// Kind is memory or redis.
func (b *Backend) Kind() string {
	if b.memory != nil {
		return "memory"
	}
	return "redis"
}

// Keys is how many states are kept, if that is known.
func (b *Backend) Keys() (n int64, known bool) {
	if b.memory == nil {
		return 0, false
	}
	return int64(b.memory.Len()), true
}

// Stats are how many calls Redis has had; zero for a memory store.
func (b *Backend) Stats() redisstore.Stats {
	if b.redis == nil {
		return redisstore.Stats{}
	}
	return b.redis.Stats()
}

// String is where the states are, as it may be shown.
func (b *Backend) String() string { return fmt.Sprintf("%s (%s)", b.Kind(), b.address) }

// Close closes the connections.
func (b *Backend) Close() {
	if b.redis != nil {
		b.redis.Close()
	}
}
