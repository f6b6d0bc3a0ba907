package sim

import (
	"math/bits"
	"math/rand/v2"
	"strconv"
)

// A Load is what sends requests: a Shape, or recorded Traffic. There are no
// others.
type Load interface {
	// source is the requests from the beginning, drawn by seed.
	source(seed uint64) source
	// names is how many clients and keys there are; name is what one is called.
	names() int
	name(index uint32) string
	// span is from when to when requests are sent, in microseconds since the
	// Unix epoch.
	span() (from, until int64)
}

// A request is one of a load. Clients send, keys are counted; both are indices
// of names.
type request struct {
	at     int64 // microseconds since the Unix epoch
	client uint32
	key    uint32
	cost   int64
	from   *storm // who waits for the answer, if somebody does
	sender uint32 // which of its clients
}

// A source sends the requests of a load in order of time.
type source interface {
	// next is when the next request comes, as things stand; false if none does.
	next() (at int64, ok bool)
	// send sends it.
	send() request
}

func (s Shape) span() (from, until int64) {
	from = Start.UnixMicro()
	return from, from + s.lasts
}

func (s Shape) names() (n int) {
	for _, b := range s.blocks {
		n += 1 + int(b.clients)
	}
	return n
}

func (s Shape) name(index uint32) string {
	for _, b := range s.blocks {
		switch i := int64(index) - int64(b.base); {
		case i == 0:
			return b.name
		case 0 < i && i <= b.clients:
			return b.name + "-" + strconv.FormatInt(i, 10)
		}
	}
	return ""
}

// source mixes the parts.
func (s Shape) source(seed uint64) source {
	var m mix
	for i := range s.parts {
		p := &s.parts[i]
		chance := rand.New(rand.NewPCG(seed, uint64(i)))
		switch p.kind.name {
		case "retry storm":
			m = append(m, newStorm(p, chance))
		case "visits":
			m = append(m, newVisits(p, chance))
		default:
			m = append(m, newStream(p, chance))
		}
	}
	if len(m) == 1 {
		return m[0]
	}
	return m
}

// mix is several sources as one; of equal instants the first goes first.
type mix []source

func (m mix) first() (first source, at int64, ok bool) {
	for _, one := range m {
		if t, more := one.next(); more && (!ok || t < at) {
			first, at, ok = one, t, true
		}
	}
	return first, at, ok
}

func (m mix) next() (int64, bool) {
	_, at, ok := m.first()
	return at, ok
}

func (m mix) send() request {
	one, _, _ := m.first()
	return one.send()
}

// stream is a part whose requests depend on no answer.
type stream struct {
	*part
	draw
	instants func() (int64, bool) // from the beginning of the part
	at       int64
	more     bool
}

func newStream(p *part, chance *rand.Rand) *stream {
	s := &stream{part: p, draw: newDraw(p, chance), instants: p.instants(chance)}
	s.at, s.more = s.instants()
	return s
}

// start is when a part begins, in microseconds since the Unix epoch.
func (p *part) start() int64 { return Start.UnixMicro() + p.begin }

func (s *stream) next() (int64, bool) { return s.start() + s.at, s.more }

func (s *stream) send() request {
	r := s.request(s.begin+s.at, s.client())
	s.at, s.more = s.instants()
	return r
}

// draw chooses clients and costs.
type draw struct {
	part   *part
	chance *rand.Rand
	zipf   *rand.Zipf
	turn   int64 // of the next client, where they take turns
}

func newDraw(p *part, chance *rand.Rand) draw {
	d := draw{part: p, chance: chance}
	if p.zipf > 0 {
		d.zipf = rand.NewZipf(chance, p.zipf, 1, uint64(p.clients-1))
	}
	return d
}

// client is who sends the next request, from 0: where instants are chance,
// clients are too; elsewhere they take turns.
func (d *draw) client() int64 {
	switch {
	case d.zipf != nil:
		return int64(d.zipf.Uint64())
	case d.part.clients == 1:
		return 0
	case d.part.kind.chance:
		return d.chance.Int64N(d.part.clients)
	}
	d.turn++
	return (d.turn - 1) % d.part.clients
}

// request is one of a client, at an instant from Start.
func (d *draw) request(at, client int64) request {
	p := d.part
	r := request{at: Start.UnixMicro() + at, client: p.base, cost: p.cost[0]}
	if p.clients > 1 {
		r.client += 1 + uint32(client)
	}
	if p.cost[1] > p.cost[0] {
		r.cost += d.chance.Int64N(p.cost[1] - p.cost[0] + 1)
	}
	r.key = r.client
	if p.together() {
		r.key = p.base
	}
	return r
}

// together tells whether all clients of a part count as one key.
func (p *part) together() bool {
	return p.oneKey || p.kind.name == "retry storm" && !p.ownKeys
}

// spaced is the instant of the i-th of n things evenly spaced in a time.
func spaced(i, time, n int64) int64 {
	hi, lo := bits.Mul64(uint64(i), uint64(time))
	q, _ := bits.Div64(hi, lo, uint64(n))
	return int64(q)
}
