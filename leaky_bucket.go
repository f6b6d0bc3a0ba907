package aforo

// leaky_bucket is a queue that holds up to N = burst units and drains at the
// rate. It decides as the token bucket does, on the same level, and releases
// an allowed request when what is ahead of it has drained:
//
//	delay = ceil(level / R), of the level before it
//
// so that releases are at least cost * period / rate apart, whatever the
// arrivals look like. A meter is the same with the delay ignored.
func (l *Limit) leakyBucketDecide(s *State, now, cost int64) verdict {
	level, at := l.level(s, now)
	v := l.bucketDecide(level, at, now, cost)
	if v.allowed && cost > 0 {
		v.delay = l.drained(level, at, now)
	}
	return v
}

// prompt makes of a verdict that a leaky bucket allows with a delay, one that
// it refuses for that long: somebody who waits outside, as the waiters of a
// Limiter do, comes in when nobody is ahead.
func (l *Limit) prompt(s *State, v Verdict) Verdict {
	if !v.Allowed || v.Delay == 0 {
		return v
	}
	waits := v.Delay
	v = l.decide(s, v.At, 0)
	v.Allowed, v.Retry = false, waits
	return v
}
