package aforo

import (
	"fmt"
	"strconv"
)

// What is said of a limit that cannot be held exactly: the largest good number
// in place of the one that is too large.

// largestRate is the largest rate that can be held in the period: for a bucket
// the largest of all if its burst is small, or else one that a period's ticks
// divide, so that they cost nothing.
func (l *Limit) largestRate() int64 {
	p := l.coarsest()
	switch {
	case l.algorithm == SlidingWindowCounter:
		return maxLimit / p
	case !l.algorithm.isBucket() || l.burstSet && l.burst <= maxLimit/(p/gcd(maxLimit, p)):
		return maxLimit
	}
	return maxLimit / p * p
}

// largestBurst is the largest burst that can be held at the rate; if the period
// holds none, the largest that any period does.
func (l *Limit) largestBurst() int64 {
	p := l.coarsest()
	if largest := maxLimit / (p / gcd(l.rate, p)); largest > 0 {
		return largest
	}
	return maxLimit
}

// coarsest is the period in the coarsest tick that divides it, which is the one
// that holds the largest numbers.
func (l *Limit) coarsest() int64 {
	p := l.per.Microseconds()
	for _, tick := range ticks[1:] {
		if per := l.per.Microseconds(); per%tick == 0 {
			p = per / tick
		}
	}
	return p
}

// tooLarge says what is the largest number that could be held in place of the
// one that cannot.
func (l *Limit) tooLarge() *LimitError {
	p := l.coarsest()
	field, value, largest := "per", int64(0), int64(0)
	switch {
	case l.algorithm.isBucket():
		field, value, largest = "burst", l.capacity, maxLimit/(p/gcd(l.rate, p))
	case l.algorithm == SlidingWindowCounter:
		field, value, largest = "rate", l.rate, maxLimit/p
	}
	if largest < 1 {
		return &LimitError{Field: "per", Value: l.per.String(), Place: -1, Good: "1000/7d",
			Problem: fmt.Sprintf("the longest below it that can be held exactly is %dus", l.longestPeriod())}
	}
	problem := fmt.Sprintf("the largest that can be held exactly at %d per %v is %d", l.rate, l.per, largest)
	good := "100/m burst 20"
	if !l.algorithm.isBucket() {
		good = l.algorithm.String() + " 100/m"
	}
	return &LimitError{Field: field, Value: strconv.FormatInt(value, 10), Place: -1, Problem: problem, Good: good}
}

// longestPeriod is the longest shorter period, in microseconds, in which the
// other numbers can be held, and in which one microsecond more could not.
func (l *Limit) longestPeriod() (longest int64) {
	most := int64(maxLimit) // in ticks
	switch {
	case l.algorithm.isBucket():
		most /= max(1, l.capacity)
	case l.algorithm == SlidingWindowCounter:
		most /= max(1, l.rate)
	}
	per := l.per.Microseconds()
	for _, tick := range ticks {
		longest = max(longest, min(per/tick, most)*tick)
	}
	for longest+1 < per && l.holdsPeriod(longest+1) {
		longest++
	}
	return longest
}

// holdsPeriod tells whether any tick holds the limit with another period.
func (l *Limit) holdsPeriod(per int64) bool {
	for _, tick := range ticks {
		if per%tick == 0 && l.holds(per/tick) {
			return true
		}
	}
	return false
}
