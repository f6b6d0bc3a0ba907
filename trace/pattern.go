package trace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
)

var errNoMatch = errors.New("it does not have the form that --format says")

// patternNames are the names of values in patterns: those of nginx.
var patternNames = map[string]field{
	"remote_addr": clientField, "time_local": timeField, "time_iso8601": timeField, "msec": timeField,
	"remote_user": userField, "http_host": hostField, "server_name": hostField,
	"request_method": methodField, "request_uri": targetField, "uri": targetField,
	"http_referer": refererField, "http_user_agent": agentField,
}

// A pattern is how a line is put together, as nginx has it in log_format.
type pattern []piece

// A piece is a value and the text in front of it.
type piece struct {
	before []byte
	field  field // noColumn for one that does not matter
}

// zoraxy is the access log of Zoraxy.
var zoraxy = mustPattern("$date $clock [$time] [router:$router] [origin:$host] [client: $client] [useragent: $agent] $method $target $status")

func mustPattern(text string) pattern {
	p, err := compilePattern(text)
	if err != nil {
		panic(err)
	}
	return p
}

// parsePattern makes a format of a text with values such as $remote_addr.
func parsePattern(text string) (Format, error) {
	p, err := compilePattern(text)
	if err != nil {
		return Format{}, fmt.Errorf("format %q: %w", text, err)
	}
	return Format{name: text, title: text, parse: p.parser}, nil
}

func compilePattern(text string) (p pattern, err error) {
	const good = `for example: '$remote_addr [$time_local] "$request" $status'`
	var has [fieldCount]bool
	for text != "" {
		before, after, found := strings.Cut(text, "$")
		if !found { // what ends the line
			p = append(p, piece{before: []byte(before)})
			break
		}
		name := after
		if i := strings.IndexFunc(after, func(r rune) bool { return r != '_' && !isLetter(byte(r)) && !isDigit(byte(r)) }); i >= 0 {
			name = after[:i]
		}
		if name == "" {
			return nil, fmt.Errorf("a dollar sign without a name; %s", good)
		}
		if len(p) > 0 && before == "" {
			return nil, fmt.Errorf("there has to be some text in front of $%s, to know where it begins; %s", name, good)
		}
		f, ok := patternNames[name]
		if !ok {
			f = fieldNames[name]
		}
		if has[f] {
			f = noColumn // the first of a kind counts
		}
		has[f] = true
		p = append(p, piece{[]byte(before), f})
		text = after[len(name):]
	}
	if !has[timeField] || !has[clientField] {
		return nil, fmt.Errorf("a time and a client have to be in it, such as $time_local and $remote_addr, or $time and $client; %s", good)
	}
	return p, nil
}

// parser reads lines of the pattern. A line that ends early is a request if its
// time and its client have been read.
func (p pattern) parser(loc *time.Location) parser {
	v := values{loc: loc}
	return func(line []byte, e *Entry) error {
		*e = Entry{}
		v.clear()
		rest := line
		for i, one := range p {
			if !bytes.HasPrefix(rest, one.before) {
				break
			}
			rest = rest[len(one.before):]
			var value []byte
			value, rest = p.cut(i, rest)
			v.set(slot{one.field, 0}, value)
		}
		if err := v.put(e); err != nil {
			return errNoMatch
		}
		return nil
	}
}

// cut returns the value of piece i at the start of s: up to the text in front of
// the next, or between quotes as servers escape them.
func (p pattern) cut(i int, s []byte) (value, rest []byte) {
	if i+1 == len(p) {
		return s, nil
	}
	next := p[i+1].before
	if bytes.HasSuffix(p[i].before, []byte(`"`)) && next[0] == '"' {
		value, rest = cutQuoted(s)
		if len(rest)+len(value) < len(s) {
			return value, s[len(value):]
		}
		return value, nil
	}
	if j := bytes.Index(s, next); j >= 0 {
		return s[:j], s[j:]
	}
	return s, nil
}
