package aforo

import (
	"math/bits"
	"sync/atomic"
)

// A table finds slots of one width by their hash: open addressing with linear
// probing, so that what is looked at lies side by side. It is kept between a
// quarter and seven eighths full. Readers may look while a writer writes; what
// they read is then checked against the partition's version (see partition).
type table struct {
	words []uint64 // slots of width words; a tag of 0 is an empty slot
	width int
	slots uint64
	used  int       // of them
	_     [2]uint64 // so that it fills a cache line of its own
}

func newTable(width, slots int) *table {
	return &table{words: make([]uint64, width*slots), width: width, slots: uint64(slots)}
}

// home is where a slot would like to stand: the order of tags is the order of
// homes.
func (t *table) home(tag uint64) int {
	hi, _ := bits.Mul64(tag, t.slots)
	return int(hi) * t.width
}

// next is the place after i.
func (t *table) next(i int) int {
	if i += t.width; i < len(t.words) {
		return i
	}
	return 0
}

// find is the place of a slot, or, if there is none, -1.
func (t *table) find(id hashed) int {
	if t == nil {
		return -1
	}
	for i := t.home(id.tag); ; i = t.next(i) {
		switch tag := atomic.LoadUint64(&t.words[i]); {
		case tag == 0:
			return -1
		case tag == id.tag && atomic.LoadUint64(&t.words[i+2])&(1<<9-1) == id.rest:
			return i
		}
	}
}

// load reads a slot.
func (t *table) load(i int) slot {
	w := slot{
		tag:    atomic.LoadUint64(&t.words[i]),
		first:  atomic.LoadUint64(&t.words[i+1]),
		second: atomic.LoadUint64(&t.words[i+2]),
	}
	if t.width == wide {
		w.third = atomic.LoadUint64(&t.words[i+3])
	}
	return w
}

// read sets the state that a slot holds.
func (t *table) read(i int, s *State) {
	s.At = int64(atomic.LoadUint64(&t.words[i+1]) >> 12)
	s.Used = int64(atomic.LoadUint64(&t.words[i+2]) >> 11)
	if t.width == wide {
		s.Prev = int64(atomic.LoadUint64(&t.words[i+3]) >> 11)
	}
}

// store writes a slot. Writers hold the partition.
func (t *table) store(i int, w slot) {
	atomic.StoreUint64(&t.words[i], w.tag)
	t.update(i, w)
}

// update writes a slot over one of the same tag.
func (t *table) update(i int, w slot) {
	atomic.StoreUint64(&t.words[i+1], w.first)
	atomic.StoreUint64(&t.words[i+2], w.second)
	if t.width == wide {
		atomic.StoreUint64(&t.words[i+3], w.third)
	}
}

// insert puts a slot that is not there yet into a table that is not full.
func (t *table) insert(w slot) {
	t.store(t.vacant(w.tag), w)
	t.used++
}

// fill is insert into a table that nobody else knows yet, and spares it the
// atomic stores.
func (t *table) fill(w slot) {
	words := t.words[t.vacant(w.tag):]
	words[0], words[1], words[2] = w.tag, w.first, w.second
	if t.width == wide {
		words[3] = w.third
	}
	t.used++
}

// vacant is the place where a slot that is not there yet goes.
func (t *table) vacant(tag uint64) int {
	i := t.home(tag)
	for t.words[i] != 0 {
		i = t.next(i)
	}
	return i
}

// remove takes a slot away and moves those up that had to stand behind it.
func (t *table) remove(i int) {
	t.used--
	hole := i
	for i = t.next(i); t.words[i] != 0; i = t.next(i) {
		if home := t.home(t.words[i]); !between(hole, home, i) {
			t.store(hole, t.load(i))
			hole = i
		}
	}
	t.store(hole, slot{})
}

// between tells whether a home lies after the hole and up to i, going round.
func between(hole, home, i int) bool {
	if hole < i {
		return hole < home && home <= i
	}
	return hole < home || home <= i
}

// full tells whether the table should grow before a slot is inserted.
func (t *table) full() bool { return t == nil || uint64(t.used+1)*8 > t.slots*7 }

// sparse tells whether the table should shrink.
func (t *table) sparse() bool { return t != nil && uint64(t.used)*4 < t.slots && t.slots > 16 }

// resized is a copy with room for some more, as a new table: whoever still
// reads the old one finds it as it was.
func (t *table) resized(width int) *table {
	if t == nil {
		return newTable(width, 8)
	}
	grown := newTable(width, t.used+t.used/4+8)
	t.each(grown.fill)
	return grown
}

// each calls f with every slot. The caller holds the partition.
func (t *table) each(f func(w slot)) {
	if t == nil {
		return
	}
	for i := 0; i < len(t.words); i += t.width {
		if t.words[i] == 0 {
			continue
		}
		w := slot{tag: t.words[i], first: t.words[i+1], second: t.words[i+2]}
		if t.width == wide {
			w.third = t.words[i+3]
		}
		f(w)
	}
}
