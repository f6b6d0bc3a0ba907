package aforo

import (
	"strings"
	"testing"
)

// TestEveryByteOfAKeyCounts: in each of the two hashes, whatever the length.
func TestEveryByteOfAKeyCounts(t *testing.T) {
	h := newHashing()
	for n := range 70 {
		key := strings.Repeat("k", n)
		of := h.identify(identity{}, key)
		if longer := h.identify(identity{}, key+"\x00"); longer.a == of.a || longer.b == of.b {
			t.Errorf("%d bytes, and a zero after them, have the same hash", n)
		}
		for i := range n {
			for bit := range 8 {
				other := []byte(key)
				other[i] ^= 1 << bit
				if id := h.identify(identity{}, string(other)); id.a == of.a || id.b == of.b {
					t.Errorf("of %d bytes, bit %d of the one at %d makes no difference", n, bit, i)
				}
			}
		}
	}
}

// TestShortKeysAreAllDifferent: those of up to two bytes, under three names, and
// by two limits.
func TestShortKeysAreAllDifferent(t *testing.T) {
	h, one, two := newHashing(), PerHour(1), PerHour(2)
	seen := make(map[hashed]string)
	add := func(name, key string) {
		id := h.identify(h.space(name), key)
		for _, l := range []*Limit{&one, &two} {
			what := name + "/" + key + "/" + l.String()
			if other, ok := seen[id.of(l)]; ok {
				t.Fatalf("%q and %q are the same", other, what)
			}
			seen[id.of(l)] = what
		}
	}
	for _, name := range []string{"", "a", "b"} {
		add(name, "")
		for i := range 256 {
			add(name, string([]byte{byte(i)}))
			for j := range 256 {
				add(name, string([]byte{byte(i), byte(j)}))
			}
		}
	}
}

// TestTwoStoresHashDifferently: nobody who knows the hashes of one process knows
// those of another.
func TestTwoStoresHashDifferently(t *testing.T) {
	a, b := newHashing(), newHashing()
	x, y := a.identify(identity{}, "key"), b.identify(identity{}, "key")
	if x.a == y.a || x.b == y.b {
		t.Errorf("%v and %v", x, y)
	}
}
