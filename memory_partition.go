package aforo

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// A partition holds the states of the keys whose hash ends in one way: all
// limits of a key, so that holding it makes several limits all or nothing.
//
// Its version is even while nobody holds it, and changes whenever somebody has
// held it. Who only decides does not hold it: the version tells whether what was
// read is worth something (see takeAtOnce).
type partition struct {
	// A partition fills one cache line.
	version atomic.Uint64
	words   [2]atomic.Pointer[uint64] // the first of the tables of narrow and of wide slots
	slots   [2]atomic.Uint32          // how many they have; 0 is no table
	used    [2]uint32                 // of them
	hands   [2]uint32                 // where sweeping the tables goes on
	odd     map[hashed]oddState       // states that fit in no slot, and logs
	swept   int64                     // the latest instant at which something that was dropped expired
}

type oddState struct {
	state   State
	expires int64 // microseconds since the epoch, math.MaxInt64 is never
}

// tryHold takes hold of the partition if nobody holds it.
func (p *partition) tryHold() bool {
	v := p.version.Load()
	return v&1 == 0 && p.version.CompareAndSwap(v, v+1)
}

// hold takes hold of the partition.
func (p *partition) hold() {
	for spins := 0; !p.tryHold(); spins++ {
		pause(spins)
	}
}

// free lets go of the partition.
func (p *partition) free() { p.version.Add(1) }

// pause lets others run when somebody has spun for a while.
func pause(spins int) {
	if spins > 32 {
		runtime.Gosched()
	}
}

// widths are how many words the slots of a partition's tables have.
var widths = [2]int{narrow, wide}

// kind is in which table a limit's states are, and whether in any.
func (l *Limit) kind() (k int, ok bool) {
	if l.algorithm == SlidingWindowCounter {
		k = 1
	}
	return k, l.algorithm != SlidingWindowLog
}

// table is one of the tables. Who does not hold the partition may use it only if
// the version has not changed since before it was called: otherwise its words
// and their number may not belong together.
func (p *partition) table(k int) (first *uint64, slots uint64) {
	return p.words[k].Load(), uint64(p.slots[k].Load())
}

// tableOf is a table of its first word and the number of its slots.
func tableOf(k int, first *uint64, slots uint64) table {
	return table{unsafe.Slice(first, int(slots)*widths[k]), widths[k]}
}

// held is one of the tables. The caller holds the partition, as in all that
// follows.
func (p *partition) held(k int) table {
	first, slots := p.table(k)
	return tableOf(k, first, slots)
}

func (p *partition) setTable(k int, t table, used uint32) {
	p.words[k].Store(unsafe.SliceData(t.words))
	p.slots[k].Store(uint32(len(t.words) / widths[k]))
	p.used[k], p.hands[k] = used, 0
}

// get is the state of a limit and a key, and whether there is one.
func (p *partition) get(l *Limit, id hashed) (s State, ok bool) {
	if k, ok := l.kind(); ok {
		t := p.held(k)
		if i := t.find(t.home(id.tag), id); i >= 0 {
			t.read(i).unpack(&s)
			return s, true
		}
	}
	odd, ok := p.odd[id]
	return odd.state, ok
}

// set keeps a state, and tells by how many there are more now.
func (p *partition) set(l *Limit, id hashed, s *State, now int64) (more int) {
	if k, ok := l.kind(); ok {
		if s.fits() {
			return p.setSlot(k, id, l.pack(id, s), now) - p.dropOdd(id)
		}
		more -= p.dropSlot(k, id)
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
	if more > 0 {
		more -= p.sweepOdd(now, 2*more)
	}
	return more
}

// drop forgets a state, and tells how many fewer there are.
func (p *partition) drop(l *Limit, id hashed) (fewer int) {
	if k, ok := l.kind(); ok {
		fewer = p.dropSlot(k, id)
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

// setSlot keeps a slot. Of a new one, it looks at those beside it, which are at
// hand, and drops what is as if never used; where there is some, there is more.
func (p *partition) setSlot(k int, id hashed, w slot, now int64) (more int) {
	t := p.held(k)
	if i := t.find(t.home(id.tag), id); i >= 0 {
		t.take(i)
		t.put(i, w)
		return 0
	}
	if slots := p.slots[k].Load(); (p.used[k]+1)*8 > slots*7 {
		t = p.resize(k)
	}
	i := t.insert(w)
	p.used[k]++
	_, fewer := p.sweepSlots(k, i, now, 2)
	if fewer > 0 {
		fewer += p.sweepTable(k, now, 8)
	}
	return 1 - fewer
}

func (p *partition) dropSlot(k int, id hashed) (fewer int) {
	t := p.held(k)
	i := t.find(t.home(id.tag), id)
	if i < 0 {
		return 0
	}
	t.remove(i)
	p.used[k]--
	return 1
}

// resize makes a table with room for a quarter more than there is.
func (p *partition) resize(k int) table {
	used := p.used[k]
	t := newTable(widths[k], int(used+used/4+8))
	p.held(k).moveInto(0, [2]table{t, t})
	p.setTable(k, t, used)
	return t
}
