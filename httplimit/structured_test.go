package httplimit_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// An item is a member of a Structured Field List as the RateLimit fields use
// them: a String with Integer parameters.
type item struct {
	name       string
	parameters map[string]int64
}

// parseList reads a List of such items and nothing else, after RFC 9651,
// section 4.2: whatever is not in the grammar is an error.
func parseList(text string) (items []item, err error) {
	p := &fieldParser{rest: strings.Trim(text, " ")}
	for {
		it, err := p.item()
		if err != nil {
			return nil, fmt.Errorf("%w, before %q", err, p.rest)
		}
		items = append(items, it)
		p.skip(" \t")
		if p.rest == "" {
			return items, nil
		}
		if !p.take(',') {
			return nil, fmt.Errorf("no comma between members, before %q", p.rest)
		}
		p.skip(" \t") // a trailing comma then fails as an item
	}
}

type fieldParser struct{ rest string }

func (p *fieldParser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *fieldParser) skip(chars string) { p.rest = strings.TrimLeft(p.rest, chars) }

// span takes what consists of the given characters.
func (p *fieldParser) span(chars string) string {
	n := len(p.rest) - len(strings.TrimLeft(p.rest, chars))
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

func (p *fieldParser) item() (it item, err error) {
	if it.name, err = p.string(); err != nil {
		return it, err
	}
	it.parameters = make(map[string]int64)
	for p.take(';') {
		p.skip(" ")
		const lower, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
		if p.rest == "" || !strings.Contains(lower+"*", p.rest[:1]) {
			return it, fmt.Errorf("no parameter key")
		}
		key := p.span(lower + digits + "_-.*")
		if !p.take('=') {
			return it, fmt.Errorf("parameter %s has no value", key)
		}
		if _, twice := it.parameters[key]; twice {
			return it, fmt.Errorf("parameter %s stands twice", key)
		}
		if it.parameters[key], err = p.integer(); err != nil {
			return it, err
		}
	}
	return it, nil
}

func (p *fieldParser) integer() (int64, error) {
	sign := ""
	if p.take('-') {
		sign = "-"
	}
	digits := p.span("0123456789")
	if len(digits) < 1 || len(digits) > 15 {
		return 0, fmt.Errorf("integer of %d digits", len(digits))
	}
	return strconv.ParseInt(sign+digits, 10, 64)
}

func (p *fieldParser) string() (string, error) {
	if !p.take('"') {
		return "", fmt.Errorf("no string")
	}
	var b strings.Builder
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return b.String(), nil
		case c < ' ' || c > '~':
			return "", fmt.Errorf("byte %#x in a string", c)
		case c == '\\':
			if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\\' {
				return "", fmt.Errorf("bad escape in a string")
			}
			c, p.rest = p.rest[0], p.rest[1:]
		}
		b.WriteByte(c)
	}
	return "", fmt.Errorf("string does not end")
}

func TestTheParserOfTheseTestsIsStrict(t *testing.T) {
	good, err := parseList(`"a\"\\";q=1;w=-2, "b", "c";r=999999999999999`)
	if err != nil || len(good) != 3 || good[0].name != `a"\` || good[0].parameters["w"] != -2 || good[2].parameters["r"] != 999999999999999 {
		t.Errorf("parsed %v, %v", good, err)
	}
	for _, bad := range []string{``, `a`, `"a`, `"a",`, `"a" "b"`, `"a";`, `"a";q`, `"a";q=`, `"a";q=1.5`, `"a";Q=1`,
		`"a";q=1;q=2`, `"a";q=1000000000000000`, `"\n"`, "\"\n\"", `"é"`, `"a" ;q=1`, `"a";q =1`} {
		if items, err := parseList(bad); err == nil {
			t.Errorf("parsed %q as %v", bad, items)
		}
	}
}
