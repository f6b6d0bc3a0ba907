package properties

import (
	"math"
	"math/big"
	"time"

	"github.com/aforo-dev/aforo"
)

// An oracle answers what a limit must answer, slowly. It knows only two things
// of each algorithm: whether a request fits at an instant, and whether
// anything is still counted then. Everything in an answer is found by trying:
// what remains is the largest cost that fits, a wait is the first tick at which
// the same request does. No formula of a wait stands in here, so that a wrong
// one cannot be wrong twice.
type oracle struct {
	numbers
	tick *big.Int // microseconds
	used usage
}

// numbers are those of a limit, before anybody has judged them.
type numbers struct {
	algorithm aforo.Algorithm
	rate, per int64 // per is in microseconds
	burst     int64 // 0 for the windows
}

func (n numbers) limit() aforo.Limit {
	l := aforo.Per(n.rate, time.Duration(n.per)*time.Microsecond).Using(n.algorithm)
	if n.burst != 0 {
		l = l.Burst(n.burst)
	}
	return l
}

func (n numbers) bucket() bool {
	return n.algorithm == aforo.TokenBucket || n.algorithm == aforo.LeakyBucket
}

func (n numbers) capacity() int64 {
	if n.burst != 0 {
		return n.burst
	}
	return n.rate
}

// usage is what an algorithm remembers of one key. Instants are in ticks.
type usage interface {
	// seen is a copy, as a decision at now finds it: dated to now if the
	// clock was set back for good.
	seen(now *big.Int) usage
	// fits tells whether cost would be allowed at an instant if nobody
	// asked until then.
	fits(at, cost *big.Int) bool
	// blank tells whether nothing is counted any more at an instant.
	blank(at *big.Int) bool
	// add counts units, and giveBack takes them back, in a copy.
	add(now, units *big.Int) usage
	giveBack(now, units *big.Int) usage
	// room is how many units may be charged and still be held in 53 bits.
	room(now *big.Int) *big.Int
}

func newOracle(n numbers) *oracle {
	tick, ok := finestTick(n)
	if !ok {
		panic("the limit cannot be held exactly")
	}
	o := &oracle{numbers: n, tick: tick}
	per := new(big.Int).Div(big.NewInt(n.per), tick)
	capacity := big.NewInt(n.capacity())
	switch {
	case n.bucket():
		o.used = newBucket(capacity, big.NewInt(n.rate), per)
	case n.algorithm == aforo.SlidingWindowLog:
		o.used = &journal{capacity: capacity, per: per}
	default:
		o.used = &windows{capacity: capacity, per: per, sliding: n.algorithm == aforo.SlidingWindowCounter}
	}
	return o
}

// finestTick is the finest tick that divides the period and keeps the numbers
// below 2^52, the rate among them.
func finestTick(n numbers) (*big.Int, bool) {
	bound := new(big.Int).Lsh(big.NewInt(1), 52)
	if big.NewInt(n.rate).Cmp(bound) >= 0 {
		return nil, false
	}
	for _, tick := range []int64{1, 1000, 1000000} {
		p, rest := new(big.Int).DivMod(big.NewInt(n.per), big.NewInt(tick), new(big.Int))
		if rest.Sign() != 0 {
			continue
		}
		rate, most := big.NewInt(n.rate), new(big.Int)
		switch {
		case n.bucket():
			most.Mul(big.NewInt(n.capacity()), unitOf(rate, p))
		case n.algorithm == aforo.SlidingWindowCounter:
			most.Mul(rate, p)
		case rate.Cmp(p) > 0:
			most = rate
		default:
			most = p
		}
		if most.Cmp(bound) < 0 {
			return big.NewInt(tick), true
		}
	}
	return nil, false
}

// unitOf is the level of one unit: the period over its greatest divisor in
// common with the rate.
func unitOf(rate, per *big.Int) *big.Int {
	if rate.Sign() == 0 {
		return per
	}
	return new(big.Int).Div(per, new(big.Int).GCD(nil, nil, rate, per))
}

func (o *oracle) ticks(at int64) *big.Int {
	floored, _ := new(big.Int).DivMod(big.NewInt(at), o.tick, new(big.Int))
	return floored // Euclidean division by a positive number rounds down
}

// decide is what a request of cost units at an instant must be answered.
func (o *oracle) decide(at, cost int64) aforo.Verdict {
	now, c := o.ticks(at), big.NewInt(cost)
	before := o.used.seen(now)
	later := func(w *big.Int) *big.Int { return new(big.Int).Add(now, w) }
	v := aforo.Verdict{At: at, Allowed: before.fits(now, c)}
	after := before
	if v.Allowed && cost > 0 {
		after = before.add(now, c)
		if o.algorithm == aforo.LeakyBucket {
			v.Delay = o.wait(func(w *big.Int) bool { return before.blank(later(w)) })
		}
	}
	if !v.Allowed {
		v.Retry = o.wait(func(w *big.Int) bool { return before.fits(later(w), c) })
	}
	v.Reset = o.wait(func(w *big.Int) bool { return after.blank(later(w)) })
	v.Remaining = largest(o.capacity(), func(c *big.Int) bool { return after.fits(now, c) })
	return v
}

func (o *oracle) take(at, cost int64) aforo.Verdict {
	v := o.decide(at, cost)
	if v.Allowed && cost > 0 {
		o.used = o.used.seen(o.ticks(at)).add(o.ticks(at), big.NewInt(cost))
	}
	return v
}

// charge reports the largest charge that could be held if this one cannot.
func (o *oracle) charge(at, units int64) (largest int64, held bool) {
	now, u := o.ticks(at), big.NewInt(units)
	before := o.used.seen(now)
	if room := before.room(now); u.Cmp(room) > 0 {
		return room.Int64(), false
	}
	if units > 0 {
		o.used = before.add(now, u)
	}
	return 0, true
}

func (o *oracle) refund(at, units int64) {
	if units > 0 {
		now := o.ticks(at)
		o.used = o.used.seen(now).giveBack(now, big.NewInt(units))
	}
}

// wait is the first wait with which done holds, in microseconds, or -1 if
// there is none. Short ones are tried one by one; for longer ones done must
// hold forever once it does.
func (o *oracle) wait(done func(*big.Int) bool) int64 {
	const patience, horizon = 24, 60
	w := new(big.Int)
	for i := int64(0); i <= patience; i++ {
		if done(w.SetInt64(i)) {
			return o.micros(w)
		}
	}
	low, high := big.NewInt(patience), big.NewInt(2*patience)
	for !done(high) {
		if low, high = high, new(big.Int).Lsh(high, 1); high.BitLen() > horizon {
			return -1
		}
	}
	for new(big.Int).Sub(high, low).Cmp(big.NewInt(1)) > 0 {
		middle := new(big.Int).Add(low, high)
		if middle.Rsh(middle, 1); done(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return o.micros(high)
}

// micros cuts waits that an int64 does not hold, as Verdict says.
func (o *oracle) micros(ticks *big.Int) int64 {
	us := new(big.Int).Mul(ticks, o.tick)
	if !us.IsInt64() {
		return math.MaxInt64
	}
	return us.Int64()
}

// largest is the largest number up to most that is good, if all below it are;
// 0 if none is.
func largest(most int64, good func(*big.Int) bool) int64 {
	low, high := int64(0), most
	for low < high {
		middle := high - (high-low)/2
		if good(big.NewInt(middle)) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

func bigMax(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// exact is the largest number that 53 bits hold, and the largest debt.
var exact = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 53), big.NewInt(1))
