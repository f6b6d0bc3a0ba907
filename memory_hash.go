package aforo

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// hashing is how a store hashes: twice and in two ways, each under a seed of
// its own that nobody knows, so that two keys are the same to it only if they
// are to both: to the hash of Go's maps, and to products with secret numbers.
type hashing struct {
	seed   maphash.Seed
	secret [2]uint64
}

func newHashing() hashing {
	return hashing{maphash.MakeSeed(), [2]uint64{rand.Uint64(), rand.Uint64()}}
}

// identity is the two hashes of a key, in the space of a name.
type identity struct{ a, b uint64 }

// space is the identity of a limiter's name; that of no name is the zero one.
func (h *hashing) space(name string) identity {
	if name == "" {
		return identity{}
	}
	return h.identify(identity{}, name)
}

// identify is the identity of a key.
func (h *hashing) identify(space identity, key string) identity {
	id := identity{maphash.String(h.seed, key), h.products(key)}
	if space != (identity{}) {
		id.a, id.b = mix(id.a, space.a), mix(id.b, space.b)
	}
	return id
}

// products hashes a key 16 bytes at a time: each half is mixed with a secret,
// and the product of the two with the next.
func (h *hashing) products(key string) uint64 {
	x, y := h.secret[0]^uint64(len(key)), h.secret[1]
	for ; len(key) > 16; key = key[16:] {
		x = mix(x^eight(key), y^eight(key[8:]))
	}
	switch n := len(key); { // the ends may overlap
	case n >= 8:
		return mix(x^eight(key), y^eight(key[n-8:]))
	case n >= 4:
		return mix(x^four(key), y^four(key[n-4:]))
	case n > 0:
		return mix(x^(uint64(key[0])<<16|uint64(key[n/2])<<8|uint64(key[n-1])), y)
	}
	return mix(x, y)
}

// eight is the first eight bytes, in one load.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// four is the first four bytes, in one load.
func four(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// shared is the identity under which a key that is not known is limited together
// with others: one of 1,024.
func (h *hashing) shared(id identity) identity {
	group := id.a & 1023
	return identity{mix(group^h.secret[0], h.secret[1]), mix(group^h.secret[1], h.secret[0])}
}

// hashed is what a state is found by: the parts of a slot that are hash.
type hashed struct {
	tag  uint64
	rest uint64 // 9 bits
}

// of is what the state of a limit is found by. The partition bits depend on the
// key alone, so that all of its limits lie in one partition.
func (id identity) of(l *Limit) hashed {
	h := mix(id.a^l.salt, id.b)
	tag := h<<partitionBits | id.a&(1<<partitionBits-1)
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
