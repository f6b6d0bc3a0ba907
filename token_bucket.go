package aforo

// token_bucket holds up to N = burst tokens and gains rate of them per period.
// A request takes as many as it costs, or is refused. It is kept as the level
// of what has been taken (see bucket.go), which is the same thing from the
// other side: N*P - level is what is left, in parts of a token.
//
// In any interval of length L it allows at most N + L*rate/period units.
func (l *Limit) tokenBucketDecide(s *State, now, cost int64, v *Verdict) (at, used int64) {
	level, at := l.level(s, now)
	return at, l.bucketDecide(level, at, now, cost, v)
}
