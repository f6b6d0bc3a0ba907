package aforo

// sliding_window_counter estimates a sliding window from two aligned ones (see
// window.go): the current count C, and the previous one Q weighed by the part
// of its window that the sliding window still covers. With p ticks a period
// and d ticks since the current window began,
//
//	allowed      Q*(p-d) + (C+cost)*p <= N*p
//	remaining    N - C - ceil(Q*(p-d) / p), not below 0
//
// The estimate supposes that the previous window's units were spread evenly;
// so at most N pass in an aligned window, and at most N*(1 + L/p) in any
// interval of length L <= p.
func (l *Limit) slidingWindowCounterDecide(s *State, now, cost int64, v *Verdict) {
	w := l.window(s, now)
	v.Allowed, v.Retry, v.Reset, v.Delay = false, 0, 0, 0
	switch {
	case cost > l.capacity:
		v.Retry = int64(never)
	case l.fitsCounter(&w, cost):
		v.Allowed = true
		w.count += cost
	default:
		v.Retry = w.at - now + l.counterRetry(&w, cost)
	}
	covered := l.periods.ceil(w.prev * (w.start + l.period - w.at))
	v.Remaining = max(0, l.capacity-w.count-covered)
	switch {
	case w.count > 0:
		v.Reset = w.end(l.period, now) + l.period
	case w.prev > 0:
		v.Reset = w.end(l.period, now)
	}
}

// fitsCounter compares Q*(p-d) with (N-C-cost)*p: each of the two products
// stays below 2^53, as their sum would not.
func (l *Limit) fitsCounter(w *counts, cost int64) bool {
	room := l.capacity - w.count - cost
	return room >= 0 && w.prev*(w.start+l.period-w.at) <= room*l.period
}

// counterRetry is the least wait from the effective instant after which cost
// fits if nobody else asks. While C + cost <= N it comes within this window,
// when the previous one weighs little enough; otherwise in the next window,
// when the current one, then the previous, does.
func (l *Limit) counterRetry(w *counts, cost int64) int64 {
	p, d := l.period, w.at-w.start
	if room := l.capacity - w.count - cost; room >= 0 {
		return max(0, p-room*p/w.prev-d)
	}
	return p - d + max(0, p-(l.capacity-cost)*p/w.count)
}

func (l *Limit) slidingWindowCounterUse(s *State, now, units int64) {
	w := l.window(s, now)
	w.count += units
	w.keep(s)
}

func (l *Limit) slidingWindowCounterRefund(s *State, now, units int64) {
	w := l.window(s, now)
	fromCurrent := min(units, w.count)
	w.count -= fromCurrent
	w.prev -= min(units-fromCurrent, w.prev)
	w.keep(s)
}

func (l *Limit) slidingWindowCounterUndo(s *State, now, taken, units int64) {
	w := l.window(s, now)
	switch l.windowStart(taken) {
	case w.start:
		w.count = max(0, w.count-units)
	case w.start - l.period:
		w.prev = max(0, w.prev-units)
	}
	w.keep(s)
}
