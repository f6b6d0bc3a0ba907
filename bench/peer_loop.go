package main

// loopLimiter shows what the measurement costs by itself.
type loopLimiter struct{ answer bool }

func (l loopLimiter) Allow(string) bool { return l.answer }
func (l loopLimiter) Close()            {}

func loopPeer() Peer {
	return Peer{
		Name:      loopName,
		What:      "no limiter but a yardstick: the loop that measures the others, with nothing in it",
		Differs:   "it limits nothing",
		Yardstick: true,
		New:       func(s Spec) (Limiter, error) { return loopLimiter{s.Burst > 1}, nil },
	}
}
