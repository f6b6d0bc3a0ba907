package properties

import "math/big"

// bucket is what both buckets remember, as a fraction of units: how many were
// used and had not drained at the instant of the last use.
type bucket struct {
	capacity *big.Rat
	rate     *big.Rat // units that drain in a tick
	unit     *big.Int // the level of one unit, which decides what can be held
	empties  *big.Int // ticks in which a full bucket drains; nil for never

	known bool // whether it was ever used
	units *big.Rat
	since *big.Int
}

func newBucket(capacity, rate, per *big.Int) *bucket {
	b := &bucket{
		capacity: new(big.Rat).SetInt(capacity),
		rate:     new(big.Rat).SetFrac(rate, per),
		unit:     unitOf(rate, per),
		units:    new(big.Rat),
		since:    new(big.Int),
	}
	if rate.Sign() > 0 {
		b.empties = roundUp(new(big.Rat).Quo(b.capacity, b.rate))
	}
	return b
}

func roundUp(r *big.Rat) *big.Int {
	q, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func (b *bucket) seen(now *big.Int) usage {
	c := *b
	ahead := new(big.Int).Sub(b.since, now)
	if b.known && b.empties != nil && ahead.Cmp(b.empties) > 0 {
		c.since = now
	}
	return &c
}

// instant is the later of an instant and the last use.
func (b *bucket) instant(at *big.Int) *big.Int {
	if !b.known {
		return at
	}
	return bigMax(at, b.since)
}

// level is how many units have not drained at an instant.
func (b *bucket) level(at *big.Int) *big.Rat {
	passed := new(big.Int).Sub(b.instant(at), b.since)
	drained := new(big.Rat).SetInt(passed)
	left := new(big.Rat).Sub(b.units, drained.Mul(drained, b.rate))
	if left.Sign() < 0 {
		return new(big.Rat)
	}
	return left
}

func (b *bucket) fits(at, cost *big.Int) bool {
	total := new(big.Rat).SetInt(cost)
	return total.Add(total, b.level(at)).Cmp(b.capacity) <= 0
}

func (b *bucket) blank(at *big.Int) bool { return b.level(at).Sign() == 0 }

func (b *bucket) add(now, units *big.Int) usage {
	c := *b
	c.units = new(big.Rat).Add(b.level(now), new(big.Rat).SetInt(units))
	c.since, c.known = b.instant(now), true
	return &c
}

func (b *bucket) giveBack(now, units *big.Int) usage {
	c := *b
	if !b.known {
		return &c
	}
	c.units = new(big.Rat).Sub(b.level(now), new(big.Rat).SetInt(units))
	if c.units.Sign() < 0 {
		c.units = new(big.Rat)
	}
	c.since = b.instant(now)
	return &c
}

func (b *bucket) room(now *big.Int) *big.Int {
	most := new(big.Rat).SetFrac(exact, b.unit)
	most.Sub(most, b.level(now))
	return new(big.Int).Div(most.Num(), most.Denom())
}
