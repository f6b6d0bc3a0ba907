package aforo

import "unsafe"

// maxAtOnce is how many limits of a key are decided together without holding
// anything.
const maxAtOnce = 4

// A view is a partition as it is seen by somebody who does not hold it.
type view struct {
	partition *partition
	version   uint64
	tables    [2]table
}

// A seat is where the state of one of several limits of a key stands.
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
	seats := space[:len(call.Limits)]
	for i := range seats {
		k, ok := call.Limits[i].kind()
		if !ok {
			return m.clock.now(), false
		}
		seats[i].id, seats[i].kind = id.of(&call.Limits[i]), k
	}
	ask(seats, m.directory.Load().at(id.a))
	now = m.clock.now()
	var v view
	for spins := range patience {
		pause(spins)
		if !v.open(m.directory.Load().at(id.a)) {
			continue
		}
		found, read := v.read(seats)
		switch {
		case !found:
			return now, false
		case !read:
			continue
		}
		allowed, fits := judge(seats, call, now, verdicts)
		switch {
		case !fits:
			return now, false
		case allowed && call.counts():
			if v.take(seats) {
				if often(now, seats[0].id.tag) {
					m.sweepAside(now)
				}
				return now, true
			}
		case v.stands(seats):
			return now, true
		}
	}
	return now, false
}

// ask asks for all of them from memory.
func ask(seats []seat, p *partition) {
	for i := range seats {
		s := &seats[i]
		first, slots := p.table(s.kind)
		prefetch(uintptr(unsafe.Pointer(first)) + 8*uintptr(home(s.id.tag, slots)*widths[s.kind]))
	}
}

// open finds the tables of a partition, unless somebody holds it.
func (v *view) open(p *partition) bool {
	v.partition, v.version = p, p.version.Load()
	narrows, n := p.table(0)
	wides, w := p.table(1)
	if v.version&1 != 0 || p.version.Load() != v.version {
		return false
	}
	v.tables = [2]table{tableOf(0, narrows, n), tableOf(1, wides, w)}
	return true
}

// read reads all of them. It tells whether they were found, and whether nobody
// was writing to any.
func (v *view) read(seats []seat) (found, read bool) {
	for i := range seats {
		s := &seats[i]
		t := v.tables[s.kind]
		if s.place = t.find(t.home(s.id.tag), s.id); s.place < 0 {
			return false, false
		}
		if s.was = t.load(s.place); s.was.first == busy {
			return true, false
		}
	}
	return true, true
}

// judge sets the verdicts, and what is to be written if all allow. It tells
// whether that fits.
func judge(seats []seat, call *Call, now int64, verdicts []Verdict) (allowed, fits bool) {
	allowed, fits = true, true
	for i := range seats {
		s, l := &seats[i], &call.Limits[i]
		var state State
		s.was.unpack(&state)
		before := state.At
		if call.counts() {
			l.take(&state, now, call.Cost, &verdicts[i])
		} else {
			l.decide(&state, now, call.Cost, &verdicts[i])
		}
		allowed = allowed && verdicts[i].Allowed
		fits = fits && state.At >= before && state.fits()
		s.is = l.pack(s.id, &state)
	}
	for i := range seats {
		if !allowed && verdicts[i].Allowed { // it shows its state as it is
			var state State
			seats[i].was.unpack(&state)
			call.Limits[i].decide(&state, now, 0, &verdicts[i])
		}
	}
	return allowed, fits || !allowed
}

// stands tells whether nothing has changed since they were read.
func (v *view) stands(seats []seat) bool {
	for i := range seats {
		if s := &seats[i]; !v.tables[s.kind].stands(s.place, s.was) {
			return false
		}
	}
	return v.partition.version.Load() == v.version
}

// take takes all of the slots and writes them, or gives back those it got if
// something has changed.
func (v *view) take(seats []seat) bool {
	for i := range seats {
		if s := &seats[i]; !v.tables[s.kind].tryTake(s.place, s.was.first) {
			v.giveBack(seats[:i])
			return false
		}
	}
	for i := range seats {
		if s := &seats[i]; !v.tables[s.kind].still(s.place, s.was) || v.partition.version.Load() != v.version {
			v.giveBack(seats)
			return false
		}
	}
	for i := range seats {
		s := &seats[i]
		v.tables[s.kind].put(s.place, s.is)
	}
	return true
}

func (v *view) giveBack(seats []seat) {
	for i := range seats {
		s := &seats[i]
		v.tables[s.kind].giveBack(s.place, s.was.first)
	}
}
