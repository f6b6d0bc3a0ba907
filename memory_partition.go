package aforo

import (
	"math"
	"runtime"
	"sync/atomic"
)

// A partition holds the states of the keys whose hash begins in one way: all
// limits of a key, so that holding it makes several limits all or nothing.
//
// Its version is even while nobody holds it, and changes with every change. So
// who only looks reads without writing anything, and looks again if the version
// has changed meanwhile; and who found out what to write takes hold of the
// partition only if it has not. One that has been split stays held for ever:
// whoever meets it looks for the key's partition again.
type partition struct {
	// These and what follows fill one cache line, and no more.
	version atomic.Uint64
	tables  [2]atomic.Pointer[table] // of narrow and of wide slots, nil while empty
	odd     map[hashed]oddState      // states that fit in no slot, and logs
	swept   int64                    // the latest instant at which something that was dropped expired
	hands   [2]int32                 // where sweeping the tables goes on
	prefix  uint32                   // the bits of the hash that all keys share
	depth   uint32                   // how many they are
}

type oddState struct {
	state   State
	expires int64 // microseconds since the epoch, math.MaxInt64 is never
}

// maxSlots is when a partition is split. What a decision may have to wait for is
// that so many slots are copied.
const maxSlots = 1024

// tryHold takes hold of the partition if nobody holds it.
func (p *partition) tryHold() bool {
	v := p.version.Load()
	return v&1 == 0 && p.version.CompareAndSwap(v, v+1)
}

// hold takes hold of the partition. It fails on one that has been split.
func (p *partition) hold() bool {
	for spins := 0; !p.tryHold(); spins++ {
		if p.version.Load() == math.MaxUint64 {
			return false
		}
		pause(spins)
	}
	return true
}

// pause lets others run when somebody has spun for a while.
func pause(spins int) {
	if spins > 32 {
		runtime.Gosched()
	}
}

// free lets go of the partition. Whoever has read it meanwhile reads again.
func (p *partition) free() { p.version.Add(1) }

// retire leaves a partition that has been split held for ever.
func (p *partition) retire() { p.version.Store(math.MaxUint64) }

// table is where the limit's states are, nil if they fit in no slot.
func (p *partition) table(l *Limit) *atomic.Pointer[table] {
	switch l.algorithm {
	case SlidingWindowLog:
		return nil
	case SlidingWindowCounter:
		return &p.tables[1]
	}
	return &p.tables[0]
}

// widths are how many words the slots of a partition's tables have.
var widths = [2]int{narrow, wide}

// get is the state of a limit and a key, and whether there is one. The caller
// holds the partition, as in all that follows.
func (p *partition) get(l *Limit, id hashed) (State, bool) {
	if tables := p.table(l); tables != nil {
		t := tables.Load()
		if i := t.find(id); i >= 0 {
			var s State
			t.read(i, &s)
			return s, true
		}
	}
	odd, ok := p.odd[id]
	return odd.state, ok
}

// set keeps a state, and tells by how many there are more now.
func (p *partition) set(l *Limit, id hashed, s *State, now int64) (more int) {
	tables := p.table(l)
	if tables != nil {
		if w, ok := l.pack(id, s); ok {
			return setSlot(tables, l, id, w) - p.dropOdd(id)
		}
		more -= dropSlot(tables, id)
	}
	if _, ok := p.odd[id]; !ok {
		more++
		if p.odd == nil {
			p.odd = make(map[hashed]oddState)
		}
	}
	odd := oddState{*s, math.MaxInt64}
	var look Verdict
	if l.decide(s, now, 0, &look); look.Reset != int64(never) {
		odd.expires = after(now, look.Reset)
	}
	p.odd[id] = odd
	return more
}

// drop forgets a state, and tells how many fewer there are.
func (p *partition) drop(l *Limit, id hashed) (fewer int) {
	if tables := p.table(l); tables != nil {
		fewer = dropSlot(tables, id)
	}
	return fewer + p.dropOdd(id)
}

func (p *partition) dropOdd(id hashed) (fewer int) {
	if _, ok := p.odd[id]; !ok {
		return 0
	}
	delete(p.odd, id)
	return 1
}

func setSlot(at *atomic.Pointer[table], l *Limit, id hashed, w slot) (more int) {
	t := at.Load()
	if i := t.find(id); i >= 0 {
		t.update(i, w)
		return 0
	}
	if t.full() {
		width := narrow
		if l.algorithm == SlidingWindowCounter {
			width = wide
		}
		t = t.resized(width)
		at.Store(t)
	}
	t.insert(w)
	return 1
}

func dropSlot(at *atomic.Pointer[table], id hashed) (fewer int) {
	t := at.Load()
	i := t.find(id)
	if i < 0 {
		return 0
	}
	t.remove(i)
	return 1
}

// sweep looks at some states and drops those that are as if never used. It
// tells how many fewer there are.
func (p *partition) sweep(now int64, looks int) (fewer int) {
	for i := range p.tables {
		fewer += p.sweepTable(i, now, looks)
	}
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

// sweepTable sweeps a table, and gives back the memory of one that has become
// sparse. The hand moves down, so that what moves up into the place of a
// dropped slot has been looked at.
func (p *partition) sweepTable(i int, now int64, looks int) (fewer int) {
	t := p.tables[i].Load()
	if t == nil {
		return 0
	}
	hand := int(p.hands[i])
	for range min(looks, int(t.slots)) {
		if hand -= t.width; hand < 0 || hand >= len(t.words) {
			hand = len(t.words) - t.width
		}
		if t.words[hand] == 0 {
			continue
		}
		if expires := expiry(t.words[hand+1], t.words[hand+2]); expires <= now {
			p.swept = max(p.swept, expires)
			t.remove(hand)
			fewer++
		}
	}
	p.hands[i] = int32(hand)
	switch {
	case t.used == 0:
		p.tables[i].Store(nil)
	case t.sparse():
		p.tables[i].Store(t.resized(t.width))
		p.hands[i] = 0
	}
	return fewer
}

// size is how many slots a split would spread.
func (p *partition) size() int {
	n := len(p.odd)
	for i := range p.tables {
		if t := p.tables[i].Load(); t != nil {
			n = max(n, int(t.slots))
		}
	}
	return n
}

// split makes two of the partition, by the next bit of the hash.
func (p *partition) split() (halves [2]*partition) {
	for i := range halves {
		halves[i] = &partition{depth: p.depth + 1, prefix: p.prefix<<1 | uint32(i), swept: p.swept}
	}
	bit := partitionBits - 1 - p.depth
	for i := range p.tables {
		t := p.tables[i].Load()
		if t == nil {
			continue
		}
		var count [2]int
		t.each(func(w slot) { count[w.tag>>bit&1]++ })
		for h, half := range halves {
			half.tables[i].Store(newTable(widths[i], count[h]+count[h]/4+8))
		}
		t.each(func(w slot) { halves[w.tag>>bit&1].tables[i].Load().fill(w) })
	}
	for id, odd := range p.odd {
		half := halves[id.tag>>bit&1]
		if half.odd == nil {
			half.odd = make(map[hashed]oddState)
		}
		half.odd[id] = odd
	}
	return halves
}
