package aforo

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
	case l.drain == 0:
		return s.Used, now
	}
	// Not level - dt*R, which may overflow, before it is known to be small.
	if dt := now - s.At; dt <= s.Used/l.drain {
		return s.Used - dt*l.drain, now
	}
	return 0, now
}

// drained is how many ticks it takes from now until a level is drained at the
// effective instant at: 0 if there is nothing, never if nothing drains.
func (l *Limit) drained(level, at, now int64) int64 {
	switch {
	case level <= 0:
		return 0
	case l.drain == 0:
		return int64(never)
	}
	return at - now + ceilDiv(level, l.drain)
}

// bucketDecide is the rule of both buckets, but for the delay:
//
//	allowed      level + cost*P <= N*P
//	remaining    floor((N*P - level) / P), of the level after it
//	retry        ceil((level + cost*P - N*P) / R)
//	reset        ceil(level / R), of the level after it
func (l *Limit) bucketDecide(level, at, now, cost int64) (v verdict) {
	if cost > l.capacity {
		v.retry = int64(never)
	} else if over := level + cost*l.unit - l.full; over > 0 {
		v.retry = l.drained(over, at, now)
	} else {
		v.allowed = true
		level += cost * l.unit
	}
	v.remaining = max(0, l.full-level) / l.unit
	v.reset = l.drained(level, at, now)
	return v
}

func (l *Limit) bucketUse(s State, now, units int64) State {
	level, at := l.level(&s, now)
	return State{At: at, Used: level + units*l.unit}
}

func (l *Limit) bucketRefund(s State, now, units int64) State {
	level, at := l.level(&s, now)
	if units > level/l.unit {
		return State{At: at}
	}
	return State{At: at, Used: level - units*l.unit}
}

// bucketUndo gives back what cannot have drained since the units were taken.
func (l *Limit) bucketUndo(s State, now, taken, units int64) State {
	level, at := l.level(&s, now)
	units = min(units, maxExact/l.unit)
	back, gone := units*l.unit, max(0, at-taken)
	if l.drain > 0 && gone > back/l.drain {
		return s
	}
	return State{At: at, Used: max(0, level-(back-gone*l.drain))}
}
