package aforo

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
		v.Reset = log.date(log.entries[len(log.entries)-1]) + l.period - now
	}
}

// liveLog is the part of a log that counts at its effective instant.
type liveLog struct {
	entries []LogEntry // the state's own: not to be written to
	sum     int64
	at      int64 // the effective instant
}

// live finds the entries that count at the effective instant of now: the later
// of now and the newest entry, unless that is more than a period ahead. Then
// the clock was set back for good, and entries of the future become now.
func (l *Limit) live(s *State, now int64) liveLog {
	log := liveLog{entries: s.Log[s.Prev:], sum: s.Used, at: now}
	if s.At > now && s.At-now <= l.period && len(s.Log) > 0 {
		log.at = s.At
	}
	for len(log.entries) > 0 && log.at-log.entries[0].At >= l.period {
		log.sum -= log.entries[0].Units
		log.entries = log.entries[1:]
	}
	return log
}

// date is the instant of an entry, now if it lies in a future that was not.
func (log *liveLog) date(e LogEntry) int64 { return min(e.At, log.at) }

// freed is the instant of the entry with which at least units have gone.
func (log *liveLog) freed(units int64) int64 {
	for _, e := range log.entries {
		if units -= e.Units; units <= 0 {
			return log.date(e)
		}
	}
	return log.at
}

// own is the live entries as a slice that may be appended to and changed.
func (log *liveLog) own() []LogEntry {
	n := len(log.entries)
	if n == 0 || log.entries[n-1].At <= log.at {
		return log.entries
	}
	var dated []LogEntry
	for _, e := range log.entries {
		dated = appendEntry(dated, log.date(e), e.Units)
	}
	return dated
}

// appendEntry adds units to the newest entry if that is of the same instant.
func appendEntry(entries []LogEntry, at, units int64) []LogEntry {
	if n := len(entries); n > 0 && entries[n-1].At == at {
		entries[n-1].Units += units
		return entries
	}
	return append(entries, LogEntry{at, units})
}

// keepLog makes a state of live entries.
func (s *State) keepLog(entries []LogEntry, sum int64) {
	if len(entries) == 0 {
		*s = State{}
		return
	}
	s.At, s.Used, s.Prev, s.Log = entries[len(entries)-1].At, sum, 0, entries
}

// slidingWindowLogUse leaves entries that no longer count where they are, and
// moves the others down over them when the array is full and half of it is such:
// so an array that is large enough is used for ever.
func (l *Limit) slidingWindowLogUse(s *State, now, units int64) {
	log := l.live(s, now)
	entries, all := log.own(), s.Log
	dead := len(all) - len(log.entries)
	dated := len(entries) > 0 && &entries[0] != &log.entries[0]
	if dated || dead == len(all) || len(all) == cap(all) && 2*dead >= len(all) {
		all, dead = append(all[:0], entries...), 0
	}
	s.Log = appendEntry(all, log.at, units)
	s.At, s.Used, s.Prev = log.at, log.sum+units, int64(dead)
}

func (l *Limit) slidingWindowLogRefund(s *State, now, units int64) {
	log := l.live(s, now)
	entries := log.own()
	for units > 0 && len(entries) > 0 {
		newest := &entries[len(entries)-1]
		back := min(units, newest.Units)
		units, log.sum = units-back, log.sum-back
		if newest.Units -= back; newest.Units == 0 {
			entries = entries[:len(entries)-1]
		}
	}
	s.keepLog(entries, log.sum)
}

func (l *Limit) slidingWindowLogUndo(s *State, now, taken, units int64) {
	log := l.live(s, now)
	entries := log.own()
	for i := len(entries) - 1; i >= 0 && entries[i].At >= taken; i-- {
		if entries[i].At != taken {
			continue
		}
		back := min(units, entries[i].Units)
		log.sum -= back
		if entries[i].Units -= back; entries[i].Units == 0 {
			entries = append(entries[:i], entries[i+1:]...)
		}
	}
	s.keepLog(entries, log.sum)
}
