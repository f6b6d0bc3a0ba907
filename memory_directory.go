package aforo

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// A directory finds a partition by the first of the partition bits of a hash.
// It doubles when a partition that it knows by all of these is split.
type directory struct {
	depth      uint32
	partitions []atomic.Pointer[partition]
}

// firstDepth makes sixteen partitions of an empty store: as many can be written
// to at the same time.
const firstDepth = 4

func newDirectory() *directory {
	d := &directory{depth: firstDepth, partitions: make([]atomic.Pointer[partition], 1<<firstDepth)}
	for i := range d.partitions {
		d.partitions[i].Store(&partition{depth: firstDepth, prefix: uint32(i)})
	}
	return d
}

func (d *directory) at(tag uint64) *atomic.Pointer[partition] {
	return &d.partitions[tag&(1<<partitionBits-1)>>(partitionBits-d.depth)]
}

func (d *directory) doubled() *directory {
	twice := &directory{depth: d.depth + 1, partitions: make([]atomic.Pointer[partition], 2*len(d.partitions))}
	for i := range twice.partitions {
		twice.partitions[i].Store(d.partitions[i/2].Load())
	}
	return twice
}

// hold is the partition of a key, held.
func (m *Memory) hold(id identity) *partition {
	for {
		if p := m.directory.Load().at(id[0]).Load(); p.hold() {
			return p
		}
	}
}

// release lets go of a partition that has so many more states than before, and
// splits one that has become large.
func (m *Memory) release(p *partition, more int) {
	if more != 0 {
		m.kept.Add(int64(more))
	}
	if more <= 0 || p.size() <= maxSlots || p.depth == partitionBits {
		p.free()
		return
	}
	halves := p.split()
	m.splitting.Lock()
	defer m.splitting.Unlock()
	d := m.directory.Load()
	if p.depth == d.depth {
		d = d.doubled()
		m.directory.Store(d)
	}
	each := uint32(1) << (d.depth - p.depth - 1) // entries for each half
	for i := range 2 * each {
		d.partitions[2*p.prefix*each+i].Store(halves[i/each])
	}
	p.retire()
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
	id = m.shared(id)
	return m.hold(id), id
}

// sweepAside sweeps one partition after the other, each time that the partition
// at hand has changed often enough: so that what nobody asks for any more is
// found as well. Of few states it would not be worth it.
func (m *Memory) sweepAside(changed *partition, now int64) {
	const often, few = 64, 1024
	if changed.version.Load()&(2*often-1) != 0 || m.kept.Load() < few {
		return
	}
	d := m.directory.Load()
	p := d.partitions[m.aside.Add(1)%uint32(len(d.partitions))].Load()
	if p.tryHold() {
		m.kept.Add(-int64(p.sweep(now, 64)))
		p.free()
	}
}

// identity is the hash of a name and a key, under the store's seeds.
type identity [2]uint64

func (m *Memory) identify(name, key string) identity {
	id := identity{maphash.String(m.seeds[0], key), maphash.String(m.seeds[1], key)}
	if name != "" {
		id[0] = mix(id[0], maphash.String(m.seeds[0], name))
		id[1] = mix(id[1], maphash.String(m.seeds[1], name))
	}
	return id
}

// shared is the identity under which a key that is not known is limited together
// with others: one of 1,024.
func (m *Memory) shared(id identity) identity {
	group := id[0] & 1023
	return identity{
		mix(group, maphash.String(m.seeds[0], "\x00shared")),
		mix(group, maphash.String(m.seeds[1], "\x00shared")),
	}
}

// of is what the state of a limit is found by. The partition bits depend on the
// key alone, so that all of its limits lie in one partition.
func (id identity) of(l *Limit) hashed {
	h := mix(id[0]^l.salt, id[1])
	tag := h<<partitionBits | id[0]&(1<<partitionBits-1)
	if tag == 0 {
		tag = 1 << 63 // 0 is an empty slot
	}
	return hashed{tag, h >> 55}
}

// mix makes one hash of two, by a multiplication to 128 bits.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	return hi ^ lo
}

// limitSeed salts the hashes of limits; equal limits have equal salts.
var limitSeed = maphash.MakeSeed()
