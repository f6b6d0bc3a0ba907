package main

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
	"time"
)

// floorLimiter is the least that a decision by key can cost: the key is hashed
// once, the clock read once, and one word updated at once. It is no limiter,
// because it does not keep keys: those that meet in a slot share a limit.
type floorLimiter struct {
	seed      maphash.Seed
	start     time.Time
	interval  int64
	tolerance int64
	mask      uint64
	words     uint64 // of a slot, of which the first is used
	slots     []atomic.Int64
}

// newFloor has as many slots of eight bytes as keys, rounded up to a power of two: fewer would
// be faster still, because more of them would lie in the processor's cache.
func newFloor(s Spec) (Limiter, error) { return newFloorOf(s, 1), nil }

// newWideFloor has slots of the size that a state takes which can be told from
// others: it shows what is due to memory alone, since fewer of them lie in the
// processor's caches.
func newWideFloor(s Spec) (Limiter, error) { return newFloorOf(s, 4), nil }

func newFloorOf(s Spec, words uint64) *floorLimiter {
	slots := 1 << bits.Len(uint(max(s.Keys, 1)-1))
	f := &floorLimiter{
		seed: maphash.MakeSeed(), start: time.Now(),
		interval: int64(s.interval()), tolerance: int64(s.interval()) * s.Burst,
		mask: uint64(slots - 1), words: words, slots: make([]atomic.Int64, uint64(slots)*words),
	}
	for i := range f.slots {
		f.slots[i].Store(-1) // so that the pages exist before anything is timed
	}
	return f
}

func (f *floorLimiter) Allow(key string) bool {
	slot := f.slot(key)
	now := int64(time.Since(f.start))
	for {
		old := slot.Load()
		next := max(old, now) + f.interval
		if next-now > f.tolerance {
			return false
		}
		if slot.CompareAndSwap(old, next) {
			return true
		}
	}
}

func (f *floorLimiter) slot(key string) *atomic.Int64 {
	return &f.slots[maphash.String(f.seed, key)&f.mask*f.words]
}

func (f *floorLimiter) Close() {}

func floorPeer() Peer {
	return Peer{
		Name:      floorName,
		What:      "no limiter but a yardstick: an array of slots found by the key's hash alone, one clock read, one compare-and-swap",
		Differs:   "it keeps no keys: those that meet in a slot share a limit",
		Yardstick: true,
		New:       newFloor,
	}
}

func wideFloorPeer() Peer {
	return Peer{
		Name:      wideFloorName,
		What:      "no limiter but a yardstick: the floor with slots of 32 bytes, about what a key takes in Aforo",
		Differs:   "as the floor, of which it uses a quarter",
		Yardstick: true,
		New:       newWideFloor,
	}
}
