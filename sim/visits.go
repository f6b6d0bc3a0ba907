package sim

import (
	"container/heap"
	"math/rand/v2"
)

// visits are people on a website. A visit is some pages, a while apart; a page is
// a request, and those of what it shows within two seconds after it.
type visits struct {
	draw
	begins func() (int64, bool) // when the next visit does, from the beginning of the part
	begin  int64
	more   bool
	due    dues // requests of the visits that go on
	order  uint64
}

// What a visit is, on average.
const (
	visitPages  = 5
	visitThinks = 20 * second // between two pages
	visitLoads  = 2 * second  // a page
	pageMost    = 16          // requests; 1 to as many
)

func newVisits(p *part, chance *rand.Rand) *visits {
	v := &visits{draw: newDraw(p, chance), begins: p.constant(chance)}
	v.begin, v.more = v.begins()
	v.visit()
	return v
}

// visit begins the visits that begin before the next request.
func (v *visits) visit() {
	for v.more && (len(v.due) == 0 || v.begin <= v.due[0].at) {
		at, client := v.begin, uint32(v.client())
		for page := true; page; page = v.chance.Float64() < 1-1.0/visitPages {
			v.add(at, client)
			for range v.chance.IntN(pageMost) {
				v.add(at+v.chance.Int64N(visitLoads), client)
			}
			at += visitLoads + int64(v.chance.ExpFloat64()*visitThinks)
		}
		v.begin, v.more = v.begins()
	}
}

// add adds a request, if it comes before the end.
func (v *visits) add(at int64, client uint32) {
	if at < v.part.lasts {
		heap.Push(&v.due, due{at, client, v.order})
		v.order++
	}
}

func (v *visits) next() (int64, bool) {
	if len(v.due) == 0 {
		return 0, false
	}
	return v.part.start() + v.due[0].at, true
}

func (v *visits) send() request {
	d := heap.Pop(&v.due).(due)
	r := v.request(v.part.begin+d.at, int64(d.sender))
	v.visit()
	return r
}
