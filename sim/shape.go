package sim

import (
	"math"
	"strconv"
	"time"
)

// What a shape may ask for at most, so that a run ends in seconds.
const (
	// MaxRequests is the largest number of requests that a shape may send.
	MaxRequests = 1_000_000
	// MaxClients is the largest number of clients that a part of a shape may
	// have.
	MaxClients = 1_000_000
	// MaxDuration is the longest that a shape may last.
	MaxDuration = 366 * 24 * time.Hour
	// MaxCost is the largest cost that a request of a shape may have, in units.
	MaxCost = 1_000_000
)

// Start is when shapes begin: at the edge of every window of up to a week.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A Shape is traffic that is made up, by rule and by chance, and written as
// text: see ParseShape. The same shape with the same seed always sends the same
// requests. It is immutable; the zero Shape sends nothing.
type Shape struct {
	parts    []part
	text     string
	lasts    int64 // microseconds
	expected float64
	blocks   []block
}

// A part is traffic of one kind. Times are microseconds.
type part struct {
	kind   *kind
	begin  int64    // when it begins in the run: where the one before then ends
	and    bool     // it begins when the one before it does
	joined bool     // the one after it does
	rate   pace     // requests in a time; the lowest, if there is a peak
	peak   pace     // the highest
	number int64    // requests of a burst, or on each side of an edge
	zipf   float64  // the exponent
	at     []moment // the instants of requests one by one
	rises  int64    // when a flash crowd comes

	every, over, fading, retry, jitter, lasts int64

	clients int64
	oneKey  bool // they count together
	ownKeys bool // they count apart, where together is the rule
	obey    bool
	ignore  bool
	name    string
	cost    [2]int64 // drawn between the two
	base    uint32   // where its names begin
}

// pace is requests in a time.
type pace struct {
	number, per int64   // as it was written
	requests    float64 // in a microsecond
}

func (p pace) String() string { return strconv.FormatInt(p.number, 10) + "/" + perTime(p.per) }

// moment is when some requests come, from the beginning of their part.
type moment struct{ at, requests int64 }

// block is the names of parts of one name: the name itself, and as many
// numbered ones as the part with the most clients needs.
type block struct {
	name    string
	base    uint32
	clients int64
}

// String is the shape as ParseShape reads it, in one form.
func (s Shape) String() string { return s.text }

// Duration is how long the shape sends requests, counted from Start.
func (s Shape) Duration() time.Duration { return time.Duration(s.lasts) * time.Microsecond }

// Requests is how many requests the shape sends on average; of clients whose
// next request depends on the answer to this one, how many if all are allowed.
func (s Shape) Requests() int { return int(math.Round(s.expected)) }

// Clients is how many clients there are, of all parts: a run keeps states of each.
func (s Shape) Clients() int { return s.names() }

// MarshalText writes the shape as String does.
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText reads a shape as ParseShape does.
func (s *Shape) UnmarshalText(text []byte) error {
	parsed, err := ParseShape(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// expected is how many requests a part sends on average.
func (p *part) expected() float64 {
	lasts := float64(p.lasts)
	switch p.kind.name {
	case "at":
		n := 0.0
		for _, m := range p.at {
			n += float64(m.requests)
		}
		return n
	case "burst":
		return float64(p.number) * float64(p.times())
	case "window edge":
		return 2 * float64(p.number) * float64(p.times())
	case "sine":
		return (p.rate.requests + p.peak.requests) / 2 * lasts
	case "flash crowd":
		fading := float64(p.fading)
		after := max(0, lasts-float64(p.rises))
		return p.rate.requests*lasts + (p.peak.requests-p.rate.requests)*fading*(1-math.Exp(-after/fading))
	case "visits": // but for those that the end cuts short
		return p.rate.requests * lasts * visitPages * (1 + pageMost) / 2
	case "retry storm":
		return float64(p.clients) * float64(p.times())
	}
	return p.rate.requests * lasts
}

// times is how often something that repeats falls into a part.
func (p *part) times() int64 {
	switch {
	case p.every == 0:
		return 1
	case p.kind.name == "window edge": // those that are wholly within
		return (p.lasts - p.over) / p.every
	}
	return (p.lasts + p.every - 1) / p.every
}

// place lays the parts one after the other in time, and their names one after
// the other.
func (s *Shape) place() {
	begin, ends := int64(0), int64(0)
	for i := range s.parts {
		p := &s.parts[i]
		if !p.and {
			begin = ends
		}
		p.begin = begin
		ends = max(ends, begin+p.lasts)
		s.expected += p.expected()
		s.reserve(p)
	}
	s.lasts = ends
	base := int64(0) // fits its type when there are not too many
	for i := range s.blocks {
		s.blocks[i].base = uint32(base)
		base += 1 + s.blocks[i].clients
	}
	for i := range s.parts {
		s.parts[i].base = s.blockOf(s.parts[i].name).base
	}
}

// reserve makes room for the names of a part.
func (s *Shape) reserve(p *part) {
	b := s.blockOf(p.name)
	if b == nil {
		s.blocks = append(s.blocks, block{name: p.name})
		b = &s.blocks[len(s.blocks)-1]
	}
	if p.clients > 1 {
		b.clients = max(b.clients, p.clients)
	}
}

// clients is how many there are under all names.
func (s *Shape) clients() (n int64) {
	for _, b := range s.blocks {
		n += max(1, b.clients)
	}
	return n
}

func (s *Shape) blockOf(name string) *block {
	for i := range s.blocks {
		if s.blocks[i].name == name {
			return &s.blocks[i]
		}
	}
	return nil
}

// Drawn tells whether another seed would make another traffic.
func (s Shape) Drawn() bool {
	for i := range s.parts {
		if p := &s.parts[i]; p.kind.chance || p.cost[0] != p.cost[1] || p.jitter > 0 {
			return true
		}
	}
	return false
}
