package main

// histogram counts latencies in buckets that exist beforehand, so that counting
// allocates nothing: of 1 ns below a millisecond, of 1 us up to a second.
type histogram struct {
	fine, coarse []uint32
	count        int64
	max          int64
}

const (
	fineEnd   = 1_000_000
	coarseEnd = 1_000_000_000
)

// newHistogram touches all of its pages, so that none is missing later.
func newHistogram() *histogram {
	h := &histogram{fine: make([]uint32, fineEnd), coarse: make([]uint32, coarseEnd/1000)}
	for _, buckets := range [][]uint32{h.fine, h.coarse} {
		for i := range buckets {
			buckets[i] = 1
		}
		clear(buckets)
	}
	return h
}

func (h *histogram) add(ns int64) {
	h.count++
	h.max = max(h.max, ns)
	switch {
	case ns < fineEnd:
		h.fine[max(0, ns)]++
	case ns < coarseEnd:
		h.coarse[ns/1000]++
	}
}

// percentile is the least latency that at least this part of all stays within.
func (h *histogram) percentile(of float64) int64 {
	if of >= 1 {
		return h.max
	}
	left := int64(of * float64(h.count))
	for ns, n := range h.fine {
		if left -= int64(n); left < 0 {
			return int64(ns)
		}
	}
	for us, n := range h.coarse {
		if left -= int64(n); left < 0 {
			return int64(us) * 1000
		}
	}
	return h.max
}
