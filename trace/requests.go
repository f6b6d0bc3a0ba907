package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// A Request is what is kept of an [Entry] to be put in order of time: 16 bytes.
type Request struct {
	Time    int64  // microseconds since the Unix epoch
	Key     uint32 // whose it is: see [Requests.Key]
	Status  uint16 // as in Entry, 0 if not known
	Refused bool   // as in Entry
}

// DefaultMemory is how many bytes of requests [Requests] hold in memory unless
// told otherwise.
const DefaultMemory = 64 << 20

// Requests are the requests of one or several logs, to be gone through in order
// of time, in whatever order they were added. In memory they take 16 bytes each
// up to a bound, half as much while they are sorted, and each key once; what is
// more goes to a temporary file.
//
// The methods are for one goroutine at a time. [Requests.Close] gives back the
// temporary file.
type Requests struct {
	most  int       // that may be held
	held  []Request // the last that were added
	runs  []run     // those before them, each run in order of time
	spill *spill    // the file of the runs, nil as long as there are none

	keys  []string
	index map[string]uint32

	count         int64
	first, latest int64
	late, longest int64 // how many came after a later one, and by how much at most
}

// NewRequests returns no requests, of which it is going to hold so many bytes
// in memory: 0 means [DefaultMemory]. The least is enough for 1,024 requests.
func NewRequests(memory int64) *Requests {
	if memory == 0 {
		memory = DefaultMemory
	}
	return &Requests{most: int(min(max(memory/recordSize, 1024), math.MaxInt32)), index: make(map[string]uint32)}
}

// Add adds the request of an entry under a key, which is copied. Of requests of
// one instant, the order in which they were added is kept. The error is that of
// the temporary file.
func (q *Requests) Add(e *Entry, key []byte) error {
	k, err := q.indexOf(key)
	if err != nil {
		return err
	}
	q.watchOrder(e.Time)
	if len(q.held) == q.most {
		if err := q.spillHeld(); err != nil {
			return err
		}
	}
	q.held = append(q.held, Request{Time: e.Time, Key: k, Status: uint16(e.Status), Refused: e.Refused})
	q.count++
	return nil
}

func (q *Requests) indexOf(key []byte) (uint32, error) {
	if k, ok := q.index[string(key)]; ok {
		return k, nil
	}
	if uint64(len(q.keys)) > math.MaxUint32-1 {
		return 0, fmt.Errorf("more than %d different keys; choose a key that fewer have, for example ip", len(q.keys))
	}
	k := uint32(len(q.keys))
	q.keys = append(q.keys, string(key))
	q.index[q.keys[k]] = k
	return k, nil
}

// watchOrder counts what comes late.
func (q *Requests) watchOrder(at int64) {
	if q.count == 0 || at < q.first {
		q.first = at
	}
	if q.count == 0 || at >= q.latest {
		q.latest = at
		return
	}
	q.late++
	by := q.latest - at
	if by < 0 { // it overflowed
		by = math.MaxInt64
	}
	q.longest = max(q.longest, by)
}

// spillHeld moves what is held to the temporary file, as a run.
func (q *Requests) spillHeld() (err error) {
	if q.spill == nil {
		if q.spill, err = newSpill(); err != nil {
			return err
		}
	}
	sortByTime(q.held)
	r, err := q.spill.write(q.held)
	if err != nil {
		return err
	}
	q.runs = append(q.runs, r)
	q.held = q.held[:0]
	return nil
}

// Len is how many requests there are.
func (q *Requests) Len() int64 { return q.count }

// Keys is how many different keys there are.
func (q *Requests) Keys() int { return len(q.keys) }

// Key is the key with an index that a [Request] has.
func (q *Requests) Key(index uint32) string { return q.keys[index] }

// OutOfOrder is how many requests were added after a later one, and by how much
// at most. What is longer than a Duration can be, 292 years, is cut to that.
func (q *Requests) OutOfOrder() (requests int64, by time.Duration) {
	return q.late, time.Duration(min(q.longest, math.MaxInt64/1000)) * time.Microsecond
}

// Span is the instants of the first and the last request, in UTC; the zero
// Times if there is none.
func (q *Requests) Span() (first, last time.Time) {
	if q.count == 0 {
		return first, last
	}
	return time.UnixMicro(q.first).UTC(), time.UnixMicro(q.latest).UTC()
}

// Each calls use with every request in order of time, those of one instant in
// the order in which they were added, until there are no more or it returns an
// error, which Each returns. It may be called again.
func (q *Requests) Each(use func(Request) error) error {
	sortByTime(q.held)
	if len(q.runs) > 0 {
		return q.merge(use)
	}
	for _, r := range q.held {
		if err := use(r); err != nil {
			return err
		}
	}
	return nil
}

// Close gives back the temporary file, if there is one. The requests are of no
// use after it.
func (q *Requests) Close() error {
	if q.spill == nil {
		return nil
	}
	return q.spill.Close()
}

// sortByTime puts requests in order of time, those of one instant as they stand.
// It merges halves, and leaves alone what is in order already, as most of a log
// is; slices.SortStableFunc saves the memory of half a list, and takes ten times
// as long over one that is shuffled.
func sortByTime(list []Request) {
	if !slices.IsSortedFunc(list, compareTime) {
		mergeHalves(list, make([]Request, (len(list)+1)/2))
	}
}

func compareTime(a, b Request) int { return cmp.Compare(a.Time, b.Time) }

func mergeHalves(list, space []Request) {
	if len(list) <= 16 {
		for i := 1; i < len(list); i++ {
			for j := i; j > 0 && list[j].Time < list[j-1].Time; j-- {
				list[j], list[j-1] = list[j-1], list[j]
			}
		}
		return
	}
	middle := len(list) / 2
	mergeHalves(list[:middle], space)
	mergeHalves(list[middle:], space)
	right := list[middle:]
	start := sort.Search(middle, func(i int) bool { return list[i].Time > right[0].Time })
	left := space[:copy(space, list[start:middle])]
	for out := start; len(left) > 0; out++ {
		if len(right) > 0 && right[0].Time < left[0].Time {
			list[out], right = right[0], right[1:]
		} else {
			list[out], left = left[0], left[1:]
		}
	}
}
