package watch

import (
	"cmp"
	"container/heap"
	"slices"
)

const (
	// counters is how many keys a generation counts, and shown how many of
	// them a snapshot has.
	counters = 256
	shown    = 20
	// generation is how long one lasts, in seconds: what is shown is of the
	// present one and the one before it.
	generation = 300
)

// A Heavy is a key that was refused often: Count times at most, and Count less
// Error at least.
type Heavy struct {
	Subject
	Count int64 `json:"count"`
	Error int64 `json:"error"`
}

// heavy finds the most frequent of many keys in the memory of few: Space-Saving
// (Metwally, Agrawal and El Abbadi, 2005). A key that has no counter takes over
// the smallest one, and what that has counted is its error. So each count is too
// large by its error at most, and a key that is not counted has come no more
// often than the smallest counter says.
type heavy struct {
	index map[identity]*slot
	slots slots
}

type slot struct {
	who identity
	Heavy
	place int
}

func newHeavy() heavy { return heavy{index: make(map[identity]*slot, counters)} }

func (h *heavy) add(who identity, subject func() Subject) {
	s := h.index[who]
	switch {
	case s != nil:
	case len(h.slots) < counters:
		s = &slot{who: who, Heavy: Heavy{Subject: subject()}}
		h.index[who] = s
		heap.Push(&h.slots, s)
	default:
		s = h.slots[0]
		delete(h.index, s.who)
		s.who, s.Subject, s.Error = who, subject(), s.Count
		h.index[who] = s
	}
	s.Count++
	heap.Fix(&h.slots, s.place)
}

// least is how often a key that has no counter may have come.
func (h *heavy) least() int64 {
	if len(h.slots) < counters {
		return 0
	}
	return h.slots[0].Count
}

// recent is the keys of the last minutes: two generations.
type recent struct {
	now, before heavy
	began       int64 // when the present one did, in seconds since the Unix epoch
	since       int64 // when the one before it did
}

func newRecent(at int64) recent {
	return recent{now: newHeavy(), before: newHeavy(), began: at, since: at}
}

// turn begins a new generation when it is time.
func (r *recent) turn(at int64) {
	switch passed := at - r.began; {
	case passed >= 2*generation:
		*r = newRecent(at)
	case passed >= generation:
		*r = recent{now: newHeavy(), before: r.now, began: r.began + generation, since: r.began}
	}
}

func (r *recent) add(at int64, who identity, subject func() Subject) {
	r.turn(at)
	r.now.add(who, subject)
}

// list is the keys that were refused most, by what they were at least.
func (r *recent) list(at int64) ([]Heavy, int64) {
	r.turn(at)
	all := []Heavy{}
	for _, s := range r.now.slots {
		one := s.Heavy
		if old := r.before.index[s.who]; old != nil {
			one.Count, one.Error = one.Count+old.Count, one.Error+old.Error
		} else {
			one.Count, one.Error = one.Count+r.before.least(), one.Error+r.before.least()
		}
		all = append(all, one)
	}
	for _, s := range r.before.slots {
		if r.now.index[s.who] == nil {
			one := s.Heavy
			one.Count, one.Error = one.Count+r.now.least(), one.Error+r.now.least()
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Heavy) int {
		return cmp.Or(cmp.Compare(b.Count-b.Error, a.Count-a.Error), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(len(all), shown)], r.since
}

// slots is a heap, the smallest count on top.
type slots []*slot

func (s slots) Len() int           { return len(s) }
func (s slots) Less(i, j int) bool { return s[i].Count < s[j].Count }
func (s slots) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].place, s[j].place = i, j
}

// Push implements heap.Interface.
func (s *slots) Push(x any) {
	one := x.(*slot)
	one.place = len(*s)
	*s = append(*s, one)
}

// Pop implements heap.Interface; nothing is ever taken out.
func (s *slots) Pop() any { panic("a counter is taken over, never taken out") }
