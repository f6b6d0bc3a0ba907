package aforo

// fixed_window counts the units of each aligned window (see window.go) and
// allows while they stay within N = rate. A refusal waits for the window's
// end. It keeps one number and is cheap; its price is that up to 2N pass
// within an instant around a window's edge.
func (l *Limit) fixedWindowDecide(s *State, now, cost int64) (v verdict) {
	w := l.window(s, now)
	switch {
	case cost > l.capacity:
		v.retry = int64(never)
	case cost > l.capacity-w.count:
		v.retry = w.end(l.period, now)
	default:
		v.allowed = true
		w.count += cost
	}
	v.remaining = max(0, l.capacity-w.count)
	if w.count > 0 {
		v.reset = w.end(l.period, now)
	}
	return v
}

func (l *Limit) fixedWindowUse(s State, now, units int64) State {
	w := l.window(&s, now)
	return State{At: w.start, Used: w.count + units}
}

func (l *Limit) fixedWindowRefund(s State, now, units int64) State {
	w := l.window(&s, now)
	return State{At: w.start, Used: max(0, w.count-units)}
}

func (l *Limit) fixedWindowUndo(s State, now, taken, units int64) State {
	w := l.window(&s, now)
	if floorDiv(taken, l.period)*l.period == w.start {
		w.count = max(0, w.count-units)
	}
	return State{At: w.start, Used: w.count}
}
