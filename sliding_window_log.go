package aforo

import "slices"

// sliding_window_log remembers each admitted request and counts those younger
// than a period: an entry of age period no longer counts. It never lets more
// than N = rate through in any window of that length, wherever it starts, and
// pays for that with memory for every admitted request. Entries of the same
// instant are one.
//
//	allowed      sum + cost <= N
//	retry        when the oldest entries that must go to make room have gone
//	reset        when the newest entry has gone
func (l *Limit) slidingWindowLogDecide(s *State, now, cost int64, v *Verdict) {
	log := l.live(s, now)
	v.Allowed, v.Retry, v.Reset, v.Delay = false, 0, 0, 0
	switch {
	case cost > l.capacity:
		v.Retry = int64(never)
	case cost > l.capacity-log.sum:
		v.Retry = log.freed(log.sum+cost-l.capacity) + l.period - now
	default:
		v.Allowed = true
		log.sum += cost
	}
	v.Remaining = max(0, l.capacity-log.sum)
	switch {
	case v.Allowed && cost > 0:
		v.Reset = log.at + l.period - now
	case log.sum > 0:
		v.Reset = min(s.At, log.at) + l.period - now
	}
}

// liveLog is the part of a log that counts at its effective instant.
type liveLog struct {
	Log
	sum   int64
	at    int64 // the effective instant
	dated bool  // entries of the future are to become at
}

// live finds the entries that count at the effective instant of now: the later
// of now and the newest entry, unless that is more than a period ahead. Then
// the clock was set back for good, and entries of the future become now.
func (l *Limit) live(s *State, now int64) liveLog {
	log := liveLog{Log: s.Log, sum: s.Used, at: now}
	if s.At > now && !log.empty() {
		if log.dated = s.At-now > l.period; !log.dated {
			log.at = s.At
		}
	}
	if log.at-s.At >= l.period { // all of them have gone
		log.head, log.sum = len(log.data), 0
		return log
	}
	for c := log.walk(); c.next() && log.at-c.At >= l.period; {
		log.sum -= c.Units
		log.base, log.head = c.At, c.pos
	}
	return log
}

// freed is the instant of the entry with which at least units have gone.
func (log *liveLog) freed(units int64) int64 {
	for c := log.walk(); c.next(); {
		if units -= c.Units; units <= 0 {
			return min(c.At, log.at)
		}
	}
	return log.at
}

// settle gives the entries of a future that was not their new date. Newest is
// then the instant of the newest.
func (log *liveLog) settle(newest int64) int64 {
	if !log.dated {
		return newest
	}
	entries := log.Entries()
	for i := range entries {
		entries[i].At = min(entries[i].At, log.at)
	}
	log.Log, log.dated = newLog(entries, log.data), false
	return log.at
}

func (l *Limit) slidingWindowLogUse(s *State, now, units int64) {
	log := l.live(s, now)
	newest := log.settle(s.At)
	log.add(log.at, units, newest)
	s.At, s.Used, s.Log = log.at, log.sum+units, log.Log
}

func (l *Limit) slidingWindowLogRefund(s *State, now, units int64) {
	log := l.live(s, now)
	log.settle(s.At)
	entries := log.Entries()
	for i := len(entries) - 1; i >= 0 && units > 0; i-- {
		back := min(units, entries[i].Units)
		entries[i].Units -= back
		units -= back
	}
	s.keepLog(entries)
}

func (l *Limit) slidingWindowLogUndo(s *State, now, taken, units int64) {
	log := l.live(s, now)
	log.settle(s.At)
	entries := log.Entries()
	for i := range entries {
		if entries[i].At == taken {
			entries[i].Units -= min(units, entries[i].Units)
		}
	}
	s.keepLog(entries)
}

// keepLog makes a state of entries, without those of no units.
func (s *State) keepLog(entries []LogEntry) {
	entries = slices.DeleteFunc(entries, func(e LogEntry) bool { return e.Units == 0 })
	if len(entries) == 0 {
		*s = State{}
		return
	}
	s.Used = 0
	for _, e := range entries {
		s.Used += e.Units
	}
	s.At, s.Log = entries[len(entries)-1].At, newLog(entries, s.Log.data)
}
