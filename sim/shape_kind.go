package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A kind is one of the shapes that traffic may have.
type kind struct {
	name string
	must []string // clauses without which it is nothing
	may  []string // others that it takes, beside those that all take
	good string

	chance bool // its instants are drawn, and who sends at each
}

// kinds are all there are. The order of the clauses is that in which they are
// written.
var kinds = []*kind{
	{"steady", []string{"rate", "for"}, nil, "steady 50/s for 1m", false},
	{"poisson", []string{"rate", "for"}, nil, "poisson 50/s for 1m", true},
	{"burst", []string{"number"}, []string{"over", "every", "for"}, "burst 100 every 10s for 1m", false},
	{"sine", []string{"rate", "to", "every", "for"}, nil, "sine 10/s to 90/s every 20s for 1m", true},
	{"flash crowd", []string{"rate", "to", "at", "for"}, []string{"fading"}, "flash crowd 5/s to 500/s at 20s for 1m", true},
	{"window edge", []string{"number", "every", "for"}, []string{"within"}, "window edge 100 every 1m for 3m", false},
	{"zipf", []string{"exponent", "clients", "rate", "for"}, nil, "zipf 1.1 clients 1000 200/s for 1m", true},
	{"visits", []string{"rate", "clients", "for"}, nil, "visits 600/h clients 500 for 4h", true},
	{"retry storm", []string{"clients", "obey or ignore", "for"}, []string{"every", "retry", "jitter"}, "retry storm clients 50 obey for 2m", false},
	{"at", []string{"instants"}, nil, "at 0s*6 5s 9.999s 10s", false},
}

// common are the clauses that all kinds take.
var common = []string{"clients", "one key", "own keys", "cost", "as"}

// kindOf finds the kind that begins with these words.
func kindOf(first, second string) *kind {
	for _, k := range kinds {
		if k.name == first || k.name == first+" "+second {
			return k
		}
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func (k *kind) has(clause string) bool {
	return slices.Contains(k.must, clause) || slices.Contains(k.may, clause) || slices.Contains(common, clause)
}

// takes lists the clauses for people.
func (k *kind) takes() string {
	names := slices.Concat(k.must, k.may)
	for _, name := range common {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// A clause is something that is said about a part.
type clause struct {
	worded bool // its value is the next word
	read   func(p *part, value string) error
	write  func(p *part) string // "" if it need not be said
}

// clauseName is the clause that a word begins.
func clauseName(text string, k *kind) string {
	digit := text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '-')
	switch {
	case text == "one", text == "own":
		return map[string]string{"one": "one key", "own": "own keys"}[text]
	case text == "obey", text == "ignore":
		return "obey or ignore"
	case strings.Contains(text, "/"):
		return "rate"
	case digit && k.name == "at":
		return "instants"
	case digit && k.name == "zipf":
		return "exponent"
	case digit && slices.Contains(k.must, "number"):
		return "number"
	}
	return text
}

// timed is a clause of a word and a time.
func timed(word string, field func(*part) *int64, usual int64) *clause {
	return &clause{
		worded: true,
		read: func(p *part, value string) (err error) {
			us, err := readTime(value)
			if err == nil && us == 0 && word != "at" {
				err = errors.New("the smallest is 1us")
			}
			*field(p) = us
			return err
		},
		write: func(p *part) string {
			us := *field(p)
			if us == usual && word != "at" || word == "every" && us == usualEvery && p.kind.name == "retry storm" {
				return ""
			}
			return word + " " + writeTime(us)
		},
	}
}

const second = 1_000_000 // microseconds

// What is usual, and need not be said.
const (
	usualWithin = second
	usualFading = 10 * second
	usualEvery  = 10 * second
	usualRetry  = second
)

// clauses are all there are, by name.
var clauses = map[string]*clause{
	"rate": {
		read:  func(p *part, v string) (err error) { p.rate, err = readPace(v); return err },
		write: func(p *part) string { return p.rate.String() },
	},
	"to": {worded: true,
		read:  func(p *part, v string) (err error) { p.peak, err = readPace(v); return err },
		write: func(p *part) string { return "to " + p.peak.String() },
	},
	"number": {
		read:  func(p *part, v string) (err error) { p.number, err = readNumber(v, MaxRequests); return err },
		write: func(p *part) string { return strconv.FormatInt(p.number, 10) },
	},
	"exponent": {
		read:  func(p *part, v string) (err error) { p.zipf, err = readExponent(v); return err },
		write: func(p *part) string { return strconv.FormatFloat(p.zipf, 'g', -1, 64) },
	},
	"instants": {
		read: func(p *part, v string) error {
			m, err := readMoment(v)
			if n := len(p.at); err == nil && n > 0 && m.at < p.at[n-1].at {
				err = errors.New("instants stand in the order of time")
			}
			p.at = append(p.at, m)
			return err
		},
		write: writeMoments,
	},
	"for":    timed("for", func(p *part) *int64 { return &p.lasts }, 0),
	"every":  timed("every", func(p *part) *int64 { return &p.every }, 0),
	"over":   timed("over", func(p *part) *int64 { return &p.over }, 0),
	"within": timed("within", func(p *part) *int64 { return &p.over }, usualWithin),
	"fading": timed("fading", func(p *part) *int64 { return &p.fading }, usualFading),
	"retry":  timed("retry", func(p *part) *int64 { return &p.retry }, usualRetry),
	"jitter": timed("jitter", func(p *part) *int64 { return &p.jitter }, 0),
	"at":     timed("at", func(p *part) *int64 { return &p.rises }, 0),
	"clients": {worded: true,
		read: func(p *part, v string) (err error) { p.clients, err = readNumber(v, MaxClients); return err },
		write: func(p *part) string {
			if p.clients == 1 && !slices.Contains(p.kind.must, "clients") {
				return ""
			}
			return fmt.Sprintf("clients %d", p.clients)
		},
	},
	"one key":  keyed("one key", "key", func(p *part) *bool { return &p.oneKey }),
	"own keys": keyed("own keys", "keys", func(p *part) *bool { return &p.ownKeys }),
	"obey or ignore": {
		read: func(p *part, v string) error { p.obey, p.ignore = v == "obey", v == "ignore"; return nil },
		write: func(p *part) string {
			if p.obey {
				return "obey"
			}
			return "ignore"
		},
	},
	"cost": {worded: true,
		read: func(p *part, v string) (err error) { p.cost, err = readCost(v); return err },
		write: func(p *part) string {
			switch {
			case p.cost == [2]int64{1, 1}:
				return ""
			case p.cost[0] == p.cost[1]:
				return fmt.Sprintf("cost %d", p.cost[0])
			}
			return fmt.Sprintf("cost %d..%d", p.cost[0], p.cost[1])
		},
	},
	"as": {worded: true,
		read: func(p *part, v string) (err error) { p.name, err = readName(v); return err },
		write: func(p *part) string {
			if p.name == "client" {
				return ""
			}
			return "as " + p.name
		},
	},
}

// keyed is a clause of two words that says how clients are counted.
func keyed(text, second string, field func(*part) *bool) *clause {
	return &clause{
		worded: true,
		read: func(p *part, value string) error {
			if value != second {
				return fmt.Errorf("write %s", text)
			}
			*field(p) = true
			return nil
		},
		write: func(p *part) string {
			if *field(p) {
				return text
			}
			return ""
		},
	}
}

func writeMoments(p *part) string {
	var texts []string
	for _, m := range p.at {
		text := writeTime(m.at)
		if m.requests > 1 {
			text += "*" + strconv.FormatInt(m.requests, 10)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// defaults sets what was not said.
func (p *part) defaults() {
	usual := func(field *int64, value int64) {
		if *field == 0 {
			*field = value
		}
	}
	switch p.kind.name {
	case "window edge":
		usual(&p.over, usualWithin)
	case "flash crowd":
		usual(&p.fading, usualFading)
	case "retry storm":
		usual(&p.every, usualEvery)
		usual(&p.retry, usualRetry)
	case "burst":
		usual(&p.lasts, p.over)
	case "at":
		if n := len(p.at); n > 0 {
			p.lasts = p.at[n-1].at
		}
	}
}

// problem is what is wrong with a part as a whole.
func (p *part) problem() string {
	switch {
	case p.oneKey && p.ownKeys:
		return "one key and own keys exclude each other"
	case p.peak.requests > 0 && p.peak.requests < p.rate.requests:
		return "the rate after to is the higher one"
	case p.jitter > 0 && !p.obey:
		return "jitter is for clients that obey"
	case p.kind.name == "burst" && p.every == 0 && p.lasts > p.over:
		return "it lasts, and does not say every when it comes again"
	case p.kind.name == "burst" && p.every > 0 && p.lasts == p.over:
		return "it comes again, and does not say for how long"
	case p.every > 0 && p.over > p.every:
		return "it takes longer than the time after which it comes again"
	case p.kind.name == "window edge" && 2*p.over > p.every:
		return "around its edges it takes longer than a window"
	case p.kind.name == "window edge" && p.times() < 1:
		return "it ends before the first edge is over"
	case p.kind.name == "flash crowd" && p.rises >= p.lasts:
		return "it ends before the crowd comes"
	}
	return ""
}

// format writes a part, with the word that joins it to the one before.
func (p *part) format() string {
	texts := []string{p.kind.name}
	names := slices.Concat(p.kind.must, p.kind.may)
	for _, name := range common {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if i := slices.Index(names, "for"); i >= 0 { // it reads best at the end
		names = append(slices.Delete(names, i, i+1), "for")
	}
	for _, name := range names {
		if text := clauses[name].write(p); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}
