package aforo

import (
	"math/bits"
	"sync/atomic"
)

// A table finds slots of one width by their hash: open addressing with linear
// probing, so that what is looked at lies side by side. It is kept between a
// quarter and seven eighths full.
//
// Whoever holds its partition may insert, move and remove slots, and has to take
// each of them before: others, who hold nothing, may be writing to a state at
// the same time (see takeAtOnce). To take a slot is to put busy in the place of
// its first word; to write the first word again gives it back.
type table struct {
	words []uint64 // slots of width words; a tag of 0 is an empty slot
	width int      // narrow or wide
}

// newTable has room for so many slots, or as many more as memory that is
// allocated for them would hold.
func newTable(width, slots int) table {
	words := append([]uint64(nil), make([]uint64, width*slots)...)
	return table{words[:cap(words)/width*width], width}
}

func (t table) slots() int { return len(t.words) / t.width }

// home is the number of the slot where a tag would like to stand, of so many: the
// order of tags is the order of homes.
func home(tag, slots uint64) int {
	hi, _ := bits.Mul64(tag, slots)
	return int(hi)
}

func (t table) home(tag uint64) int { return home(tag, uint64(t.slots())) * t.width }

// next is the place after i.
func (t table) next(i int) int {
	if i += t.width; i < len(t.words) {
		return i
	}
	return 0
}

// find is the place of a slot, or, if there is none, -1. It begins at the home.
func (t table) find(i int, id hashed) int {
	if len(t.words) == 0 {
		return -1
	}
	for ; ; i = t.next(i) {
		switch tag := atomic.LoadUint64(&t.words[i]); {
		case tag == 0:
			return -1
		case tag == id.tag && atomic.LoadUint64(&t.words[i+2])&(1<<9-1) == id.rest:
			return i
		}
	}
}

// load reads a slot, whoever else is writing to it: it is worth something only
// if nothing has changed meanwhile.
func (t table) load(i int) slot {
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

// still tells whether a slot is what it was, its first word aside.
func (t table) still(i int, w slot) bool {
	return atomic.LoadUint64(&t.words[i+2]) == w.second && (t.width == narrow || atomic.LoadUint64(&t.words[i+3]) == w.third)
}

// stands tells whether a slot is all that it was.
func (t table) stands(i int, w slot) bool {
	return atomic.LoadUint64(&t.words[i+1]) == w.first && t.still(i, w)
}

// tryTake takes a slot whose first word is what it was.
func (t table) tryTake(i int, first uint64) bool {
	return atomic.CompareAndSwapUint64(&t.words[i+1], first, busy)
}

// giveBack gives back a slot that was taken, with a new first word, or the one
// it had.
func (t table) giveBack(i int, first uint64) { atomic.StoreUint64(&t.words[i+1], first) }

// put writes the state of a slot that was taken, and gives it back.
func (t table) put(i int, w slot) {
	atomic.StoreUint64(&t.words[i+2], w.second)
	if t.width == wide {
		atomic.StoreUint64(&t.words[i+3], w.third)
	}
	t.giveBack(i, w.first)
}

// take takes a slot and reads it. The caller holds the partition, as in all
// that follows.
func (t table) take(i int) slot {
	for spins := 0; ; spins++ {
		if first := atomic.LoadUint64(&t.words[i+1]); first != busy && t.tryTake(i, first) {
			w := t.load(i)
			w.first = first
			return w
		}
		pause(spins)
	}
}

// read is the slot as nobody is writing to it any more.
func (t table) read(i int) slot {
	for spins := 0; ; spins++ {
		if w := t.load(i); w.first != busy && t.still(i, w) {
			return w
		}
		pause(spins)
	}
}

// insert puts a slot that is not there yet into a table that is not full, and
// tells where.
func (t table) insert(w slot) int {
	i := t.home(w.tag)
	for t.words[i] != 0 {
		i = t.next(i)
	}
	t.take(i)
	atomic.StoreUint64(&t.words[i], w.tag)
	t.put(i, w)
	return i
}

// remove takes a slot away and moves those up that had to stand behind it.
func (t table) remove(i int) {
	hole := i
	t.take(hole)
	for i = t.next(i); t.words[i] != 0; i = t.next(i) {
		if home := t.home(t.words[i]); !between(hole, home, i) {
			w := t.take(i)
			atomic.StoreUint64(&t.words[hole], w.tag)
			t.put(hole, w)
			hole = i
		}
	}
	atomic.StoreUint64(&t.words[hole], 0)
	t.put(hole, slot{})
}

// between tells whether a home lies after the hole and up to i, going round.
func between(hole, home, i int) bool {
	if hole < i {
		return hole < home && home <= i
	}
	return hole < home || home <= i
}

// moveInto puts all slots into tables that nobody else knows yet: each into the
// one that a bit of its tag chooses. They need not be taken here, since this
// table is not looked at any more: who takes one for nothing gives it back.
func (t table) moveInto(bit uint, into [2]table) {
	for i := 0; i < len(t.words); i += t.width {
		if t.words[i] != 0 {
			w := t.read(i)
			into[w.tag>>bit&1].fill(w)
		}
	}
}

// fill is insert into a table that nobody else knows yet, and spares it the
// atomic stores.
func (t table) fill(w slot) {
	i := t.home(w.tag)
	for t.words[i] != 0 {
		i = t.next(i)
	}
	words := t.words[i : i+t.width]
	words[0], words[1], words[2] = w.tag, w.first, w.second
	if t.width == wide {
		words[3] = w.third
	}
}
