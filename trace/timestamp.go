package trace

import "time"

// A stamp is the time of a line.
type stamp struct {
	micros int64 // since the Unix epoch
	noZone bool  // there was no offset from UTC
}

// parseStamp reads the time stamp at the start of s, which has one of the forms
//
//	[17/May/2015:10:05:03 +0000]
//	[17/May/2015:10:05:03.123456 +0000]
//	[17/May/2015:10:05:03]
//	[17/May/2015 10:05:03]
//
// and returns its length, which is 0 if there is none. The offset may have a
// colon or be Z, the day may have one digit, and the case of the month does not
// matter. The location is for time stamps without an offset; nil means UTC.
// An instant that does not lie in the years 1 to 9999 of UTC is none that other
// programs could read again.
func parseStamp(s []byte, loc *time.Location) (t stamp, n int) {
	const rest = "/May/2015:10:05:03]"
	if len(s) < len("[7")+len(rest) || s[0] != '[' {
		return t, 0
	}
	dayEnd := 3
	if s[2] == '/' {
		dayEnd = 2
	}
	d := s[dayEnd:]
	if len(d) < len(rest) || d[0] != '/' || d[4] != '/' || d[9] != ':' && d[9] != ' ' || d[12] != ':' || d[15] != ':' {
		return t, 0
	}
	day, month, year := number(s[1:dayEnd]), monthNumber(d[1:4]), number(d[5:9])
	hour, minute, second := number(d[10:12]), number(d[13:15]), number(d[16:18])
	if month == 0 || day < 1 || day > daysIn(month, year) || year < 0 ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return t, 0 // the second 60 is a leap second
	}

	micros, fractionLen := parseFraction(d[18:])
	n = dayEnd + 18 + fractionLen
	offset, offsetLen := parseOffset(s[n:])
	n += offsetLen
	if n == len(s) || s[n] != ']' {
		return t, 0
	}

	if offsetLen > 0 || loc == nil {
		loc = time.UTC
	}
	instant := time.Date(year, month, day, hour, minute, second-offset, 0, loc).UTC()
	if y := instant.Year(); y < 1 || y > 9999 {
		return t, 0
	}
	t.micros = instant.UnixMicro() + micros
	t.noZone = offsetLen == 0
	return t, n + 1
}

// parseFraction reads a fraction of a second such as ".123" at the start of s.
// Digits after the sixth are below the resolution and dropped.
func parseFraction(s []byte) (micros int64, n int) {
	if len(s) < 2 || s[0] != '.' && s[0] != ',' || !isDigit(s[1]) {
		return 0, 0
	}
	unit := int64(100_000)
	for n = 1; n < len(s) && isDigit(s[n]); n++ {
		micros += int64(s[n]-'0') * unit
		unit /= 10
	}
	return micros, n
}

// parseOffset reads an offset from UTC at the start of s, such as " +0200",
// "+02:00" or "Z", in seconds. The length is 0 if there is none.
func parseOffset(s []byte) (seconds, n int) {
	for n < len(s) && s[n] == ' ' {
		n++
	}
	if n < len(s) && s[n] == 'Z' {
		return 0, n + 1
	}
	if len(s)-n < len("+0200") || s[n] != '+' && s[n] != '-' {
		return 0, 0
	}
	sign, hours := s[n], number(s[n+1:n+3])
	n += 3
	if s[n] == ':' {
		n++
	}
	if len(s)-n < 2 {
		return 0, 0
	}
	minutes := number(s[n : n+2])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, 0
	}
	seconds = hours*3600 + minutes*60
	if sign == '-' {
		seconds = -seconds
	}
	return seconds, n + 2
}

// monthNumber returns the month with the English short name s, of three bytes
// in any case, or 0 if there is none.
func monthNumber(s []byte) time.Month {
	// Setting the bit 0x20 makes a letter small, and no other byte a letter.
	switch string([]byte{s[0] | 0x20, s[1] | 0x20, s[2] | 0x20}) {
	case "jan":
		return time.January
	case "feb":
		return time.February
	case "mar":
		return time.March
	case "apr":
		return time.April
	case "may":
		return time.May
	case "jun":
		return time.June
	case "jul":
		return time.July
	case "aug":
		return time.August
	case "sep":
		return time.September
	case "oct":
		return time.October
	case "nov":
		return time.November
	case "dec":
		return time.December
	}
	return 0
}

// daysIn returns the number of days of a month.
func daysIn(month time.Month, year int) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// number returns the value of the decimal digits s, or -1 if one is not a
// digit. It is for a few digits, and does not look for overflow.
func number(s []byte) int {
	n := 0
	for _, c := range s {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}
