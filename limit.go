package aforo

import (
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"time"
)

// A Limit is an algorithm and its numbers: rate units per period, and for the
// two buckets a burst. It is a small immutable value; two equal Limits share
// their state in a store. The zero Limit is not valid.
//
// Make one with [ParseLimit], or typed:
//
//	aforo.PerMinute(100).Burst(20)
//	aforo.Per(5, 15*time.Minute).Using(aforo.SlidingWindowLog)
//
// A limit whose numbers are wrong, or cannot be held exactly, says so when it
// is used to make a limiter, or when asked by [Limit.Validate].
type Limit struct {
	limitID
	name string
	text string
	err  *LimitError

	// What follows is derived from the numbers by compile, and is what the
	// rules calculate with. All times are in ticks of tick microseconds.
	salt     uint64        // a hash of limitID, another in every process
	tick     int64         // 1, 1e3 or 1e6 microseconds
	tickCode uint64        // 0, 1 or 2: the power of a thousand that tick is
	period   int64         // ticks in a period
	periods  divisor       // by period
	capacity int64         // N: units that fit at once
	unit     divisor       // P of the buckets: the level of one unit
	drain    divisor       // R of the buckets: the level that drains in a tick; by 0 if none
	full     int64         // N*P of the buckets
	fill     int64         // ticks in which a full bucket drains, rounded up
	whole    time.Duration // in which all of the capacity comes back
}

// limitID is what makes two limits the same one for a store.
type limitID struct {
	algorithm Algorithm
	unlimited bool
	burstSet  bool
	rate      int64
	per       time.Duration
	burst     int64
}

// Per is a token bucket of rate units per period, with a burst of rate. A
// rate of 0 refuses everything. The period is a whole number of microseconds.
func Per(rate int64, period time.Duration) Limit {
	return limitID{algorithm: TokenBucket, rate: rate, per: period}.compile()
}

// PerSecond is Per(rate, time.Second).
func PerSecond(rate int64) Limit { return Per(rate, time.Second) }

// PerMinute is Per(rate, time.Minute).
func PerMinute(rate int64) Limit { return Per(rate, time.Minute) }

// PerHour is Per(rate, time.Hour).
func PerHour(rate int64) Limit { return Per(rate, time.Hour) }

// PerDay is Per(rate, 24*time.Hour): days of UTC when the windows are aligned.
func PerDay(rate int64) Limit { return Per(rate, 24*time.Hour) }

// Unlimited admits everything and counts nothing. It is its own word and
// stands alone: no number means unlimited.
func Unlimited() Limit { return limitID{unlimited: true}.compile() }

// Burst is the limit with a burst (the bucket's capacity) of units, at least
// 1. Only the two buckets take one; without it, it is the rate.
func (l Limit) Burst(units int64) Limit {
	id := l.limitID
	id.burst, id.burstSet = units, true
	return id.compile().Named(l.name)
}

// Using is the limit with another algorithm.
func (l Limit) Using(a Algorithm) Limit {
	id := l.limitID
	id.algorithm = a
	return id.compile().Named(l.name)
}

// Named is the limit under a name that decisions and headers report; without
// one the limit's text is its name. Names are printable ASCII, since HTTP
// header fields carry nothing else.
func (l Limit) Named(name string) Limit {
	l.name = name
	if bad := unprintable(name); bad >= 0 && l.err == nil {
		l.err = &LimitError{Field: "name", Value: strconv.Quote(name), Place: bad,
			Problem: "names are printable ASCII", Good: `"per-second"`}
	}
	return l
}

// Algorithm is the limit's rule; 0 when it is Unlimited.
func (l Limit) Algorithm() Algorithm { return l.algorithm }

// Rate is how many units are allowed in a Period.
func (l Limit) Rate() int64 { return l.rate }

// Period is the time in which Rate units are allowed.
func (l Limit) Period() time.Duration { return l.per }

// Capacity is how many units fit at once: the burst of the buckets, the rate
// of the windows. A cost above it can never be allowed.
func (l Limit) Capacity() int64 { return l.capacity }

// FillTime is how long a full bucket takes to drain, or the period of a window;
// Never for a bucket of rate 0. With Capacity it is the q and w of a
// RateLimit-Policy field.
func (l Limit) FillTime() time.Duration { return l.whole }

// Tick is the precision of the limit's clock and waits in microseconds: 1, 1000
// or 1000000, the finest in which its numbers can be held exactly.
func (l Limit) Tick() int64 { return l.tick }

// IsUnlimited tells whether this is the limit that Unlimited makes.
func (l Limit) IsUnlimited() bool { return l.unlimited }

// Name is what decisions and headers call the limit.
func (l Limit) Name() string { return l.label() }

// label is Name without a copy of the limit.
func (l *Limit) label() string {
	if l.name == "" {
		return l.text
	}
	return l.name
}

// Validate says whether the limit can be held exactly. Its error is a
// *LimitError that names the field, the value and the largest or smallest
// good one.
func (l Limit) Validate() error {
	if l.err != nil {
		return l.err
	}
	if l.text == "" {
		return &LimitError{Field: "limit", Value: "the zero Limit", Place: -1,
			Problem: "it has no numbers", Good: "aforo.PerMinute(100)"}
	}
	return nil
}

// String is the limit in the grammar of ParseLimit, in its shortest form.
func (l Limit) String() string { return l.text }

// MarshalText writes the limit as String does.
func (l Limit) MarshalText() ([]byte, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	return []byte(l.text), nil
}

// UnmarshalText reads a limit as ParseLimit does.
func (l *Limit) UnmarshalText(text []byte) error {
	parsed, err := ParseLimit(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}

// maxExact bounds every number of a limit and of its state, so that scripts
// that calculate in IEEE doubles hold them exactly: a limit stays below half
// of it, and debt may fill the rest.
const (
	maxExact = 1<<53 - 1
	maxLimit = 1<<52 - 1
)

// ticks are those that a limit may choose, in microseconds, finest first.
var ticks = [...]int64{1, 1e3, 1e6}

// compile checks the numbers and derives what the rules calculate with.
func (id limitID) compile() Limit {
	if id.burstSet && id.burst == id.rate && id.rate > 0 {
		id.burst, id.burstSet = 0, false // 100/m burst 100 is the same limit as 100/m
	}
	l := Limit{limitID: id, text: id.format()}
	l.salt = maphash.String(limitSeed, l.text)
	if id.unlimited {
		if id != (limitID{unlimited: true}) {
			l.err = &LimitError{Field: "limit", Value: "unlimited", Place: -1,
				Problem: "it has no algorithm, rate or burst", Good: "unlimited"}
		}
		return l
	}
	if l.err = l.checkNumbers(); l.err != nil {
		return l
	}
	l.capacity = id.rate
	if id.burstSet {
		l.capacity = id.burst
	}
	for code, tick := range ticks {
		if per := id.per.Microseconds(); per%tick == 0 && l.holds(per/tick) {
			l.tickCode = uint64(code)
			l.derive(tick)
			return l
		}
	}
	l.err = l.tooLarge()
	return l
}

// holds tells whether the limit's numbers stay exact with p ticks a period.
func (l *Limit) holds(p int64) bool {
	switch l.algorithm {
	case TokenBucket, LeakyBucket:
		return l.capacity <= maxLimit/(p/gcd(l.rate, p))
	case SlidingWindowCounter:
		return l.rate <= maxLimit/p
	default:
		return p <= maxLimit
	}
}

func (l *Limit) derive(tick int64) {
	l.tick = tick
	l.period = l.per.Microseconds() / tick
	l.periods = newDivisor(l.period)
	if !l.algorithm.isBucket() {
		l.whole = l.per
		return
	}
	g := gcd(l.rate, l.period)
	l.unit = newDivisor(l.period / g)
	l.full = l.capacity * l.unit.by
	l.fill, l.whole = math.MaxInt64, Never
	if l.rate > 0 {
		l.drain = newDivisor(l.rate / g)
		l.fill = l.drain.ceil(l.full)
		l.whole = micros(l.micros(l.fill)).duration()
	}
}

// gcd is the greatest common divisor of a rate and a positive period; a rate
// of 0 has none that matters, and 1 stands for it.
func gcd(rate, period int64) int64 {
	if rate == 0 {
		return 1
	}
	for a, b := rate, period; ; a, b = b, a%b {
		if b == 0 {
			return a
		}
	}
}

func (l *Limit) checkNumbers() *LimitError {
	wrong := func(field string, value any, problem, good string) *LimitError {
		return &LimitError{Field: field, Value: fmt.Sprint(value), Place: -1, Problem: problem, Good: good}
	}
	switch {
	case l.algorithm < TokenBucket || l.algorithm > SlidingWindowCounter:
		return wrong("algorithm", uint8(l.algorithm), "there is no such algorithm", "aforo.TokenBucket")
	case l.rate < 0:
		return wrong("rate", l.rate, "the smallest is 0, which refuses everything; for no limit write unlimited", "100/m")
	case l.per <= 0:
		return wrong("per", l.per, "the smallest is 1us", "100/m")
	case l.per%time.Microsecond != 0:
		return wrong("per", l.per, "it must be whole microseconds", "100/250us")
	case l.rate > maxLimit:
		return wrong("rate", l.rate, fmt.Sprintf("the largest that can be held exactly is %d", l.largestRate()), "100/m")
	case l.burstSet && !l.algorithm.isBucket():
		return wrong("burst", l.burst, fmt.Sprintf("%v takes none, its rate is all that fits in a window", l.algorithm), "token_bucket 100/m burst 20")
	case l.burstSet && l.burst < 1:
		return wrong("burst", l.burst, "the smallest is 1: a request needs at least one unit to fit", "100/m burst 20")
	case l.burst > maxLimit:
		return wrong("burst", l.burst, fmt.Sprintf("the largest that can be held exactly is %d", l.largestBurst()), "100/m burst 20")
	}
	return nil
}
