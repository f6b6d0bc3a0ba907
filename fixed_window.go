package aforo

// fixed_window counts the units of each aligned window (see window.go) and
// allows while they stay within N = rate. A refusal waits for the window's
// end. It keeps one number and is cheap; its price is that up to 2N pass
// within an instant around a window's edge.
func (l *Limit) fixedWindowDecide(s *State, now, cost int64, v *Verdict) {
	w := l.window(s, now)
	v.Allowed, v.Retry, v.Reset, v.Delay = false, 0, 0, 0
	switch {
	case cost > l.capacity:
		v.Retry = int64(never)
	case cost > l.capacity-w.count:
		v.Retry = w.end(l.period, now)
	default:
		v.Allowed = true
		w.count += cost
	}
	v.Remaining = max(0, l.capacity-w.count)
	if w.count > 0 {
		v.Reset = w.end(l.period, now)
	}
}

func (l *Limit) fixedWindowUse(s *State, now, units int64) {
	w := l.window(s, now)
	s.At, s.Used = w.start, w.count+units
}

func (l *Limit) fixedWindowRefund(s *State, now, units int64) {
	w := l.window(s, now)
	s.At, s.Used = w.start, max(0, w.count-units)
}

func (l *Limit) fixedWindowUndo(s *State, now, taken, units int64) {
	w := l.window(s, now)
	if l.windowStart(taken) == w.start {
		w.count = max(0, w.count-units)
	}
	s.At, s.Used = w.start, w.count
}
