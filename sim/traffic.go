// Package sim plays traffic through limits over virtual time: what they would
// have done, before they do it to anybody.
package sim

import (
	"cmp"
	"slices"
	"time"
)

// Traffic is requests of many clients in order of time. It takes 16 bytes a
// request, and each key once. The zero Traffic is empty and ready to be used.
type Traffic struct {
	arrivals []arrival
	keys     []string
	index    map[string]uint32

	sorted bool
}

// arrival is one request: when, in microseconds since the Unix epoch, whose, as
// an index into keys, and how many units it costs.
type arrival struct {
	at   int64
	key  uint32
	cost uint32
}

// Add adds a request of a key, which is copied, at an instant in microseconds
// since the Unix epoch. It costs 1 unit. The order in which requests are added
// matters only for those of the same instant.
func (t *Traffic) Add(at int64, key []byte) { t.AddCost(at, key, 1) }

// AddCost is Add for a request of another cost, in units; 0 only looks.
func (t *Traffic) AddCost(at int64, key []byte, cost uint32) {
	k, ok := t.index[string(key)]
	if !ok {
		if t.index == nil {
			t.index = make(map[string]uint32)
		}
		k = uint32(len(t.keys))
		t.keys = append(t.keys, string(key))
		t.index[t.keys[k]] = k
	}
	t.arrivals = append(t.arrivals, arrival{at, k, cost})
	t.sorted = false
}

// Len is how many requests there are.
func (t *Traffic) Len() int { return len(t.arrivals) }

// Span is the instants of the first and the last request, in UTC; the zero
// Times if there is none.
func (t *Traffic) Span() (first, last time.Time) {
	if len(t.arrivals) == 0 {
		return first, last
	}
	from, until := t.span()
	return time.UnixMicro(from).UTC(), time.UnixMicro(until).UTC()
}

// sort puts the requests in order of time, those of one instant as they came.
func (t *Traffic) sort() {
	if !t.sorted {
		slices.SortStableFunc(t.arrivals, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
		t.sorted = true
	}
}

func (t *Traffic) names() int { return len(t.keys) }

func (t *Traffic) name(index uint32) string { return t.keys[index] }

func (t *Traffic) span() (from, until int64) {
	if len(t.arrivals) == 0 {
		return 0, 0
	}
	t.sort()
	return t.arrivals[0].at, t.arrivals[len(t.arrivals)-1].at
}

func (t *Traffic) source(uint64) source {
	t.sort()
	return &playback{t, 0}
}

// playback sends recorded requests.
type playback struct {
	*Traffic
	sent int
}

func (p *playback) next() (int64, bool) {
	if p.sent == len(p.arrivals) {
		return 0, false
	}
	return p.arrivals[p.sent].at, true
}

func (p *playback) send() request {
	a := p.arrivals[p.sent]
	p.sent++
	return request{at: a.at, client: a.key, key: a.key, cost: int64(a.cost)}
}
