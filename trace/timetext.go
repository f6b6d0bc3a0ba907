package trace

import (
	"bytes"
	"math"
	"time"
)

// parseTime reads all of s as a time in any of the forms that logs have:
//
//	2015-05-17T10:05:03.123Z     ISO 8601; a space or _ may stand for the T, / for -
//	17/May/2015:10:05:03 +0000   as between the brackets of a combined log
//	1431857103.123               seconds since the Unix epoch
//	1431857103123                the same in ms, and so in us and ns, told apart
//	                             by their length
//
// A sum of seconds is read as decimal text and never as a float, which cannot
// hold it. Digits below the microsecond are dropped.
func parseTime(s []byte, loc *time.Location) (t stamp, ok bool) {
	s = bytes.TrimSpace(s)
	if n := len(s); n > 1 && s[0] == '[' && s[n-1] == ']' {
		s = s[1 : n-1]
	}
	if t, n := parseISO(s, loc); n > 0 {
		return t, n == len(s)
	}
	if t, n := parseLogTime(s, loc); n > 0 {
		return t, n == len(s)
	}
	micros, ok := parseEpoch(s)
	return stamp{micros: micros}, ok
}

// parseISO reads a time such as 2015-05-17T10:05:03.123Z at the start of s, and
// returns its length, 0 if there is none.
func parseISO(s []byte, loc *time.Location) (t stamp, n int) {
	if len(s) < len("2015-05-17T10:05:03") || s[4] != '-' && s[4] != '/' || s[7] != s[4] {
		return t, 0
	}
	if c := s[10]; c != 'T' && c != 't' && c != ' ' && c != '_' {
		return t, 0
	}
	c := civil{year: number(s[:4]), month: time.Month(number(s[5:7])), day: number(s[8:10])}
	return c.parseClock(s, 11, loc)
}

// parseEpoch reads a number of seconds, or of a smaller unit if it would be
// beyond the year 5138 else, since the Unix epoch, in microseconds.
func parseEpoch(s []byte) (micros int64, ok bool) {
	digits := bytes.TrimPrefix(s, []byte("-"))
	n := 0 // digits before the point
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	scale := 6 // of a microsecond in the unit, as a power of ten
	switch {
	case bytes.ContainsAny(s, "eE"): // 1.431857103e9, or with one more digit for each smaller unit
		if whole, ok := parseDecimal(s, 0); !ok || whole > 1e11 {
			return 0, false
		}
	case n > 17:
		scale = -3
	case n > 14:
		scale = 0
	case n > 11:
		scale = 3
	}
	micros, ok = parseDecimal(s, scale)
	const first, last = -62135596800_000000, 253402300799_999999 // the years 1 to 9999
	return micros, ok && micros >= first && micros <= last
}

// parseDecimal reads all of s, a number in the notation of JSON, and returns it
// times ten to the power of scale, without what is less than 1.
func parseDecimal(s []byte, scale int) (value int64, ok bool) {
	mantissa, exponent := s, 0
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		digits := bytes.TrimPrefix(s[i+1:], []byte("+"))
		negative := bytes.HasPrefix(digits, []byte("-"))
		digits = bytes.TrimPrefix(digits, []byte("-"))
		if exponent = number(digits); exponent < 0 || len(digits) == 0 || len(digits) > 2 {
			return 0, false
		}
		if negative {
			exponent = -exponent
		}
		mantissa = s[:i]
	}
	negative := bytes.HasPrefix(mantissa, []byte("-"))
	mantissa = bytes.TrimPrefix(mantissa, []byte("-"))
	whole, fraction, hasPoint := bytes.Cut(mantissa, []byte("."))
	if len(whole) == 0 || hasPoint && len(fraction) == 0 {
		return 0, false
	}
	shift := scale + exponent // how many digits more, or fewer, count than those of whole
	for i := 0; i < len(whole)+max(len(fraction), shift); i++ {
		digit := byte('0')
		switch {
		case i < len(whole):
			digit = whole[i]
		case i < len(whole)+len(fraction):
			digit = fraction[i-len(whole)]
		}
		if !isDigit(digit) {
			return 0, false
		}
		if i >= len(whole)+shift {
			continue // below 1, but it has to be a digit
		}
		if value > (math.MaxInt64-9)/10 {
			return 0, false
		}
		value = value*10 + int64(digit-'0')
	}
	if negative {
		value = -value
	}
	return value, true
}
