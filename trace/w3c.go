package trace

import (
	"bytes"
	"errors"
	"strings"
	"time"
)

var errNoFields = errors.New("no line #Fields: says what the columns are, such as #Fields: date time c-ip cs-method cs-uri-stem sc-status")

// cloudFrontFields are the columns of CloudFront's standard logs, some of which
// are kept without their head.
const cloudFrontFields = "date time x-edge-location sc-bytes c-ip cs-method cs(host) cs-uri-stem sc-status cs(referer) cs(user-agent) cs-uri-query"

// A w3cParser reads the extended log format of the W3C, as IIS and CloudFront
// write it. What stands in a line is said by the latest #Fields before it. Its
// times are those of UTC.
type w3cParser struct {
	slots   []slot
	values  values
	scratch []byte
}

func newW3CParser(*time.Location) parser {
	p := &w3cParser{}
	return p.parse
}

func (p *w3cParser) parse(line []byte, e *Entry) error {
	*e = Entry{}
	if len(line) > 0 && line[0] == '#' {
		if fields, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok {
			p.setFields(string(fields))
		}
		return errOther
	}
	tabs := bytes.IndexByte(line, '\t') >= 0
	if p.slots == nil && tabs {
		p.setFields(cloudFrontFields)
		err := p.request(line, tabs, e)
		if err != nil || !isAddress(e.Client) {
			p.slots = nil
			return errNoFields
		}
		return nil
	}
	if p.slots == nil {
		return errNoFields
	}
	return p.request(line, tabs, e)
}

func (p *w3cParser) setFields(names string) {
	p.slots = nil
	for _, name := range strings.Fields(names) {
		p.slots = append(p.slots, w3cColumns[strings.ToLower(name)])
	}
}

func (p *w3cParser) request(line []byte, tabs bool, e *Entry) error {
	p.values.clear()
	p.scratch = p.scratch[:0]
	for i := 0; i < len(p.slots) && len(line) > 0; i++ {
		var value []byte
		value, line = cutW3C(line, tabs)
		switch s := p.slots[i]; s.field {
		case dateField, timeField:
			p.values.of[s.field] = value // to be read together
		default:
			p.values.set(s, value)
		}
	}
	p.setTime()
	if query := p.values.of[queryField]; len(query) > 0 && !bytes.Equal(query, dash) {
		start := len(p.scratch)
		p.scratch = append(append(append(p.scratch, p.values.of[targetField]...), '?'), query...)
		p.values.of[targetField] = p.scratch[start:]
	}
	return p.values.put(e)
}

// setTime reads date and time, or a time that has a date.
func (p *w3cParser) setTime() {
	text := p.values.of[timeField]
	if date := p.values.of[dateField]; date != nil {
		p.scratch = append(append(append(p.scratch, date...), ' '), text...)
		text = p.scratch
	}
	p.values.time, p.values.hasTime = parseTime(text, nil)
	p.values.time.noZone = false // the format has times in UTC
}

// cutW3C returns the first value of a line, in quotes or not.
func cutW3C(line []byte, tabs bool) (value, rest []byte) {
	if tabs {
		value, rest, _ = bytes.Cut(line, []byte("\t"))
		return value, rest
	}
	value, kind, rest := cutField(line)
	if kind == bracketedField {
		value, rest, _ = bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
	}
	return value, rest
}
