package aforo

// leaky_bucket is a queue that holds up to N = burst units and drains at the
// rate. It decides as the token bucket does, on the same level, and releases
// an allowed request when what is ahead of it has drained:
//
//	delay = ceil(level / R), of the level before it
//
// so that releases are at least cost * period / rate apart, whatever the
// arrivals look like. A meter is the same with the delay ignored.
func (l *Limit) leakyBucketDecide(s *State, now, cost int64, v *Verdict) (at, used int64) {
	level, at := l.level(s, now)
	used = l.bucketDecide(level, at, now, cost, v)
	if v.Allowed && cost > 0 {
		v.Delay = l.drained(level, at, now)
	}
	return at, used
}

// prompt decides for somebody who waits outside of the queue, as those do who
// stand in line at a Limiter, and comes in when nobody is ahead: a delay counts
// as a refusal, and the wait is until the queue is empty. It returns the instant
// to which the decision is to be dated.
//
// Who is due at now, after a wait of whole ticks, enters the queue one tick
// earlier if it has room, to be released at now: while the last part of a tick
// is still draining, so that this part is not lost, and releases do not drift.
func (l *Limit) prompt(s *State, now, cost int64, due bool, v *Verdict) (dated int64) {
	if l.algorithm != LeakyBucket || cost == 0 {
		l.decide(s, now, cost, v)
		return now
	}
	if before := now - l.tick; due {
		if l.decide(s, before, cost, v); v.Allowed && v.Delay == l.tick {
			v.Reset, v.Delay, v.At = v.Reset-l.tick, 0, now
			return before
		}
	}
	l.decide(s, now, cost, v)
	if v.Allowed && v.Delay == 0 || cost > l.capacity {
		return now
	}
	l.decide(s, now, 0, v)
	v.Allowed, v.Retry = false, v.Reset
	return now
}
