package aforo

import "unsafe"

// Most decisions are made without holding anything. Who decides reads the state
// of a slot, finds out what to write, and takes the slot only to write it, if it
// is still what it was. A refusal or a look writes nothing at all.
//
// Why this is exact: what is read was a state of the key if the version of the
// partition is then what it was before, and the first word of the slot too.
// Whatever could bring back an earlier state (giving back, forgetting, sweeping,
// a clock that is set back) holds the partition, and so changes the version; all
// that is done without holding it makes the instant later or the number larger.
// And whoever takes a slot looks at the version after, as who holds the partition
// changes it first and then takes the slots that he touches: one of the two sees
// the other.

// allow decides by one limit, for a Limiter that has no other.
func (m *Memory) allow(one []Limit, space identity, key string, cost int64, d *Decision) error {
	id := m.hashing.identify(space, key)
	var v [1]Verdict
	now, done := m.takeOne(&one[0], id, cost, true, &v[0])
	if !done {
		call := Call{Op: OpTake, Key: key, Limits: one, Cost: cost}
		if err := m.doHeld(&call, id, now, v[:]); err != nil {
			return err
		}
	}
	v[0].decision(&one[0], d)
	return nil
}

// takeOne decides by one limit, unless the call needs more than a slot that is
// there. It reads the clock while the slot is on its way from memory.
func (m *Memory) takeOne(l *Limit, id identity, cost int64, counts bool, v *Verdict) (now int64, done bool) {
	k, ok := l.kind()
	if !ok {
		return m.clock.now(), false
	}
	at := id.of(l)
	for spins := range patience {
		p := m.directory.Load().at(id.a)
		version := p.version.Load()
		first, slots := p.table(k)
		i := home(at.tag, slots) * widths[k]
		if spins == 0 {
			prefetch(uintptr(unsafe.Pointer(first)) + 8*uintptr(i))
			now = m.clock.now()
		} else {
			pause(spins)
		}
		if version&1 != 0 || p.version.Load() != version {
			continue
		}
		t := tableOf(k, first, slots)
		if i = t.find(i, at); i < 0 {
			return now, false
		}
		w := t.load(i)
		if w.first == busy {
			continue
		}
		var s State
		w.unpack(&s)
		before := s.At
		if counts {
			l.take(&s, now, cost, v)
		} else {
			l.decide(&s, now, cost, v)
		}
		if !v.Allowed || !counts {
			if t.stands(i, w) && p.version.Load() == version {
				return now, true
			}
			continue
		}
		if s.At < before || !s.fits() {
			return now, false
		}
		if !t.tryTake(i, w.first) {
			continue
		}
		if !t.still(i, w) || p.version.Load() != version {
			t.giveBack(i, w.first)
			continue
		}
		t.put(i, l.pack(at, &s))
		if often(now, at.tag) {
			m.sweepAside(now)
		}
		return now, true
	}
	return now, false
}

// patience is how often somebody tries without holding anything.
const patience = 128

// often is true of one decision in 64, whichever they are.
func often(now int64, tag uint64) bool {
	return (uint64(now)^tag)*0x9e3779b97f4a7c15>>58 == 0
}
