package aforo

import "math/bits"

// A directory finds a partition by the last bits of a hash. It grows by one
// partition at a time, into which one of the others, in their order, is split
// (linear hashing): nothing is ever laid anew as a whole.
type directory struct {
	count  uint64 // how many partitions there are
	mask   uint64 // of the bits that choose one: count fits in them, and not in one bit less
	chunks []*chunk
}

// chunkSize is how many partitions are made at a time, and how many there are at
// first. As many can be written to at the same time.
const chunkSize = 16

type chunk [chunkSize]partition

func newDirectory() *directory {
	return &directory{count: chunkSize, mask: chunkSize - 1, chunks: []*chunk{new(chunk)}}
}

// partition is the i-th.
func (d *directory) partition(i uint64) *partition {
	return &d.chunks[i/chunkSize][i%chunkSize]
}

// index is the number of the partition of a hash.
func (d *directory) index(hash uint64) uint64 {
	i := hash & d.mask
	if i >= d.count { // it has not been split off yet
		i &= d.mask >> 1
	}
	return i
}

// at is the partition of a hash.
func (d *directory) at(hash uint64) *partition { return d.partition(d.index(hash)) }

// grown is the directory with one partition more, and the number of the one that
// it is to be split from. Chunks are shared, since what is appended to them is
// beyond the count of those who know the old one.
func (d *directory) grown() (more *directory, from uint64) {
	more = &directory{count: d.count + 1, mask: 1<<bits.Len64(d.count) - 1, chunks: d.chunks}
	if d.count%chunkSize == 0 {
		more.chunks = append(d.chunks, new(chunk))
	}
	return more, d.count & (more.mask >> 1)
}

// hold is the partition of a key, held.
func (m *Memory) hold(id identity) *partition {
	for {
		p := m.directory.Load().at(id.a)
		p.hold()
		if p == m.directory.Load().at(id.a) { // it has not been split meanwhile
			return p
		}
		p.free()
	}
}

// release lets go of a partition that has so many more states than before, and
// splits one, whichever is next, when there are many for their number.
func (m *Memory) release(p *partition, more int) {
	p.free()
	if more == 0 {
		return
	}
	kept := m.kept.Add(int64(more))
	if more > 0 && uint64(kept) > m.directory.Load().count*manyStates {
		m.split()
	}
}

// manyStates is how many states a partition has when the next is split. What a
// decision may have to wait for is that twice as many are copied, since all
// others may be next.
const manyStates = 256

// split splits the partition that is next, unless somebody else does.
func (m *Memory) split() {
	if !m.splitting.TryLock() {
		return
	}
	defer m.splitting.Unlock()
	d := m.directory.Load()
	if d.count == 1<<partitionBits {
		return
	}
	more, from := d.grown()
	p, half := d.partition(from), more.partition(d.count)
	p.hold()
	p.split(half, bits.TrailingZeros64(d.count-from))
	m.directory.Store(more)
	p.free()
}

// split moves those states into an empty partition that nobody knows yet whose
// hash has a bit.
func (p *partition) split(half *partition, bit int) {
	half.swept = p.swept
	for k, width := range widths {
		t := p.held(k)
		if len(t.words) == 0 {
			continue
		}
		var count [2]uint32
		for i := 0; i < len(t.words); i += width {
			if tag := t.words[i]; tag != 0 {
				count[tag>>bit&1]++
			}
		}
		var halves [2]table
		for i, n := range count {
			halves[i] = newTable(width, int(n+n/4+8))
		}
		t.moveInto(uint(bit), halves)
		p.setTable(k, halves[0], count[0])
		half.setTable(k, halves[1], count[1])
	}
	for id, odd := range p.odd {
		if id.tag>>bit&1 == 0 {
			continue
		}
		if half.odd == nil {
			half.odd = make(map[hashed]oddState)
		}
		half.odd[id] = odd
		delete(p.odd, id)
	}
}
