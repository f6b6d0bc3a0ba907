package redisstore

import "time"

// WithClock has a test's clock decide, in place of the server's.
func WithClock(clock func() time.Time) Option {
	return func(s *Store) error {
		s.clock = clock
		return nil
	}
}
