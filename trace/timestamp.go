package trace

import "time"

// A stamp is the time of a line.
type stamp struct {
	micros    int64 // since the Unix epoch
	noZone    bool  // there was no offset from UTC
	ambiguous bool  // the clock of the location shows it twice, or never
}

// put writes the time into an entry.
func (t stamp) put(e *Entry) { e.Time, e.NoZone, e.Ambiguous = t.micros, t.noZone, t.ambiguous }

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
func parseStamp(s []byte, loc *time.Location) (t stamp, n int) {
	if len(s) == 0 || s[0] != '[' {
		return t, 0
	}
	if t, n = parseLogTime(s[1:], loc); n == 0 || n+1 >= len(s) || s[n+1] != ']' {
		return stamp{}, 0
	}
	return t, n + 2
}

// parseLogTime reads what stands in the brackets of such a time stamp.
func parseLogTime(s []byte, loc *time.Location) (t stamp, n int) {
	const rest = "/May/2015:10:05:03"
	if len(s) < len("7"+rest) {
		return t, 0
	}
	dayEnd := 2
	if s[1] == '/' {
		dayEnd = 1
	}
	d := s[dayEnd:]
	if len(d) < len(rest) || d[0] != '/' || d[4] != '/' || d[9] != ':' && d[9] != ' ' {
		return t, 0
	}
	c := civil{year: number(d[5:9]), month: monthNumber(d[1:4]), day: number(s[:dayEnd])}
	return c.parseClock(s, dayEnd+10, loc)
}

// A civil is a date, as on a calendar, and a time of day, as on a clock.
type civil struct {
	year                 int
	month                time.Month
	day                  int
	hour, minute, second int
}

// parseClock reads the time of day such as 10:05:03 at s[at:], its fraction and
// its offset, for a date that has been read, and returns where it ends, 0 if
// there is no such time.
func (c civil) parseClock(s []byte, at int, loc *time.Location) (t stamp, n int) {
	if len(s) < at+8 || s[at+2] != ':' || s[at+5] != ':' {
		return t, 0
	}
	c.hour, c.minute, c.second = number(s[at:at+2]), number(s[at+3:at+5]), number(s[at+6:at+8])
	if c.month < 1 || c.month > 12 || c.year < 0 || c.day < 1 || c.day > daysIn(c.month, c.year) ||
		c.hour < 0 || c.hour > 23 || c.minute < 0 || c.minute > 59 || c.second < 0 || c.second > 60 {
		return t, 0 // the second 60 is a leap second
	}
	n = at + 8
	micros, fractionLen := parseFraction(s[n:])
	n += fractionLen
	offset, offsetLen := parseOffset(s[n:])
	if t, ok := c.instant(micros, offset, offsetLen > 0, loc); ok {
		return t, n + offsetLen
	}
	return t, 0
}

// instant is when that was, or will be. One that does not lie in the years 1 to
// 9999 of UTC is none that other programs could read again.
func (c civil) instant(micros int64, offset int, hasOffset bool, loc *time.Location) (t stamp, ok bool) {
	if hasOffset || loc == nil {
		loc = time.UTC
	}
	instant := time.Date(c.year, c.month, c.day, c.hour, c.minute, c.second-offset, 0, loc)
	t.ambiguous = loc != time.UTC && isAmbiguous(instant, c)
	instant = instant.UTC()
	if y := instant.Year(); y < 1 || y > 9999 {
		return t, false
	}
	t.micros, t.noZone = instant.UnixMicro()+micros, !hasOffset
	return t, true
}

// isAmbiguous tells whether the clock of the instant's location shows this time
// twice, as in the hour in which it is set back, or never.
func isAmbiguous(instant time.Time, c civil) bool {
	const far = 36 * time.Hour // further than any clock is set
	start, end := instant.ZoneBounds()
	if (start.IsZero() || instant.Sub(start) > far) && (end.IsZero() || end.Sub(instant) > far) {
		return false
	}
	shown := time.Date(c.year, c.month, c.day, c.hour, c.minute, c.second, 0, time.UTC)
	times := 0
	_, before := instant.Add(-far).Zone()
	_, after := instant.Add(far).Zone()
	for _, offset := range []int{before, after} {
		candidate := shown.Add(-time.Duration(offset) * time.Second).In(instant.Location())
		if _, actual := candidate.Zone(); actual == offset {
			times++
		}
	}
	return before != after && times != 1
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
	if n < len(s) && (s[n] == 'Z' || s[n] == 'z') {
		return 0, n + 1
	}
	if len(s) >= n+3 && (string(s[n:n+3]) == "UTC" || string(s[n:n+3]) == "GMT") {
		return 0, n + 3
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
