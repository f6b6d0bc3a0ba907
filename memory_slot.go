package aforo

import (
	"math"
	"math/bits"
)

// A slot is a state in three or four words of 64 bits, without a pointer, so
// that the garbage collector has nothing to look at:
//
//	tag    44 bits of hash | 20 bits that choose the partition
//	first  52 bits At      | 12 bits life
//	second 53 bits Used    | 2 bits tick | 9 bits of hash
//	third  53 bits Prev    | 11 bits unused     (sliding_window_counter only)
//
// The key is not kept, only 73 bits of its hash under a seed that nobody knows:
// of ten million keys some two meet with a probability of 5 in 1,000,000,000,
// and nobody can make them. Life is when the state is as if never used,
// counted from At in ticks, rounded up to 6 significant bits.
type slot struct {
	tag, first, second, third uint64
}

const (
	narrow = 3 // words of a slot of all algorithms that count one number
	wide   = 4 // words of a slot of sliding_window_counter

	partitionBits = 20
	neverLife     = 1<<12 - 1

	// busy stands in the place of first while somebody writes the slot.
	busy = math.MaxUint64
)

// fits tells whether a slot can hold a state: if its instant lies neither before
// the epoch nor beyond 52 bits.
func (s *State) fits() bool { return uint64(s.At) < 1<<52-1 }

// pack makes a slot of a state that fits.
func (l *Limit) pack(id hashed, s *State) slot {
	return slot{
		tag:    id.tag,
		first:  uint64(s.At)<<12 | l.life(s),
		second: uint64(s.Used)<<11 | l.tickCode<<9 | id.rest,
		third:  uint64(s.Prev) << 11,
	}
}

// unpack sets the state that a slot holds.
func (w slot) unpack(s *State) {
	s.At, s.Used, s.Prev = int64(w.first>>12), int64(w.second>>11), int64(w.third>>11)
}

// expiry is the instant from which a slot's state is as if never used, in
// microseconds since the epoch.
func expiry(first, second uint64) int64 {
	life := first & neverLife
	if life == neverLife {
		return math.MaxInt64
	}
	tick := [...]int64{1, 1e3, 1e6, 1e6}[second>>9&3]
	ticks := int64(first>>12) + unroundLife(life)
	if ticks > math.MaxInt64/tick {
		return math.MaxInt64
	}
	return ticks * tick
}

// life is how many ticks after At the state is as if never used.
func (l *Limit) life(s *State) uint64 {
	ticks := l.period
	switch {
	case l.algorithm == SlidingWindowCounter:
		ticks = 2 * l.period
	case !l.algorithm.isBucket():
	case s.Used == 0:
		ticks = 0
	case l.drain.by == 0:
		return neverLife
	default:
		ticks = l.drain.ceil(s.Used)
	}
	return roundLife(ticks)
}

// roundLife rounds up to 6 significant bits: an exponent, then a mantissa.
func roundLife(ticks int64) uint64 {
	if ticks < 64 {
		return uint64(ticks)
	}
	exponent := bits.Len64(uint64(ticks)) - 7
	mantissa := uint64(ticks) >> exponent
	if mantissa<<exponent != uint64(ticks) {
		mantissa++ // 128 carries into the exponent, as it should
	}
	return uint64(exponent)<<6 + mantissa
}

func unroundLife(life uint64) int64 {
	if life < 128 {
		return int64(life)
	}
	exponent := life>>6 - 1
	return int64(life-exponent<<6) << exponent
}
