package aforo

import "math"

// The rules are pure functions: a limit, a state, an instant and a cost in, a
// verdict or a state out. No clock, no lock, no I/O, no float. They calculate
// in ticks (see Limit), in integers that never overflow:
//
//	numbers of a limit       below 2^52  (checked when the limit is made)
//	level, counts with debt  below 2^53  (checked by headroom before a charge)
//	instants                 within 2^61 ticks of the epoch (cut by ticks)
//
// Each algorithm says what a request would get (Decide), counts units whether they
// fit or not (Use), and gives them back (Refund, Undo). Taking is deciding and, if
// allowed, using; charging is using. Inside, verdicts and states are written in
// place: to hand them from function to function costs more than the arithmetic.

// A State is what one limit remembers of one key. The zero State is a key that
// was never used; so, to any later instant, is one in which nothing is left.
// Its fields mean to each algorithm:
//
//	                        At                     Used           Prev
//	token_bucket            instant of last use    level          -
//	leaky_bucket            instant of last use    level          -
//	fixed_window            start of the window    count          -
//	sliding_window_counter  start of the window    count          previous window's count
//	sliding_window_log      instant of last use    sum of Log     -
//
// Instants are in ticks of the limit since the Unix epoch; the level of one
// unit is period / gcd(rate, period) in ticks.
type State struct {
	At   int64
	Used int64
	Prev int64
	Log  Log // sliding_window_log only
}

// Clone is a copy that shares nothing with the state.
func (s State) Clone() State {
	s.Log = s.Log.clone()
	return s
}

func (s *State) unused() bool { return s.At == 0 && s.Used == 0 && s.Prev == 0 }

// Take decides a request of cost units at an instant, in microseconds since
// the Unix epoch, and counts it if it is allowed. If it is refused, or costs
// nothing, the state that comes back is the one that was given.
//
// As with append, a Log may be shared between the old state and the new one:
// go on with the new one only. A limit that is not valid refuses everything for
// ever, as any limit does with a negative cost; Unlimited allows everything.
func (l *Limit) Take(s State, at, cost int64) (State, Verdict) {
	if l.unlimited || !l.usable() || cost <= 0 {
		return s, l.Peek(s, at, cost)
	}
	var v Verdict
	l.take(&s, at, cost, &v)
	return s, v
}

// Peek is the verdict that Take would give.
func (l *Limit) Peek(s State, at, cost int64) (v Verdict) {
	switch {
	case l.unlimited && l.err == nil:
		return Verdict{Allowed: true, At: at}
	case !l.usable() || cost < 0:
		return Verdict{Retry: int64(never), At: at}
	}
	l.decide(&s, at, cost, &v)
	return v
}

// usable tells whether the rules can calculate with the limit.
func (l *Limit) usable() bool { return l.tick > 0 && l.err == nil }

// Charge counts units whether they fit or not. What does not fit is debt, and
// later requests wait until it is repaid. Its errors are *DebtError, if the
// debt could not be held exactly, *CostError, and those of Validate; the state
// is then unchanged.
func (l *Limit) Charge(s State, at, units int64) (State, error) {
	if err := l.Validate(); err != nil || l.unlimited {
		return s, err
	}
	if units < 0 {
		return s, &CostError{Op: OpCharge, Cost: units}
	}
	if largest := l.headroom(&s, at); units > largest {
		return s, &DebtError{Units: units, Largest: largest}
	}
	if units == 0 {
		return s, nil
	}
	l.use(&s, at, units)
	return s, nil
}

// Refund gives back up to units, never beyond full: a bucket's level falls, a
// window gives them from its own count and then the previous one, a log from
// its newest entries.
func (l *Limit) Refund(s State, at, units int64) State {
	if !l.usable() || units <= 0 || s.unused() {
		return s
	}
	now := l.ticks(at)
	switch l.algorithm {
	case FixedWindow:
		l.fixedWindowRefund(&s, now, units)
	case SlidingWindowCounter:
		l.slidingWindowCounterRefund(&s, now, units)
	case SlidingWindowLog:
		l.slidingWindowLogRefund(&s, now, units)
	default:
		l.bucketRefund(&s, now, units)
	}
	return s
}

// Undo takes back units that were taken at the instant taken, as far as they
// still count at the instant at: afterwards the key never has more room than
// if they had not been taken. Windows and logs are then exactly as if they had
// not been, unless the clock has stepped back between; of a bucket, what may have
// drained since is not given back.
func (l *Limit) Undo(s State, at, taken, units int64) State {
	if !l.usable() || units <= 0 || s.unused() {
		return s
	}
	now, then := l.ticks(at), l.ticks(taken)
	switch l.algorithm {
	case FixedWindow:
		l.fixedWindowUndo(&s, now, then, units)
	case SlidingWindowCounter:
		l.slidingWindowCounterUndo(&s, now, then, units)
	case SlidingWindowLog:
		l.slidingWindowLogUndo(&s, now, then, units)
	default:
		l.bucketUndo(&s, now, then, units)
	}
	return s
}

// decide sets a verdict.
func (l *Limit) decide(s *State, at, cost int64, v *Verdict) {
	now := l.ticks(at)
	switch l.algorithm {
	case TokenBucket:
		l.tokenBucketDecide(s, now, cost, v)
	case LeakyBucket:
		l.leakyBucketDecide(s, now, cost, v)
	case FixedWindow:
		l.fixedWindowDecide(s, now, cost, v)
	case SlidingWindowCounter:
		l.slidingWindowCounterDecide(s, now, cost, v)
	default:
		l.slidingWindowLogDecide(s, now, cost, v)
	}
	l.report(at, v)
}

// take sets a verdict and, if it allows, counts. The cost is not 0. A bucket then
// needs to be calculated only once.
func (l *Limit) take(s *State, at, cost int64, v *Verdict) {
	var level, dated int64
	switch l.algorithm {
	case TokenBucket:
		dated, level = l.tokenBucketDecide(s, l.ticks(at), cost, v)
	case LeakyBucket:
		dated, level = l.leakyBucketDecide(s, l.ticks(at), cost, v)
	default:
		if l.decide(s, at, cost, v); v.Allowed {
			l.use(s, at, cost)
		}
		return
	}
	if v.Allowed {
		s.At, s.Used = dated, level
	}
	l.report(at, v)
}

// report turns a verdict of ticks into one of microseconds.
func (l *Limit) report(at int64, v *Verdict) {
	v.At, v.Source = at, SourceStore
	if l.tick != 1 {
		l.inMicros(v)
	}
}

func (l *Limit) inMicros(v *Verdict) {
	v.Retry, v.Reset, v.Delay = l.micros(v.Retry), l.micros(v.Reset), l.micros(v.Delay)
}

// use counts units.
func (l *Limit) use(s *State, at, units int64) {
	now := l.ticks(at)
	switch l.algorithm {
	case FixedWindow:
		l.fixedWindowUse(s, now, units)
	case SlidingWindowCounter:
		l.slidingWindowCounterUse(s, now, units)
	case SlidingWindowLog:
		l.slidingWindowLogUse(s, now, units)
	default:
		l.bucketUse(s, now, units)
	}
}

// headroom is the largest number of units that may be charged at an instant
// and still be held exactly.
func (l *Limit) headroom(s *State, at int64) int64 {
	now := l.ticks(at)
	switch l.algorithm {
	case TokenBucket, LeakyBucket:
		level, _ := l.level(s, now)
		return l.unit.floor(maxExact - level)
	case SlidingWindowCounter:
		return maxExact/l.period - l.window(s, now).count
	case SlidingWindowLog:
		return maxExact - l.live(s, now).sum
	default:
		return maxExact - l.window(s, now).count
	}
}

// ticks floors an instant in microseconds to the limit's tick. Instants more
// than 73,000 years from the epoch are cut, so that their differences fit.
func (l *Limit) ticks(at int64) int64 {
	at = min(max(at, -endOfTime), endOfTime)
	if l.tick == 1 { // most limits: spare them the division
		return at
	}
	return floorDiv(at, l.tick)
}

// endOfTime is the last instant that the rules know, in microseconds.
const endOfTime = 1 << 61

// micros is a wait of whole ticks in microseconds. It may be never.
func (l *Limit) micros(ticks int64) int64 {
	if ticks > math.MaxInt64/l.tick {
		return math.MaxInt64
	}
	if ticks < 0 {
		return int64(never)
	}
	return ticks * l.tick
}

// after is an instant and a wait together, or the last instant there is.
func after(at, wait int64) int64 {
	if at > 0 && wait > math.MaxInt64-at {
		return math.MaxInt64
	}
	return at + wait
}

// floorDiv rounds down, where Go's division rounds towards zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
