package sim

import "github.com/aforo-dev/aforo"

// Gauge is what a limit holds of a key at an instant, in microseconds since the
// Unix epoch, in units: the tokens that are left in a token bucket, how much is
// queued in a leaky bucket, the count of a fixed window or of a log, and the
// weighted count of a sliding window counter. It is for people to look at:
// decisions are made of integers, by the limit.
func Gauge(l aforo.Limit, s aforo.State, at int64) float64 {
	if l.IsUnlimited() {
		return 0
	}
	v := l.Peek(s, at, 0)
	used := float64(l.Capacity() - v.Remaining)
	switch l.Algorithm() {
	case aforo.TokenBucket:
		return float64(l.Capacity()) - level(l, v, used)
	case aforo.LeakyBucket:
		return level(l, v, used)
	case aforo.SlidingWindowCounter:
		previous, weight, current := weigh(l, s, at)
		return float64(previous)*weight + float64(current)
	}
	return used
}

// level is how much of a bucket is used, by how long it takes to drain: to less
// than a tick's worth, and not beyond the whole units that are used.
func level(l aforo.Limit, v aforo.Verdict, used float64) float64 {
	if v.Reset < 0 { // it never drains
		return used
	}
	drains := float64(v.Reset) * float64(l.Rate()) / float64(l.Period().Microseconds())
	return min(drains, used)
}

// weigh is the two counts of a sliding window counter at an instant, and how
// much of the previous window still counts.
func weigh(l aforo.Limit, s aforo.State, at int64) (previous int64, weight float64, current int64) {
	period := l.Period().Microseconds() / l.Tick()
	now := floorDiv(at, l.Tick())
	start := floorDiv(now, period) * period
	switch ahead := s.At - now; {
	case s.Used == 0 && s.Prev == 0:
	case s.At == start, ahead > period:
		previous, current = s.Prev, s.Used
	case ahead > 0: // by a clock that was ahead
		return s.Prev, 1, s.Used
	case s.At == start-period:
		previous = s.Used
	}
	return previous, float64(start+period-now) / float64(period), current
}

// floorDiv rounds down, where Go's division rounds towards zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
