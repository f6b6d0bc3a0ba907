package aforo

// Sweeping drops states that are as if never used, a few at a time, and gives
// back the memory of what has become empty. The caller holds the partition.

// sweep looks at some states of each kind and drops those that are as if never
// used. It tells how many fewer there are.
func (p *partition) sweep(now int64, looks int) (fewer int) {
	for k := range p.words {
		fewer += p.sweepTable(k, now, looks)
	}
	return fewer + p.sweepOdd(now, looks)
}

func (p *partition) sweepOdd(now int64, looks int) (fewer int) {
	for id, odd := range p.odd { // in a random order
		if looks--; looks < 0 {
			break
		}
		if odd.expires <= now {
			p.swept = max(p.swept, odd.expires)
			fewer += p.dropOdd(id)
		}
	}
	if len(p.odd) == 0 {
		p.odd = nil // a map does not shrink
	}
	return fewer
}

// sweepTable sweeps a table from where it was left, and makes it smaller if it
// has become sparse.
func (p *partition) sweepTable(k int, now int64, looks int) (fewer int) {
	slots := p.slots[k].Load()
	if slots == 0 {
		return 0
	}
	hand, fewer := p.sweepSlots(k, int(p.hands[k]), now, min(looks, int(slots)))
	p.hands[k] = uint32(hand)
	switch used := p.used[k]; {
	case used == 0:
		p.setTable(k, table{}, 0)
	case used*4 < slots && slots > 16:
		p.resize(k)
	}
	return fewer
}

// sweepSlots looks at the slots before a place, and tells where it has come to.
// It goes down, so that what moves up into the place of a dropped slot has been
// looked at.
func (p *partition) sweepSlots(k, place int, now int64, looks int) (last, fewer int) {
	t := p.held(k)
	for range looks {
		if place -= t.width; place < 0 || place >= len(t.words) {
			place = len(t.words) - t.width
		}
		if t.words[place] == 0 {
			continue
		}
		w := t.read(place)
		if expires := expiry(w.first, w.second); expires <= now {
			p.swept = max(p.swept, expires)
			t.remove(place)
			p.used[k]--
			fewer++
		}
	}
	return place, fewer
}

// sweepAside sweeps one partition after the other, each time that some decisions
// have changed something: so that what nobody asks for any more is found as
// well. Where it finds some, it goes on. Of few states it would not be worth it.
func (m *Memory) sweepAside(now int64) {
	const few, looks, more = 1024, 8, 128
	if m.kept.Load() < few {
		return
	}
	d := m.directory.Load()
	p := d.partition(uint64(m.aside.Add(1)) % d.count)
	if p.tryHold() {
		fewer := p.sweep(now, looks)
		if fewer > 0 {
			fewer += p.sweep(now, more)
			m.kept.Add(-int64(fewer))
		}
		p.free()
	}
}

// room makes room for a call on a partition that is held, in a store that is
// full. If there is none, it goes on with a state that the key shares.
func (m *Memory) room(p *partition, call *Call, id identity, now int64) (*partition, identity) {
	if call.Op == OpReset || p.hasAll(call, id) {
		return p, id
	}
	fewer := p.sweep(now, 128)
	if kept := m.kept.Add(-int64(fewer)); kept < m.max {
		return p, id
	}
	p.free()
	id = m.hashing.shared(id)
	return m.hold(id), id
}
