package aforo

import "unsafe"

// maxAtOnce is how many limits of a key are decided together without holding
// anything.
const maxAtOnce = 4

// seats are where the states of several limits of a key stand, in one partition.
type seats struct {
	partition *partition
	version   uint64 // of the partition, when they were looked for
	tables    [2]table
	list      []seat
}

type seat struct {
	id      hashed
	kind    int
	place   int
	was, is slot // what was read, and what is to be written
}

// takeSeveral is takeOne for several limits: all of them are taken, or none is
// changed.
func (m *Memory) takeSeveral(call *Call, id identity, verdicts []Verdict) (now int64, done bool) {
	var space [maxAtOnce]seat
	s := seats{list: space[:len(call.Limits)]}
	for i := range s.list {
		k, ok := call.Limits[i].kind()
		if !ok {
			return m.clock.now(), false
		}
		s.list[i].id, s.list[i].kind = id.of(&call.Limits[i]), k
	}
	s.come(m.directory.Load().at(id.a))
	now = m.clock.now()
	for spins := range patience {
		pause(spins)
		if !s.open(m.directory.Load().at(id.a)) {
			continue
		}
		found, read := s.read()
		switch {
		case !found:
			return now, false
		case !read:
			continue
		}
		allowed, fits := s.judge(call, now, verdicts)
		switch {
		case !fits:
			return now, false
		case allowed && call.counts():
			if s.take() {
				if often(now, s.list[0].id.tag) {
					m.sweepAside(now)
				}
				return now, true
			}
		case s.stand():
			return now, true
		}
	}
	return now, false
}

// come asks for all of them from memory.
func (s *seats) come(p *partition) {
	for i := range s.list {
		seat := &s.list[i]
		first, slots := p.table(seat.kind)
		prefetch(uintptr(unsafe.Pointer(first)) + 8*uintptr(home(seat.id.tag, slots)*widths[seat.kind]))
	}
}

// open finds the tables of a partition, unless somebody holds it.
func (s *seats) open(p *partition) bool {
	s.partition, s.version = p, p.version.Load()
	narrows, n := p.table(0)
	wides, w := p.table(1)
	if s.version&1 != 0 || p.version.Load() != s.version {
		return false
	}
	s.tables = [2]table{tableOf(0, narrows, n), tableOf(1, wides, w)}
	return true
}

// read reads all of them. It tells whether they were found, and whether nobody
// was writing to any.
func (s *seats) read() (found, read bool) {
	for i := range s.list {
		seat := &s.list[i]
		t := s.tables[seat.kind]
		if seat.place = t.find(t.home(seat.id.tag), seat.id); seat.place < 0 {
			return false, false
		}
		if seat.was = t.load(seat.place); seat.was.first == busy {
			return true, false
		}
	}
	return true, true
}

// judge sets the verdicts, and what is to be written if all allow. It tells
// whether that fits.
func (s *seats) judge(call *Call, now int64, verdicts []Verdict) (allowed, fits bool) {
	allowed, fits = true, true
	for i := range s.list {
		seat, l := &s.list[i], &call.Limits[i]
		var state State
		seat.was.unpack(&state)
		before := state.At
		if call.counts() {
			l.take(&state, now, call.Cost, &verdicts[i])
		} else {
			l.decide(&state, now, call.Cost, &verdicts[i])
		}
		allowed = allowed && verdicts[i].Allowed
		fits = fits && state.At >= before && state.fits()
		seat.is = l.pack(seat.id, &state)
	}
	for i := range s.list {
		if !allowed && verdicts[i].Allowed { // it shows its state as it is
			var state State
			s.list[i].was.unpack(&state)
			call.Limits[i].decide(&state, now, 0, &verdicts[i])
		}
	}
	return allowed, fits || !allowed
}

// stand tells whether nothing has changed since they were read.
func (s *seats) stand() bool {
	for i := range s.list {
		seat := &s.list[i]
		if !s.tables[seat.kind].stands(seat.place, seat.was) {
			return false
		}
	}
	return s.partition.version.Load() == s.version
}

// take takes all of the slots and writes them, or gives back those it got if
// something has changed.
func (s *seats) take() bool {
	for i := range s.list {
		seat := &s.list[i]
		if !s.tables[seat.kind].tryTake(seat.place, seat.was.first) {
			s.giveBack(i)
			return false
		}
	}
	for i := range s.list {
		seat := &s.list[i]
		if !s.tables[seat.kind].still(seat.place, seat.was) || s.partition.version.Load() != s.version {
			s.giveBack(len(s.list))
			return false
		}
	}
	for i := range s.list {
		seat := &s.list[i]
		s.tables[seat.kind].put(seat.place, seat.is)
	}
	return true
}

// giveBack gives back the first n.
func (s *seats) giveBack(n int) {
	for i := range s.list[:n] {
		seat := &s.list[i]
		s.tables[seat.kind].giveBack(seat.place, seat.was.first)
	}
}
