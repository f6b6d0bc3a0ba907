package trace

import (
	"fmt"
	"strconv"
)

// KeptBad is the number of bad lines that a [Report] keeps.
const KeptBad = 5

// A Report says what the lines of a log, or of several, turned out to be.
// Lines is always the sum of Entries, Empty, Other and Bad.
type Report struct {
	Lines     int64 // all lines
	Entries   int64 // lines that are requests
	Empty     int64 // lines with nothing but spaces; no cause for concern
	Other     int64 // lines that are no requests in their format, such as headings
	Bad       int64 // lines that cannot be read as a request
	NoZone    int64 // requests whose time stamp had no offset from UTC
	Ambiguous int64 // requests of times that their clock shows twice, or never
	Refused   int64 // requests of which the line says that a limiter refused them

	// FirstBad holds the first bad lines, at most [KeptBad].
	FirstBad []BadLine
}

// A BadLine is a line that is not a request.
type BadLine struct {
	File    string // the name the Reader was given
	Line    int64  // counted from 1
	Reason  string // for people to read
	Excerpt string // the first 80 bytes as a Go string literal, safe to print
}

// count counts a line that is a request.
func (r *Report) count(e *Entry) {
	r.Entries++
	if e.NoZone {
		r.NoZone++
	}
	if e.Ambiguous {
		r.Ambiguous++
	}
	if e.Refused {
		r.Refused++
	}
}

// Add adds the counts of another log to r. Bad lines are kept in the order in
// which the logs are added.
func (r *Report) Add(other Report) {
	r.Lines += other.Lines
	r.Entries += other.Entries
	r.Empty += other.Empty
	r.Bad += other.Bad
	r.Other += other.Other
	r.NoZone += other.NoZone
	r.Ambiguous += other.Ambiguous
	r.Refused += other.Refused
	room := min(KeptBad-len(r.FirstBad), len(other.FirstBad))
	r.FirstBad = append(r.FirstBad, other.FirstBad[:room]...)
}

// String returns the bad line as a message such as
//
//	access.log:7: no client in front of the time stamp: "[17/May/2015:..."
func (b BadLine) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", b.File, b.Line, b.Reason, b.Excerpt)
}

// excerpt returns the first bytes of a line, quoted: a log holds whatever
// clients sent, and must not reach a terminal as it is.
func excerpt(line []byte) string {
	const length = 80
	if len(line) <= length {
		return strconv.Quote(string(line))
	}
	return strconv.Quote(string(line[:length])) + "..."
}
