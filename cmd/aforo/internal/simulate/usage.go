package simulate

import (
	"encoding/json"
	"math/bits"
	"strconv"
	"strings"

	"github.com/aforo-dev/aforo"
)

// A usage is what a limit counts as used at an instant, exactly: parts of a
// unit, of which there are den. What it is made of depends on the algorithm.
type usage struct {
	num, den int64
	state    aforo.State // the state turned to the instant, without the request
	now      int64       // the effective instant, in ticks
}

// measure asks the rules how much is used at an instant: Charge turns a state to
// an instant and adds what it is told to, which is then taken away again.
func measure(l *aforo.Limit, s aforo.State, at int64) usage {
	if l.Algorithm() == aforo.SlidingWindowLog { // whose state shares its log
		return usage{num: l.Capacity() - l.Peek(s, at, 0).Remaining, den: 1, state: s}
	}
	turned, _ := l.Charge(s, at, 1) // a simulation has no debts: it cannot fail
	u := usage{den: parts(l), state: turned, now: max(floor(at, l.Tick()), turned.At)}
	u.state.Used -= u.den
	u.num = u.state.Used
	if l.Algorithm() == aforo.SlidingWindowCounter {
		u.den = l.Period().Microseconds() / l.Tick()
		u.state.Used = turned.Used - 1
		u.num = u.state.Prev*u.overlap() + u.state.Used*u.den
	}
	return u
}

// overlap is how many ticks of the previous window a sliding window counter
// still covers.
func (u *usage) overlap() int64 { return u.den - (u.now - u.state.At) }

// parts is how many parts of a unit a state counts in: see aforo.State.
func parts(l *aforo.Limit) int64 {
	if a := l.Algorithm(); a != aforo.TokenBucket && a != aforo.LeakyBucket {
		return 1
	}
	period := l.Period().Microseconds() / l.Tick()
	a, b := l.Rate(), period
	for b != 0 {
		a, b = b, a%b
	}
	if l.Rate() == 0 {
		return period
	}
	return period / a
}

// used is the usage in units, rounded up to a millionth: so that a sum with it
// exceeds a capacity if and only if the exact one does.
func (u *usage) used() json.Number { return decimal(u.num, u.den, true) }

// left is what is left of a capacity, rounded down.
func (u *usage) left(capacity int64) json.Number {
	return decimal(capacity*u.den-u.num, u.den, false)
}

// float is the usage in units, for curves.
func (u *usage) float() float64 {
	return float64(u.num/u.den) + float64(u.num%u.den)/float64(u.den)
}

// decimal is num/den, neither negative, in six decimals at most.
func decimal(num, den int64, up bool) json.Number {
	const million = 1_000_000
	hi, lo := bits.Mul64(uint64(num%den), million)
	micro, rest := bits.Div64(hi, lo, uint64(den)) // hi < den, since num%den is
	if up && rest > 0 {
		micro++
	}
	whole := num/den + int64(micro/million)
	text := strconv.FormatInt(whole, 10)
	if micro %= million; micro > 0 {
		digits := strconv.FormatUint(million+micro, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return json.Number(text)
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
