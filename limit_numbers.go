package aforo

// Numbers are what the rules calculate with, for stores that carry them out in
// another language. All are integers below 2^52, so that IEEE doubles hold them
// exactly, but for a Fill that is never. Times are in ticks of Tick microseconds.
type Numbers struct {
	Tick     int64 // 1, 1000 or 1000000 microseconds
	Period   int64 // ticks in a period
	Capacity int64 // units that fit at once

	// Of the buckets only. The level is what has been used and has not drained.
	Unit  int64 // the level of one unit
	Drain int64 // the level that drains in a tick; 0 if the rate is 0
	Full  int64 // the level of a full bucket: Capacity * Unit
	Fill  int64 // ticks in which a full bucket drains, rounded up; math.MaxInt64 if the rate is 0
}

// Numbers are what the rules calculate with. They are zero for a limit that is
// not valid, and for Unlimited.
func (l Limit) Numbers() Numbers {
	if !l.usable() {
		return Numbers{}
	}
	return Numbers{Tick: l.tick, Period: l.period, Capacity: l.capacity,
		Unit: l.unit.by, Drain: l.drain.by, Full: l.full, Fill: l.fill}
}
