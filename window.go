package aforo

// Two algorithms count in windows [k*period, (k+1)*period) aligned to the Unix
// epoch: so every instance, and every restart, agrees where they begin.

// counts is what a state holds at an effective instant.
type counts struct {
	start int64 // of the window of the effective instant
	at    int64 // the effective instant
	count int64 // of that window
	prev  int64 // of the window before it
}

// window turns the state's windows to the effective instant of now. A recorded
// window that begins after now was seen by a later clock: now counts as its
// first instant, unless it begins more than a period ahead. Then the clock was
// set back for good, and the counts move into the window of now.
func (l *Limit) window(s *State, now int64) counts {
	start := l.windowStart(now)
	c := counts{start: start, at: now}
	switch ahead := s.At - now; {
	case s.unused():
	case s.At == start || ahead > l.period:
		c.count, c.prev = s.Used, s.Prev
	case ahead > 0:
		return counts{start: s.At, at: s.At, count: s.Used, prev: s.Prev}
	case s.At == start-l.period:
		c.prev = s.Used
	}
	return c
}

// keep makes a state of the counts.
func (c *counts) keep(s *State) { s.At, s.Used, s.Prev = c.start, c.count, c.prev }

// end is how many ticks from now the window ends.
func (c *counts) end(period, now int64) int64 { return c.start + period - now }

// windowStart is the start of the window of an instant.
func (l *Limit) windowStart(at int64) int64 {
	if at < 0 {
		return floorDiv(at, l.period) * l.period
	}
	return l.periods.floor(at) * l.period
}
