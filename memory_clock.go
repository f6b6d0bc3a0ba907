package aforo

import (
	"sync"
	"sync/atomic"
	"time"
)

// A clock is the store's: the process's monotonic clock, set to the wall clock
// when it is made, so that a decision costs one reading. It never steps back.
//
// Windows are aligned to the wall clock, which may move away from it: when the
// machine is suspended, the monotonic clock stands still; and an NTP server, or
// somebody, may set the wall clock. So once a second of use the two are compared,
// and if the wall clock is a second ahead or more, the clock is set to it: that
// time has passed for all that is kept. If the wall clock was set back, the clock
// goes on, and windows keep the alignment they had.
type clock struct {
	other func() time.Time // read instead, if there is one

	start    time.Time
	anchor   atomic.Int64 // what it showed at start, in microseconds since the epoch
	compare  atomic.Int64 // when to compare again, in nanoseconds since start
	comparer sync.Mutex
}

const (
	compareEach = time.Second
	compareStep = time.Second // what the wall clock must be ahead to be followed
)

func (c *clock) set(start time.Time) {
	c.start = start
	c.anchor.Store(start.UnixMicro())
	c.compare.Store(int64(compareEach))
}

// now is the instant in microseconds since the Unix epoch.
func (c *clock) now() int64 {
	if c.other != nil {
		return c.other().UnixMicro()
	}
	since := time.Since(c.start)
	if int64(since) >= c.compare.Load() {
		c.follow(c.both)
	}
	return c.anchor.Load() + since.Microseconds()
}

// both is the wall clock, in microseconds since the epoch, and the time since
// start, of one instant.
func (c *clock) both() (wall int64, since time.Duration) {
	t := time.Now()
	return t.UnixMicro(), t.Sub(c.start)
}

// follow compares the clock with the wall clock. Of two readings the lesser step
// counts, since somebody may be held up between reading the one and the other.
func (c *clock) follow(both func() (wall int64, since time.Duration)) {
	if !c.comparer.TryLock() {
		return
	}
	defer c.comparer.Unlock()
	wall, since := both()
	ahead := wall - c.anchor.Load() - since.Microseconds()
	if ahead >= compareStep.Microseconds() {
		wall, again := both()
		ahead = min(ahead, wall-c.anchor.Load()-again.Microseconds())
	}
	if ahead >= compareStep.Microseconds() {
		c.anchor.Add(ahead)
	}
	c.compare.Store(int64(since + compareEach))
}
