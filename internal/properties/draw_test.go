package properties

import (
	"math"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

const (
	second = int64(1e6)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour

	largestLimit = int64(1)<<52 - 1 // the largest number of a limit
	lastInstant  = int64(1) << 61   // beyond it all instants are the same one
	today        = int64(1_767_225_600_000_000)
)

// drawNumbers draws a limit that is legal. A kind of limit is drawn first, so
// that each kind turns up often whatever the numbers in it are.
func drawNumbers(t *rapid.T, a aforo.Algorithm) numbers {
	kinds := []func(*rapid.T, numbers) numbers{tiny, ordinary, undividing, slow, closed, huge, coarse, general}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	n := kind(t, numbers{algorithm: a})
	if !n.bucket() {
		n.burst = 0
	}
	if _, ok := finestTick(n); !ok {
		t.Skip("the limit cannot be held exactly")
	}
	return n
}

// drawAlgorithm draws any of the five.
func drawAlgorithm(t *rapid.T) aforo.Algorithm {
	return rapid.SampledFrom(aforo.Algorithms()).Draw(t, "algorithm")
}

// tiny limits have few instants and few units, so that all of them are seen.
func tiny(t *rapid.T, n numbers) numbers {
	n.rate = rapid.Int64Range(1, 5).Draw(t, "rate")
	n.per = rapid.Int64Range(1, 10).Draw(t, "per")
	n.burst = rapid.Int64Range(1, 5).Draw(t, "burst")
	return n
}

func ordinary(t *rapid.T, n numbers) numbers {
	type usual struct{ rate, per, burst int64 }
	u := rapid.SampledFrom([]usual{
		{100, minute, 20}, {10, second, 10}, {5, 15 * minute, 5}, {60, 90 * second, 3},
		{2, second, 10}, {1000, day, 1000}, {1, 1, 1}, {1, 1, 100}, {1_000_000, second, 1_000_000},
	}).Draw(t, "usual")
	n.rate, n.per, n.burst = u.rate, u.per, u.burst
	return n
}

// undividing limits have a rate that divides no period: fractions that floats
// cannot hold, and that would drift.
func undividing(t *rapid.T, n numbers) numbers {
	n.rate = rapid.SampledFrom([]int64{3, 7, 10, 13, 97, 999_983}).Draw(t, "rate")
	n.per = rapid.SampledFrom([]int64{13 * second, 11_000, 7, 1009, second + 1, 86_399 * second}).Draw(t, "per")
	n.burst = rapid.Int64Range(1, 20).Draw(t, "burst")
	return n
}

func slow(_ *rapid.T, n numbers) numbers {
	n.rate, n.per, n.burst = 1, 30*day, 10_000
	return n
}

func closed(t *rapid.T, n numbers) numbers {
	n.rate, n.per = 0, rapid.SampledFrom([]int64{1, second, day}).Draw(t, "per")
	n.burst = rapid.Int64Range(0, 5).Draw(t, "burst")
	return n
}

// huge limits are the largest, or next to it, that their period allows.
func huge(t *rapid.T, n numbers) numbers {
	n.per = rapid.SampledFrom([]int64{1, 7, 1000, second, 3 * second, hour, 30 * day}).Draw(t, "per")
	n.rate = rapid.SampledFrom([]int64{1, 3, 1000, 1_000_003}).Draw(t, "rate")
	p := n.per
	if tick := rapid.SampledFrom([]int64{1, 1000, second}).Draw(t, "tick"); p%tick == 0 {
		p /= tick
	}
	less := rapid.Int64Range(0, 2).Draw(t, "less")
	switch {
	case n.bucket():
		n.burst = largestLimit/(p/divisor(n.rate, p)) - less
	case n.algorithm == aforo.SlidingWindowCounter:
		n.rate = largestLimit/p - less
	default:
		n.rate = largestLimit - less
	}
	return n
}

func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// coarse limits are too large for the finest tick.
func coarse(t *rapid.T, n numbers) numbers {
	n.per = rapid.SampledFrom([]int64{day, 30 * day, 364 * day}).Draw(t, "per")
	n.burst = rapid.SampledFrom([]int64{100_000, 1_000_000, 100_000_000}).Draw(t, "burst")
	n.rate = 1
	if !n.bucket() {
		n.rate = n.burst
	}
	return n
}

func general(t *rapid.T, n numbers) numbers {
	n.rate = rapid.Int64Range(0, 10_000).Draw(t, "rate")
	n.per = rapid.Int64Range(1, hour).Draw(t, "per")
	n.burst = rapid.Int64Range(1, 10_000).Draw(t, "burst")
	return n
}

// drawCost draws what a request costs, mostly around where the answer changes.
func drawCost(t *rapid.T, capacity int64) int64 {
	cost := rapid.SampledFrom([]int64{1, 1, 1, 2, 0, capacity, capacity - 1, capacity / 2, capacity + 1, math.MaxInt64, -1}).Draw(t, "cost")
	if cost < 0 {
		cost = rapid.Int64Range(0, max(1, capacity)).Draw(t, "any cost")
	}
	return cost
}

// A hand moves a clock to where something may change.
type hand struct {
	at     int64 // now
	start  int64 // when the clock was set going
	period int64
	fills  int64 // how long a full bucket takes to drain, or the period
	retry  int64 // the wait promised last; 0 for none
}

func newHand(t *rapid.T, n numbers) *hand {
	h := &hand{period: n.per, fills: n.per}
	if n.bucket() && n.rate > 0 {
		h.fills = int64(min(1e18, float64(n.burst)*float64(n.per)/float64(n.rate)+1))
	}
	h.start = rapid.SampledFrom([]int64{today, today + 1, 0, 1 << 40, 1 << 55}).Draw(t, "start")
	h.start -= h.start % n.per
	h.at = h.start
	return h
}

// forward moves the clock on, or lets it stand.
func (h *hand) forward(t *rapid.T) {
	edge := h.period - h.at%h.period
	step := rapid.SampledFrom([]int64{
		0, 0, 1, 2, edge - 1, edge, edge + 1, edge + h.period,
		h.retry - 1, h.retry, h.retry + 1, h.retry - 1000, h.retry - second,
		h.period / 2, h.period, h.period + 1, h.fills / 2, h.fills, h.fills + 1,
		-1, -2,
	}).Draw(t, "step")
	switch step {
	case -1:
		step = rapid.Int64Range(0, h.period).Draw(t, "any step")
	case -2: // idle, up to the end of time
		step = rapid.Int64Range(0, math.MaxInt64).Draw(t, "idle")
	}
	if step = max(0, step); step > lastInstant-h.at {
		step = lastInstant - h.at
	}
	h.at += step
}

// anywhere moves the clock on, or sets it back.
func (h *hand) anywhere(t *rapid.T) {
	h.at = max(h.period, second, h.at)
	if rapid.IntRange(0, 5).Draw(t, "moves back") > 0 {
		h.forward(t)
		return
	}
	back := rapid.SampledFrom([]int64{
		1, 2, 1000, second, h.period - 1, h.period, h.period + 1, 2 * h.period,
		h.fills - 1, h.fills, h.fills + 1, 2 * h.fills, 10 * h.fills,
	}).Draw(t, "back")
	if rapid.Bool().Draw(t, "to the start") {
		back = h.at - h.start // after an idle eternity, and to meet old windows
	}
	// Not to the first window after the epoch: there a state in which nothing
	// is left is the zero State, which remembers no instant.
	h.at = max(h.period, second, h.at-max(0, back))
}
