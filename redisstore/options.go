package redisstore

import (
	"fmt"
	"strings"
	"time"
)

// An Option changes what New makes.
type Option func(*Store) error

// WithPrefix begins the names of all keys, so that several applications can share a
// server. It has no braces, which a cluster would take for its own. Default: aforo.
func WithPrefix(prefix string) Option {
	return func(s *Store) error {
		s.prefix = prefix
		return CheckPrefix(prefix)
	}
}

// CheckPrefix says what is wrong with a prefix.
func CheckPrefix(prefix string) error {
	if prefix == "" || strings.ContainsAny(prefix, "{}") {
		return fmt.Errorf("redisstore: prefix %q: it is not empty and has no braces; for example: shop", prefix)
	}
	return nil
}

// WithBudget is how long a call may take, at least 1ms. What has not been answered
// by then is a failure of the store; the call may still be carried out. Default:
// 50ms.
func WithBudget(budget time.Duration) Option {
	return func(s *Store) error {
		s.budget = budget
		return CheckBudget(budget)
	}
}

// CheckBudget says what is wrong with a budget.
func CheckBudget(budget time.Duration) error {
	if budget < time.Millisecond {
		return fmt.Errorf("redisstore: budget %v: the smallest is 1ms; for example: 50ms", budget)
	}
	return nil
}

// WithBreaker changes the circuit breaker: after so many failures in a row, at
// least 1, the server is not asked for a pause, at least 1ms; then one call tries
// again, and the others fail at once until it has succeeded. Default: 5 failures,
// 100ms.
func WithBreaker(failures int, pause time.Duration) Option {
	return func(s *Store) error {
		if failures < 1 || pause < time.Millisecond {
			return fmt.Errorf("redisstore: WithBreaker %d, %v: the smallest are 1 and 1ms; for example: 5, 100ms", failures, pause)
		}
		s.failures, s.pause = uint32(failures), pause
		return nil
	}
}

// WithRefusals is how many refusals are remembered in this process until they have
// run out; those that nobody has asked for the longest are forgotten first. 0
// remembers none. Default: 10,000.
//
// Who has been refused is refused again without asking the server, as long as the
// same cost cannot be allowed. A Reset, Refund or Charge by this store is seen at
// once; what another process gives back, or an administrator deletes on the server,
// is seen when the refusal has run out.
func WithRefusals(refusals int) Option {
	return func(s *Store) error {
		if refusals < 0 {
			return fmt.Errorf("redisstore: WithRefusals %d: the smallest is 0, which remembers none; for example: 10000", refusals)
		}
		s.remember = refusals
		return nil
	}
}
