package aforo

import (
	"context"
	"errors"
	"time"
)

// An Option changes what New makes.
type Option func(*Limiter) error

// WithStore keeps the state in a store that is shared with other limiters, or
// with other processes. Default: a Memory of the limiter's own.
func WithStore(store Store) Option {
	return func(l *Limiter) error {
		if store == nil {
			return errors.New("aforo: WithStore: the store is nil; for example: aforo.NewMemory()")
		}
		l.store = store
		return nil
	}
}

// WithName names the limiter. Limiters of different names in one store do not
// share state; of equal names they do, wherever they are made. A limiter whose
// own limits are one reports this name in decisions and headers, unless the limit
// has a name of its own; those of WithLimitsFor report theirs. Names are
// printable ASCII. Default: "".
func WithName(name string) Option {
	return func(l *Limiter) error {
		l.name = name
		return Limit{}.Named(name).errOrNil()
	}
}

// WithClock makes the limiter's own memory store read another clock, for
// simulations and tests of code that does not wait. It cannot go with
// WithStore. Default: the process's monotonic clock. Wait and Reserve sleep in
// real time; to test those, use testing/synctest.
func WithClock(clock func() time.Time) Option {
	return func(l *Limiter) error {
		if clock == nil {
			return errors.New("aforo: WithClock: the clock is nil; for example: time.Now")
		}
		l.clock = clock
		return nil
	}
}

// WithLimitsFor asks a function for the limits of a key, for plans such as
// free and pro. It is called once an operation and should be fast; limits that
// it returns are made beforehand, by ParseLimits. The zero Limits stand for
// the limiter's own. Limits that are equal share their state: a key that moves
// to another plan and back finds what it had used. Those who wait are asked for
// again when somebody joins them under other limits. Default: none.
func WithLimitsFor(limits func(ctx context.Context, key string) Limits) Option {
	return func(l *Limiter) error {
		if limits == nil {
			return errors.New("aforo: WithLimitsFor: the function is nil")
		}
		l.limitsFor = limits
		return nil
	}
}

func (l Limit) errOrNil() error {
	if l.err == nil {
		return nil
	}
	return l.err
}
