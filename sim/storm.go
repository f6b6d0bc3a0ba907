package sim

import (
	"container/heap"
	"math/rand/v2"
)

// storm is clients who come back when they are refused. Each has something to
// send, and sends it until it is allowed; then it has something new a while
// later.
type storm struct {
	draw
	due   dues
	until int64 // microseconds since the Unix epoch
}

// dues is when each client sends next, the first on top.
type dues []due

type due struct {
	at     int64
	sender uint32
	order  uint64 // of equal instants, who was told first goes first
}

func (d dues) Len() int { return len(d) }
func (d dues) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].order < d[j].order
}
func (d dues) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push implements heap.Interface.
func (d *dues) Push(x any) { *d = append(*d, x.(due)) }

// Pop implements heap.Interface.
func (d *dues) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// newStorm has all clients send at once: the service that they wait for has
// just come back.
func newStorm(p *part, chance *rand.Rand) *storm {
	from := p.start()
	s := &storm{draw: newDraw(p, chance), until: from + p.lasts}
	for i := range p.clients {
		s.due = append(s.due, due{from, uint32(i), uint64(i)})
	}
	s.turn = p.clients
	return s
}

func (s *storm) next() (int64, bool) {
	if len(s.due) == 0 {
		return 0, false
	}
	return s.due[0].at, true
}

func (s *storm) send() request {
	d := heap.Pop(&s.due).(due)
	r := s.request(d.at-Start.UnixMicro(), int64(d.sender))
	r.from, r.sender = s, d.sender
	return r
}

// answer tells a client at an instant what became of its request: allowed, or
// when to come back; -1 is never, and it gives up on this one. Who obeys is told
// in whole seconds, rounded up, as Retry-After is.
func (s *storm) answer(r request, at int64, allowed bool, retry int64) {
	p := s.part
	again := after(at, p.every)
	switch {
	case allowed || retry < 0:
	case p.ignore:
		again = after(at, p.retry)
	default:
		again = after(at, after(retry, second-1)/second*second)
		if p.jitter > 0 {
			again = after(again, s.chance.Int64N(p.jitter+1))
		}
	}
	if again < s.until && again > at {
		heap.Push(&s.due, due{again, r.sender, uint64(s.turn)})
		s.turn++
	}
}
