package trace

import (
	"bytes"
	"errors"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// errNotJSON is the error for a line that is not an object of JSON.
var errNotJSON = errors.New(`not a line of JSON such as {"time":"2015-05-17T10:05:03Z","client_ip":"192.0.2.1"}`)

// maxDepth is how deep objects may be nested.
const maxDepth = 32

// A jsonParser reads lines that are objects of JSON. It goes through a line
// once, looking up each value by its path, which is what encoding/json cannot do
// without making objects of all of it.
type jsonParser struct {
	columns columns
	values  values
	path    []byte // of the value, in small letters, with points
	scratch []byte // for texts with escapes
}

func newJSONParser(c columns, loc *time.Location) *jsonParser {
	return &jsonParser{columns: c, values: values{loc: loc}}
}

// parse reads a line. One that was cut short after time and client still is a
// request. One without a client may be an envelope of a log collector around a
// line of text.
func (p *jsonParser) parse(line []byte, e *Entry) error {
	*e = Entry{}
	line = bytes.TrimLeft(line, " \t\x00")
	if len(line) == 0 || line[0] != '{' {
		return errNotJSON
	}
	p.values.clear()
	p.path, p.scratch = p.path[:0], p.scratch[:0]
	_, complete := p.object(line[1:], 1)
	err := p.values.put(e)
	if err == nil {
		return nil
	}
	if inner := bytes.TrimRight(p.values.of[messageField], "\r\n"); len(p.values.of[clientField]) == 0 && len(inner) > 0 && inner[0] != '{' {
		if ParseCombined(inner, e, p.values.loc) == nil {
			return nil
		}
	}
	switch of := &p.values.of; {
	case !complete:
		return errNotJSON
	case of[messageField] != nil && of[clientField] == nil && of[methodField] == nil && of[targetField] == nil && of[statusField] == nil:
		return errOther // what a program says of itself
	}
	return err
}

// titleOfJSON is what program writes JSON such as a line, if it is known.
func titleOfJSON(line []byte) string {
	for _, known := range []struct{ text, title string }{
		{`"logger":"http.log.access`, "JSON of Caddy"},
		{`"StartUTC":`, "JSON of Traefik"},
		{`"downstream_remote_address":`, "JSON of Envoy"},
		{`"time_iso8601":`, "JSON of nginx"},
		{`"time_local":`, "JSON of nginx"},
	} {
		if bytes.Contains(line, []byte(known.text)) {
			return known.title
		}
	}
	return "JSON"
}

// object reads what follows an opening brace, and returns what follows the
// closing one. It is lenient about everything that does not matter to where
// values begin and end.
func (p *jsonParser) object(s []byte, depth int) (rest []byte, ok bool) {
	outer := len(p.path)
	for {
		s = trimJSON(s)
		switch {
		case len(s) == 0:
			return nil, false
		case s[0] == '}':
			return s[1:], true
		case s[0] == ',':
			s = s[1:]
			continue
		case s[0] != '"':
			return nil, false
		}
		name, after := cutQuoted(s[1:])
		if s = trimJSON(after); len(s) == 0 || s[0] != ':' {
			return nil, false
		}
		if outer > 0 {
			p.path = append(p.path, '.')
		}
		p.path = appendLower(p.path, name)
		if s, ok = p.value(trimJSON(s[1:]), depth); !ok {
			return nil, false
		}
		p.path = p.path[:outer]
	}
}

// value reads a value. Those of an array are all of the same path, and the first
// counts, as Caddy has the values of a header.
func (p *jsonParser) value(s []byte, depth int) (rest []byte, ok bool) {
	if len(s) == 0 || depth > maxDepth {
		return nil, false
	}
	switch s[0] {
	case '{':
		return p.object(s[1:], depth+1)
	case '[':
		for s = trimJSON(s[1:]); len(s) > 0 && s[0] != ']'; s = trimJSON(s) {
			if s[0] == ',' {
				s = s[1:]
				continue
			}
			if s, ok = p.value(s, depth+1); !ok {
				return nil, false
			}
		}
		if len(s) == 0 {
			return nil, false
		}
		return s[1:], true
	case '"':
		text, rest := cutQuoted(s[1:])
		if len(text)+2 > len(s) { // it lacks its closing quote
			return nil, false
		}
		if column, known := p.columns[string(p.path)]; known {
			p.values.set(column, p.unescape(text))
		}
		return rest, true
	}
	n := 0
	for n < len(s) && s[n] != ',' && s[n] != '}' && s[n] != ']' && s[n] > ' ' && s[n] != '"' {
		n++
	}
	if n == 0 || n == len(s) {
		return nil, false
	}
	if column, known := p.columns[string(p.path)]; known && (isDigit(s[0]) || s[0] == '-') {
		p.values.set(column, s[:n])
	}
	return s[n:], true
}

func trimJSON(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

func appendLower(dst, s []byte) []byte {
	for _, c := range s {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// unescape undoes the escapes of JSON; bytes that are not UTF-8, and escapes
// that stand for nothing, are kept as they are.
func (p *jsonParser) unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	start := len(p.scratch)
	for i := 0; i < len(text); {
		n := 1
		if text[i] == '\\' {
			p.scratch, n = appendEscape(p.scratch, text[i:])
		} else {
			p.scratch = append(p.scratch, text[i])
		}
		i += n
	}
	return p.scratch[start:len(p.scratch):len(p.scratch)]
}

// appendEscape appends what the escape at the start of s stands for, and
// returns how long the escape is.
func appendEscape(dst, s []byte) ([]byte, int) {
	const plain = `"\/bfnrt`
	const meaning = "\"\\/\b\f\n\r\t"
	if len(s) > 1 {
		if i := bytes.IndexByte([]byte(plain), s[1]); i >= 0 {
			return append(dst, meaning[i]), 2
		}
	}
	r, ok := escapedRune(s)
	switch {
	case !ok:
		return append(dst, s[0]), 1
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(dst, r), 6
	}
	if second, ok := escapedRune(s[6:]); ok {
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			return utf8.AppendRune(dst, r), 12
		}
	}
	return append(dst, s[:6]...), 6
}

// escapedRune reads an escape such as \u00e9 at the start of s.
func escapedRune(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}
