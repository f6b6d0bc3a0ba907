package aforo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseLimit reads a limit as people write it, in Go strings, flags and YAML:
//
//	100/minute burst 20              a token bucket; without burst, it is 100
//	leaky_bucket 2/s burst 10
//	fixed_window 1000/day
//	sliding_window_log 5/15m
//	sliding_window_counter 60/1m30s
//	unlimited
//
// Units are us, ms, s or second, m or minute, h or hour, d or day, w or week,
// with a number before them or not; Go durations are allowed too. There are no
// months: they have no fixed length. Numbers are plain decimal integers.
//
// The error is a *LimitError.
func ParseLimit(text string) (Limit, error) {
	return parseLimit(text, 0, text)
}

// ParseLimits reads several limits that hold together, separated by commas:
// "10/s burst 20, 1000/h". The error is a *LimitError.
func ParseLimits(text string) (Limits, error) {
	var list []Limit
	for start := 0; start <= len(text); {
		part, _, _ := strings.Cut(text[start:], ",")
		l, err := parseLimit(part, start, text)
		if err != nil {
			return Limits{}, err
		}
		list = append(list, l)
		start += len(part) + 1
	}
	ls, err := NewLimits(list...)
	if bad, ok := err.(*LimitError); ok {
		bad.Text = text
	}
	return ls, err
}

// word is a part of a text and where it stands.
type word struct {
	text  string
	place int
}

func words(text string, base int) (ws []word) {
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == '\t' {
			i++
			continue
		}
		end := i
		for end < len(text) && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		ws = append(ws, word{text[i:end], base + i})
		i = end
	}
	return ws
}

const goodLimit = "100/minute burst 20"

// parseLimit reads part, which stands at base in the text that errors show.
func parseLimit(part string, base int, text string) (Limit, error) {
	p := parser{text: text, words: words(part, base), end: base + len(part)}
	l, err := p.limit()
	if err != nil {
		err.Text = text
		return Limit{}, err
	}
	return l, nil
}

type parser struct {
	text  string
	words []word
	end   int
}

func (p *parser) next() word {
	if len(p.words) == 0 {
		return word{"", p.end}
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

func (w word) wrong(field, problem, good string) *LimitError {
	return &LimitError{Place: w.place, Field: field, Value: w.text, Problem: problem, Good: good}
}

func (p *parser) limit() (Limit, *LimitError) {
	id := limitID{algorithm: TokenBucket}
	w := p.next()
	if w.text == "unlimited" {
		return p.finish(limitID{unlimited: true}, nil)
	}
	if len(w.text) > 1 && w.text[0] == '-' && isDigit(w.text[1]) && !strings.Contains(w.text, "/") {
		_, err := w.integer("rate")
		return Limit{}, err
	}
	if w.text != "" && !strings.Contains(w.text, "/") && !isDigit(w.text[0]) {
		a, err := ParseAlgorithm(w.text)
		if err != nil {
			return Limit{}, w.wrong("algorithm", "write one of "+strings.Join(algorithmNames[TokenBucket:], ", ")+", or none for a token bucket", goodLimit)
		}
		id.algorithm = a
		w = p.next()
	}
	places := make(map[string]word)
	rate, per, found := strings.Cut(w.text, "/")
	if !found {
		return Limit{}, w.wrong("rate", "write how many units per which time, with a slash and no spaces", goodLimit)
	}
	var err *LimitError
	places["rate"] = word{rate, w.place}
	if id.rate, err = places["rate"].integer("rate"); err != nil {
		return Limit{}, err
	}
	places["per"] = word{per, w.place + len(rate) + 1}
	if id.per, err = places["per"].period(); err != nil {
		return Limit{}, err
	}
	if len(p.words) > 0 && p.words[0].text == "burst" {
		p.next()
		places["burst"] = p.next()
		if id.burst, err = places["burst"].integer("burst"); err != nil {
			return Limit{}, err
		}
		id.burstSet = true
	}
	return p.finish(id, places)
}

// finish refuses what is left over, and says where a number stands that the
// limit itself refuses.
func (p *parser) finish(id limitID, places map[string]word) (Limit, *LimitError) {
	if len(p.words) > 0 {
		return Limit{}, p.next().wrong("limit", "this is left over after the limit", goodLimit)
	}
	l := id.compile()
	if l.err != nil {
		if at, ok := places[l.err.Field]; ok {
			l.err.Place, l.err.Value = at.place, at.text
		}
		return Limit{}, l.err
	}
	return l, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// integer reads a plain decimal integer: no sign, fraction, exponent,
// separator or leading zero, since each of them means different things to
// different people.
func (w word) integer(field string) (int64, *LimitError) {
	digits := 0
	for digits < len(w.text) && isDigit(w.text[digits]) {
		digits++
	}
	switch {
	case w.text == "":
		return 0, w.wrong(field, "the number is missing", goodLimit)
	case w.text[0] == '-' && len(w.text) > 1:
		return 0, w.wrong(field, "negative numbers mean nothing here; 0 refuses everything, and for no limit write unlimited", goodLimit)
	case digits < len(w.text):
		return 0, w.wrong(field, "write a plain decimal integer", goodLimit)
	case w.text[0] == '0' && digits > 1:
		return 0, w.wrong(field, "leave out the leading zeros", goodLimit)
	}
	n, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil {
		return 0, w.wrong(field, fmt.Sprintf("the largest that can be held exactly is %d", int64(maxLimit)), goodLimit)
	}
	return n, nil
}

var units = map[string]time.Duration{
	"us": time.Microsecond, "ms": time.Millisecond,
	"s": time.Second, "second": time.Second,
	"m": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour,
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// period reads a time: a unit, a number and a unit, or a Go duration.
func (w word) period() (time.Duration, *LimitError) {
	number := 0
	for number < len(w.text) && isDigit(w.text[number]) {
		number++
	}
	count, unit := int64(1), w.text[number:]
	if number > 0 {
		var err *LimitError
		if count, err = (word{w.text[:number], w.place}).integer("per"); err != nil && units[unit] != 0 {
			return 0, err
		}
	}
	if u := units[unit]; u != 0 {
		if count > math.MaxInt64/int64(u) {
			return 0, w.wrong("per", fmt.Sprintf("the largest is %d%s", math.MaxInt64/int64(u), unit), "1000/52w")
		}
		return time.Duration(count) * u, nil
	}
	d, err := time.ParseDuration(w.text)
	switch {
	case w.text == "":
		return 0, w.wrong("per", "the time is missing after the slash", "100/minute")
	case unit == "" && number > 0:
		return 0, w.wrong("per", "the unit is missing", "100/"+excerpt(w.text)+"s")
	case strings.HasPrefix(unit, "mo") || strings.HasPrefix(unit, "y"):
		return 0, w.wrong("per", "months and years have no fixed length; write days", "1000/30d")
	case err != nil:
		return 0, w.wrong("per", "units are us, ms, s, second, m, minute, h, hour, d, day, w, week", "100/15m")
	}
	return d, nil
}

// format is the shortest text that ParseLimit reads back as the same limit.
func (id limitID) format() string {
	if id.unlimited {
		return "unlimited"
	}
	b := make([]byte, 0, 48)
	if id.algorithm != TokenBucket {
		b = append(append(b, id.algorithm.String()...), ' ')
	}
	b = append(strconv.AppendInt(b, id.rate, 10), '/')
	b = appendPeriod(b, id.per)
	if id.burstSet {
		b = strconv.AppendInt(append(b, " burst "...), id.burst, 10)
	}
	return string(b)
}

// appendPeriod writes a period in the largest unit that divides it.
func appendPeriod(b []byte, d time.Duration) []byte {
	for _, unit := range []string{"w", "d", "h", "m", "s", "ms", "us"} {
		n := d / units[unit]
		if d <= 0 || d%units[unit] != 0 {
			continue
		}
		if n > 1 {
			b = strconv.AppendInt(b, int64(n), 10)
		}
		return append(b, unit...)
	}
	return append(b, d.String()...)
}
