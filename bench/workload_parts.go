package main

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

// part is a piece of a decision, measured as a limiter is.
type part func(key string) bool

func (p part) Allow(key string) bool { return p(key) }
func (p part) Close()                {}

// parts measures what a decision on a hot key is made of, so that it can be told
// what the rest is.
func (r *run) parts() error {
	s := &Section{
		Name: "parts", Title: "What a decision is made of",
		Note: "ns on 1 goroutine, each with the loop that measures it. No decision by key does without the first three. " +
			"What Aforo costs more is a second hash, finding the state, the rule, which calculates what remains and all waiting times, and the answer.",
	}
	keys := oneKey(r.Sizes.Hot)
	list := []struct {
		name string
		part part
	}{
		{"reading the clock", clockPart()},
		{"a hash of the key", hashPart()},
		{"a compare-and-swap", swapPart()},
		{"all of the floor", nil},
		{"all of Aforo", nil},
	}
	whole := map[string]Peer{"all of the floor": floorPeer(), "all of Aforo": aforoPeer()}
	err := r.rounds(s.Name, len(list), func(i int) error {
		l := Limiter(list[i].part)
		if p, ok := whole[list[i].name]; ok {
			made, err := p.New(open(1))
			if err != nil {
				return err
			}
			l = made
		}
		l.Allow(keys[0])
		r.note(s, "1 goroutine", list[i].name, stopwatch(l, keys), true)
		return nil
	})
	r.keep(s)
	return err
}

func clockPart() part {
	start := time.Now()
	return func(string) bool { return time.Since(start) >= 0 }
}

func hashPart() part {
	seed := maphash.MakeSeed()
	var all uint64
	return func(key string) bool {
		all |= maphash.String(seed, key)
		return all != 0
	}
}

func swapPart() part {
	var word atomic.Uint64
	return func(string) bool {
		old := word.Load()
		return word.CompareAndSwap(old, old+1)
	}
}
