package trace

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// Errors of CSV.
var (
	errNoHeading = errors.New("no heading of columns, of which one is a time and one a client, such as time,client_ip,path,status")
	errHeading   = errOther // the heading itself
)

// A csvParser reads lines of values between commas, or semicolons, tabs or
// upright strokes, after a heading with the names of the columns. A value in
// quotes may have separators, and quotes that are doubled; it may not have line
// breaks.
type csvParser struct {
	columns   columns
	values    values
	slots     []slot // by place; nil before the heading
	separator byte   // 0 before the first line
	scratch   []byte
}

func newCSVParser(c columns, loc *time.Location) *csvParser {
	return &csvParser{columns: c, values: values{loc: loc}}
}

func (p *csvParser) parse(line []byte, e *Entry) error {
	*e = Entry{}
	if p.separator == 0 {
		p.separator = separatorOf(line)
	}
	if p.slots == nil {
		return p.heading(line)
	}
	p.values.clear()
	p.scratch = p.scratch[:0]
	for i := 0; i < len(p.slots) && line != nil; i++ {
		var value []byte
		value, line = p.cut(line)
		p.values.set(p.slots[i], value)
	}
	return p.values.put(e)
}

// separatorOf is the first separator that the line has outside of quotes.
func separatorOf(line []byte) byte {
	quoted := false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.IndexByte([]byte(",;\t|"), c) >= 0:
			return c
		}
	}
	return ','
}

// heading reads the names of the columns.
func (p *csvParser) heading(line []byte) error {
	var slots []slot
	for line != nil {
		var name []byte
		name, line = p.cut(line)
		slots = append(slots, p.columns[string(appendLower(nil, bytes.TrimSpace(name)))])
	}
	for _, needed := range []field{timeField, clientField} {
		if !slices.ContainsFunc(slots, func(s slot) bool { return s.field == needed }) {
			return errNoHeading
		}
	}
	p.slots = slots
	return errHeading
}

// cut returns the first value of a line, and what follows its separator: nil if
// it is the last.
func (p *csvParser) cut(line []byte) (value, rest []byte) {
	if len(line) > 0 && line[0] == '"' {
		return p.cutQuoted(line[1:])
	}
	i := bytes.IndexByte(line, p.separator)
	if i < 0 {
		return line, nil
	}
	return line[:i], line[i+1:]
}

func (p *csvParser) cutQuoted(s []byte) (value, rest []byte) {
	start, doubled := len(p.scratch), false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '"':
			continue
		case i+1 < len(s) && s[i+1] == '"':
			p.scratch = append(append(p.scratch, s[:i]...), '"')
			s, i, doubled = s[i+2:], -1, true
			continue
		}
		value, rest = s[:i], s[i+1:]
		if doubled {
			p.scratch = append(p.scratch, value...)
			value = p.scratch[start:len(p.scratch):len(p.scratch)]
		}
		if j := bytes.IndexByte(rest, p.separator); j >= 0 {
			return value, rest[j+1:]
		}
		return value, nil
	}
	return s, nil // it lacks its closing quote: the line was cut short
}
