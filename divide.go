package aforo

import (
	"math"
	"math/bits"
)

// A divisor divides exactly by a number that is divided by often: it multiplies
// by the reciprocal, in 64 bits of fraction, and corrects the quotient, which
// takes a fraction of the time of a division. It divides numbers from 0 to 2^61;
// the quotient is then at most one too large.
type divisor struct {
	by         int64
	reciprocal uint64 // 2^64 / by, rounded up; for 1, which needs none, 0
}

func newDivisor(by int64) divisor {
	return divisor{by, math.MaxUint64/uint64(by) + 1}
}

// floor is n / by, rounded down.
func (d *divisor) floor(n int64) int64 {
	if d.by == 1 {
		return n
	}
	hi, _ := bits.Mul64(uint64(n), d.reciprocal)
	q := int64(hi)
	if q*d.by > n {
		q--
	}
	return q
}

// ceil is n / by, rounded up.
func (d *divisor) ceil(n int64) int64 { return d.floor(n + d.by - 1) }
