package sim

import (
	"math"

	"github.com/aforo-dev/aforo"
)

// states is a store: what its limits remember of each key. It has them at hand,
// where the limiter's stores keep them to themselves, so that they can be shown;
// the rules are the same.
type states struct {
	limits []aforo.Limit
	all    []aforo.State            // of each limit of each key
	few    map[uint32][]aforo.State // instead, in one of many stores
}

func newStates(limits []aforo.Limit, keys int) states {
	return states{limits: limits, all: make([]aforo.State, keys*len(limits))}
}

// newStores is several stores, of which each is going to see some of the keys.
func newStores(limits []aforo.Limit, keys, stores int) (list []states) {
	if stores == 1 {
		return []states{newStates(limits, keys)}
	}
	for range stores {
		list = append(list, states{limits: limits, few: make(map[uint32][]aforo.State)})
	}
	return list
}

// of is what is remembered of a key.
func (s *states) of(key uint32) []aforo.State {
	n := len(s.limits)
	if s.few == nil {
		return s.all[int(key)*n:][:n]
	}
	kept, ok := s.few[key]
	if !ok {
		kept = make([]aforo.State, n)
		s.few[key] = kept
	}
	return kept
}

// answer is a decision by all limits, in microseconds; -1 is never.
type answer struct {
	allowed  bool
	retry    int64
	delay    int64
	verdicts []aforo.Verdict // of each limit alone
}

// take decides by all limits before it counts for any.
func (s *states) take(key uint32, at, cost int64, a *answer) {
	kept := s.of(key)
	if len(kept) == 1 {
		kept[0], a.verdicts[0] = s.limits[0].Take(kept[0], at, cost)
		a.allowed, a.retry, a.delay = a.verdicts[0].Allowed, a.verdicts[0].Retry, a.verdicts[0].Delay
		return
	}
	a.allowed, a.retry, a.delay = true, 0, 0
	for i := range s.limits {
		v := s.limits[i].Peek(kept[i], at, cost)
		a.verdicts[i] = v
		a.allowed = a.allowed && v.Allowed
		a.retry, a.delay = longer(a.retry, v.Retry), longer(a.delay, v.Delay)
	}
	if !a.allowed {
		a.delay = 0
		return
	}
	for i := range s.limits {
		kept[i], _ = s.limits[i].Take(kept[i], at, cost)
	}
}

// longer is the longer of two waits; never is the longest.
func longer(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// after is an instant and a wait together, or the last instant there is.
func after(at, wait int64) int64 {
	if at > 0 && wait > math.MaxInt64-at {
		return math.MaxInt64
	}
	return at + wait
}
