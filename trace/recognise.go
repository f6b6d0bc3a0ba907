package trace

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// sampleSize is how much of a log is looked at to recognise its format, in
// bytes, and sampleLines how many lines at most.
const (
	sampleSize  = 256 << 10
	sampleLines = 500
)

// recognised are the formats of a log: that of most lines first, and after it
// those of the others, as one file may hold the lines of several programs, or
// of one that writes two formats.
type recognised struct {
	formats []Format
	parsers []parser
}

// recognise finds the formats that the first lines have, unless one is named. A
// log of which no line can be read is taken for one in the combined format.
func recognise(named Format, sample []byte, loc *time.Location) (r recognised) {
	list := []Format{named}
	if named.name == "" {
		list = byVotes(sample, loc)
	}
	for _, f := range list {
		r.formats = append(r.formats, f)
		r.parsers = append(r.parsers, f.parse(loc))
	}
	return r
}

// byVotes lets each line of the sample vote for the first format that can read
// it, and returns those that have votes, the one with the most first.
func byVotes(sample []byte, loc *time.Location) []Format {
	found, votes := slices.Clone(formats), make([]int, len(formats))
	parsers := make([]parser, len(formats))
	for i, f := range formats {
		parsers[i] = f.parse(loc)
	}
	sample = bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	complete := len(sample) < sampleSize
	for range sampleLines {
		line, rest, ended := bytes.Cut(sample, []byte("\n"))
		if len(line) == 0 && !ended || !ended && !complete {
			break // the end, or a line that the sample has only the beginning of
		}
		sample = rest
		line = trimPrefix(bytes.TrimSuffix(line, []byte("\r")))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		for i, parse := range parsers {
			var e Entry
			if err := parse(line, &e); err != nil && err != errOther {
				continue
			}
			if votes[i]++; votes[i] == 1 && found[i].titleOf != nil {
				found[i].title = found[i].titleOf(line)
			}
			break
		}
	}
	return ranking(found, votes)
}

// ranking is the formats that have votes, the one with the most first.
func ranking(formats []Format, votes []int) (list []Format) {
	var order []int
	for i, n := range votes {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return votes[b] - votes[a] })
	for place, i := range order {
		if place == 0 || !formats[i].alone {
			list = append(list, formats[i])
		}
	}
	if list == nil {
		list = []Format{Combined}
	}
	return list
}

// parse reads a line in the format of most lines, or if it is not of that, in
// one of the others. The error is that of the first.
func (r *recognised) parse(line []byte, e *Entry) error {
	err := r.parsers[0](line, e)
	if err == nil || err == errOther {
		return err
	}
	for _, parse := range r.parsers[1:] {
		if other := parse(line, e); other == nil || other == errOther {
			return other
		}
	}
	return err
}

// String is the titles of the formats.
func (r *recognised) String() string {
	var titles []string
	for _, f := range r.formats {
		titles = append(titles, f.title)
	}
	return strings.Join(titles, ", ")
}

// trimPrefix takes away what container runtimes put in front of a line:
//
//	2025-12-31T17:40:00.000000100+01:00 stdout F
//
// It is no part of the log, and its time is later than that of the line.
func trimPrefix(line []byte) []byte {
	if len(line) < len("2025-12-31T17:40:00Z stdout F ") || line[4] != '-' || line[10] != 'T' {
		return line
	}
	_, rest, _ := bytes.Cut(line, []byte(" "))
	stream, rest, _ := bytes.Cut(rest, []byte(" "))
	if string(stream) != "stdout" && string(stream) != "stderr" || len(rest) < 2 || rest[1] != ' ' {
		return line
	}
	return rest[2:]
}
