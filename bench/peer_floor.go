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
	slots     []atomic.Int64
}

// newFloor has as many slots as keys, rounded up to a power of two: fewer would
// be faster still, because more of them would lie in the processor's cache.
func newFloor(s Spec) (Limiter, error) {
	slots := 1 << bits.Len(uint(max(s.Keys, 1)-1))
	f := &floorLimiter{
		seed: maphash.MakeSeed(), start: time.Now(),
		interval: int64(s.interval()), tolerance: int64(s.interval()) * s.Burst,
		mask: uint64(slots - 1), slots: make([]atomic.Int64, slots),
	}
	for i := range f.slots {
		f.slots[i].Store(-1) // so that the pages exist before anything is timed
	}
	return f, nil
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
	return &f.slots[maphash.String(f.seed, key)&f.mask]
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
