package properties

import (
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// The same comparison of the rules with their oracles as under random draws,
// with the inputs chosen by coverage: for go test -fuzz.

func fuzzRules(f *testing.F, a aforo.Algorithm) {
	f.Add([]byte{}) // what rapid makes of too few bytes is a case that is skipped
	for seed := range byte(8) {
		input := make([]byte, 4096)
		for i := range input {
			input[i] = byte(i)*(2*seed+1) + seed
		}
		f.Add(input)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { playBoth(t, a, (*hand).anywhere) }))
}

func FuzzTokenBucket(f *testing.F)          { fuzzRules(f, aforo.TokenBucket) }
func FuzzLeakyBucket(f *testing.F)          { fuzzRules(f, aforo.LeakyBucket) }
func FuzzFixedWindow(f *testing.F)          { fuzzRules(f, aforo.FixedWindow) }
func FuzzSlidingWindowLog(f *testing.F)     { fuzzRules(f, aforo.SlidingWindowLog) }
func FuzzSlidingWindowCounter(f *testing.F) { fuzzRules(f, aforo.SlidingWindowCounter) }
