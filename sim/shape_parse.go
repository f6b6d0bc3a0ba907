package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aforo-dev/aforo"
)

// ParseShape reads a shape as people write it:
//
//	steady 50/s for 1m                        evenly spaced
//	poisson 50/s for 1m                       independent of each other
//	burst 100 every 10s for 1m                all at once; over 2s spreads each
//	sine 10/s to 90/s every 20s for 1m        rising and falling
//	flash crowd 5/s to 500/s at 20s for 1m    suddenly many, who lose interest
//	window edge 100 every 1m for 3m           100 before each edge, 100 after it
//	zipf 1.1 clients 1000 200/s for 1m        many clients, some far busier
//	visits 600/h clients 500 for 4h           people on a website
//	retry storm clients 50 obey for 2m        who is refused comes back; or ignore
//	at 0s*6 5s 9.999s 10s                     one by one; *6 is six at once
//
// To all of them may be added clients N (how many send, 1 by default; they count
// each on its own), one key (they count together) or own keys, cost 5 or cost
// 1..9 (drawn; 1 by default), and as NAME (what they are called; client by
// default). Several are joined by then, which begins where the one before ends,
// and by and, which begins with it:
//
//	burst 50 then steady 5/s for 1m and poisson 1/s as other for 1m
//
// Rates and times are written as in limits. A retry storm counts as one key
// unless it says own keys; its clients all begin at once, have something new to
// send 10s after they were allowed (every 1m is rarer), and come back when
// Retry-After says so, in whole seconds (obey; jitter 5s adds up to that), or
// each second whatever it says (ignore; retry 100ms is more often). A flash crowd
// falls by two thirds each 10s (fading 5s is faster); window edge sends within
// 1s (within 200ms is denser). A visit is 5 pages on average, 22s apart, of 1 to
// 16 requests each.
//
// The error is a *TextError. Everything has a bound: see MaxRequests.
func ParseShape(text string) (Shape, error) {
	p := shapeParser{text: text, words: split(text)}
	for {
		if err := p.part(); err != nil {
			return Shape{}, err
		}
		if len(p.words) == 0 {
			return p.shape()
		}
		if len(p.parts) == maxParts {
			return Shape{}, p.wrong(p.words[0], "shape", fmt.Sprintf("it has more than %d parts", maxParts), goodShape)
		}
	}
}

const (
	goodShape = "poisson 50/s for 1m"
	maxParts  = 32
)

// shapeParser reads words from the front.
type shapeParser struct {
	text  string
	words []word
	parts []part
}

func (p *shapeParser) wrong(w word, field, problem, good string) error {
	return &TextError{What: "traffic", Text: p.text, Place: w.place, Field: field, Value: w.text, Problem: problem, Good: good}
}

// next takes a word; at the end, one of nothing.
func (p *shapeParser) next() word {
	if len(p.words) == 0 {
		return word{"", len(p.text)}
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// peek is what next would take.
func (p *shapeParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0].text
}

// part reads one part, with the then or and that comes after it.
func (p *shapeParser) part() error {
	first := p.next()
	k := kindOf(first.text, p.peek())
	if k == nil {
		return p.wrong(first, "shape", "there are "+kindNames(), goodShape)
	}
	if strings.Contains(k.name, " ") {
		p.next()
	}
	one := part{kind: k, clients: 1, cost: [2]int64{1, 1}, name: "client"}
	if n := len(p.parts); n > 0 {
		one.and = p.parts[n-1].joined
	}
	given := map[string]bool{}
	for len(p.words) > 0 {
		switch p.peek() {
		case "then", "and":
			join := p.next()
			one.joined = join.text == "and"
			if len(p.words) == 0 {
				return p.wrong(p.next(), "shape", "there is nothing after "+join.text, goodShape)
			}
			return p.finish(one, first, join, given)
		}
		if err := p.clause(&one, given); err != nil {
			return err
		}
	}
	return p.finish(one, first, word{"", len(p.text)}, given)
}

// clause reads one word, or a word and its value.
func (p *shapeParser) clause(one *part, given map[string]bool) error {
	w := p.next()
	name := clauseName(w.text, one.kind)
	c := clauses[name]
	switch {
	case c == nil:
		return p.wrong(w, "word", one.kind.name+" does not know it; it takes "+one.kind.takes(), one.kind.good)
	case !one.kind.has(name):
		return p.wrong(w, "word", one.kind.name+" does not take it; it takes "+one.kind.takes(), one.kind.good)
	case given[name] && name != "instants":
		return p.wrong(w, name, "it stands twice", one.kind.good)
	}
	given[name] = true
	value := w
	if c.worded {
		value = p.next()
	}
	if problem := c.read(one, value.text); problem != nil {
		var place *placed
		if errors.As(problem, &place) {
			value.place += place.offset
			value.text = place.value
		}
		return p.wrong(value, name, problem.Error(), one.kind.good)
	}
	return nil
}

// finish checks what a part must have, and what only several words together can
// have wrong.
func (p *shapeParser) finish(one part, first, end word, given map[string]bool) error {
	for _, name := range one.kind.must {
		if !given[name] {
			return p.wrong(end, name, "it is missing from "+one.kind.name, one.kind.good)
		}
	}
	one.defaults()
	if problem := one.problem(); problem != "" {
		return p.wrong(first, "shape", problem, one.kind.good)
	}
	p.parts = append(p.parts, one)
	return nil
}

// shape is the parts together, if they do not ask for too much.
func (p *shapeParser) shape() (Shape, error) {
	s := Shape{parts: p.parts}
	s.place()
	all := word{p.text, 0}
	if s.expected > MaxRequests {
		return Shape{}, p.wrong(all, "shape", fmt.Sprintf("it sends some %.0f requests, and the most is %d", s.expected, MaxRequests), goodShape)
	}
	if n := s.clients(); n > MaxClients {
		return Shape{}, p.wrong(all, "shape", fmt.Sprintf("it has %d clients, and the most is %d", n, MaxClients), goodShape)
	}
	if s.lasts > MaxDuration.Microseconds() {
		return Shape{}, p.wrong(all, "shape", fmt.Sprintf("it lasts %v, and the longest is %v", s.Duration(), MaxDuration), goodShape)
	}
	for i := range s.parts {
		if i > 0 {
			s.text += map[bool]string{true: " and ", false: " then "}[s.parts[i].and]
		}
		s.text += s.parts[i].format()
	}
	return s, nil
}

// placed is a problem with a part of a word.
type placed struct {
	offset  int
	value   string
	problem string
}

func (p *placed) Error() string { return p.problem }

// asLimit makes a limit of a rate, one that is exact for all of them.
const asLimit = "fixed_window "

// readPace reads a rate such as 50/s, as limits are written.
func readPace(text string) (pace, error) {
	l, err := aforo.ParseLimit(asLimit + text)
	var bad *aforo.LimitError
	switch {
	case errors.As(err, &bad):
		return pace{}, &placed{max(0, bad.Place-len(asLimit)), bad.Value, bad.Problem}
	case l.Rate() == 0:
		return pace{}, errors.New("the smallest is 1 in a time, as in 1/h")
	}
	return pace{l.Rate(), l.Period().Microseconds(), float64(l.Rate()) / float64(l.Period().Microseconds())}, nil
}

// readTime reads a time as limits are written, and 0.
func readTime(text string) (int64, error) {
	if text == "0" || text == "0s" {
		return 0, nil
	}
	if strings.HasPrefix(text, "-") {
		return 0, errors.New("times are not negative")
	}
	l, err := aforo.ParseLimit(asLimit + "1/" + text)
	var bad *aforo.LimitError
	if errors.As(err, &bad) {
		if text == "" {
			return 0, errors.New("the time is missing")
		}
		return 0, &placed{max(0, bad.Place-len(asLimit+"1/")), bad.Value, bad.Problem}
	}
	if l.Period() > MaxDuration {
		return 0, fmt.Errorf("the longest is %v", MaxDuration)
	}
	return l.Period().Microseconds(), nil
}

// readNumber reads a plain decimal integer of at least 1.
func readNumber(text string, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		return 0, errors.New("the number is missing")
	case err != nil && !errors.Is(err, strconv.ErrRange), text[0] == '+', text[0] == '0' && len(text) > 1:
		return 0, errors.New("write a plain decimal integer")
	case n < 1:
		return 0, errors.New("the smallest is 1")
	case err != nil || n > most:
		return 0, fmt.Errorf("the largest is %d", most)
	}
	return n, nil
}

// readMoment reads an instant and how many requests come at it, as in 5s*6.
func readMoment(text string) (m moment, err error) {
	at, times, several := strings.Cut(text, "*")
	if m.at, err = readTime(at); err != nil {
		return m, err
	}
	m.requests = 1
	if several {
		if m.requests, err = readNumber(times, MaxRequests); err != nil {
			return m, &placed{len(at) + 1, times, err.Error()}
		}
	}
	return m, nil
}

// readCost reads a cost, or two between which it is drawn, as in 1..9.
func readCost(text string) (cost [2]int64, err error) {
	low, high, drawn := strings.Cut(text, "..")
	if cost[0], err = readNumber(low, MaxCost); err != nil {
		return cost, &placed{0, low, err.Error()}
	}
	cost[1] = cost[0]
	if drawn {
		if cost[1], err = readNumber(high, MaxCost); err != nil {
			return cost, &placed{len(low) + 2, high, err.Error()}
		}
	}
	if cost[1] < cost[0] {
		return cost, errors.New("the first of the two is the smaller")
	}
	return cost, nil
}

// readExponent reads the exponent of Zipf's law.
func readExponent(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v <= 1 || v > 10 {
		return 0, errors.New("the exponent is a number above 1, and at most 10")
	}
	return v, nil
}

// readName reads what clients are called.
func readName(text string) (string, error) {
	bad := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
	if text == "" || len(text) > 64 || bad >= 0 || slices.Contains([]string{"then", "and"}, text) {
		return "", errors.New("a name has 1 to 64 printable ASCII characters")
	}
	return text, nil
}

// writeTime writes a time as limits do.
func writeTime(us int64) string {
	switch {
	case us == 0:
		return "0s"
	case us > second && us%second != 0: // as 1.5s, not 1500ms
		return (time.Duration(us) * time.Microsecond).String()
	}
	text := perTime(us)
	if text[0] < '0' || text[0] > '9' {
		return "1" + text
	}
	return text
}

// perTime writes a time as it stands in a rate: s for a second.
func perTime(us int64) string {
	l := aforo.Per(1, time.Duration(us)*time.Microsecond).Using(aforo.FixedWindow)
	return strings.TrimPrefix(l.String(), asLimit+"1/")
}
