package aforo

import "math/bits"

// Both buckets keep one number, the level: what has been used and has not
// drained yet. It is GCRA's theoretical arrival time, less now, counted in
// parts of a unit so that no remainder is ever lost: with g = gcd(rate,
// period), one unit is P = period/g and one tick drains R = rate/g.

// level is what is left of the state's level at the effective instant of now,
// and that instant. A state whose instant is ahead of now has seen a later
// clock: it stands still until now catches up, unless it is ahead by more than
// a full bucket takes to drain. Then the clock was set back for good, and the
// state is dated to now.
func (l *Limit) level(s *State, now int64) (level, at int64) {
	switch {
	case s.unused():
		return 0, now
	case s.At > now && s.At-now > l.fill:
		return s.Used, now
	case s.At >= now:
		return s.Used, s.At
	}
	// dt*R may be anything up to 2^115, the level is below 2^53.
	hi, gone := bits.Mul64(uint64(now-s.At), uint64(l.drain.by))
	if hi > 0 || gone >= uint64(s.Used) {
		return 0, now
	}
	return s.Used - int64(gone), now
}

// drained is how many ticks it takes from now until a level is drained at the
// effective instant at: 0 if there is nothing, never if nothing drains.
func (l *Limit) drained(level, at, now int64) int64 {
	switch {
	case level <= 0:
		return 0
	case l.drain.by == 0:
		return int64(never)
	}
	return at - now + l.drain.ceil(level)
}

// bucketDecide is the rule of both buckets, but for the delay, in ticks:
//
//	allowed      level + cost*P <= N*P
//	remaining    floor((N*P - level) / P), of the level after it
//	retry        ceil((level + cost*P - N*P) / R)
//	reset        ceil(level / R), of the level after it
//
// It returns the level after it.
func (l *Limit) bucketDecide(level, at, now, cost int64, v *Verdict) int64 {
	v.Allowed, v.Retry, v.Delay = false, int64(never), 0
	if cost <= l.capacity {
		if over := level + cost*l.unit.by - l.full; over > 0 {
			v.Retry = l.drained(over, at, now)
		} else {
			v.Allowed, v.Retry = true, 0
			level += cost * l.unit.by
		}
	}
	v.Remaining = l.unit.floor(max(0, l.full-level))
	v.Reset = l.drained(level, at, now)
	return level
}

func (l *Limit) bucketUse(s *State, now, units int64) {
	level, at := l.level(s, now)
	s.At, s.Used = at, level+units*l.unit.by
}

func (l *Limit) bucketRefund(s *State, now, units int64) {
	level, at := l.level(s, now)
	s.At, s.Used = at, 0
	if units <= l.unit.floor(level) {
		s.Used = level - units*l.unit.by
	}
}

// bucketUndo gives back what cannot have drained since the units were taken.
func (l *Limit) bucketUndo(s *State, now, taken, units int64) {
	level, at := l.level(s, now)
	units = min(units, maxExact/l.unit.by)
	back, gone := units*l.unit.by, max(0, at-taken)
	if l.drain.by > 0 && gone > back/l.drain.by {
		return
	}
	s.At, s.Used = at, max(0, level-(back-gone*l.drain.by))
}
