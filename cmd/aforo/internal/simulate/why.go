package simulate

import (
	"encoding/json"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// A Why is the rule of one limit with the numbers of a decision put in:
//
//	token_bucket            tokens >= cost
//	                        tokens = min(capacity, tokens_before + elapsed_us * rate / period_us)
//	leaky_bucket            queued + cost <= capacity
//	                        queued = max(0, queued_before - elapsed_us * rate / period_us)
//	fixed_window            count + cost <= capacity
//	sliding_window_log      count + cost <= capacity
//	sliding_window_counter  weighted + count + cost <= capacity
//	                        weighted = previous * overlap_us / period_us
//
// Tokens are rounded down, and what is queued or weighted up, to a millionth: so
// the comparison holds as it is written. The other fields are left out where
// they mean nothing.
type Why struct {
	Rule     string `json:"rule"`
	Allowed  bool   `json:"allowed"`
	Cost     int64  `json:"cost"`
	Capacity int64  `json:"capacity"`
	Rate     int64  `json:"rate"`
	Period   int64  `json:"period_us"`

	Remaining  int64  `json:"remaining"`      // afterwards, by this limit alone
	ResetAfter *int64 `json:"reset_after_us"` // until it is as if never used; null if never

	TokensBefore json.Number `json:"tokens_before,omitempty"`
	QueuedBefore json.Number `json:"queued_before,omitempty"`
	Elapsed      *int64      `json:"elapsed_us,omitempty"` // since then
	Tokens       json.Number `json:"tokens,omitempty"`
	Queued       json.Number `json:"queued,omitempty"`

	From     *int64      `json:"from_us,omitempty"` // where the window, or the log's, begins
	Count    *int64      `json:"count,omitempty"`
	Previous *int64      `json:"previous,omitempty"`
	Overlap  *int64      `json:"overlap_us,omitempty"`
	Weighted json.Number `json:"weighted,omitempty"`
}

// explain is the reasons of a decision that is about to be made.
func explain(limits []aforo.Limit, look sim.Look) []Why {
	why := make([]Why, len(limits))
	for i := range limits {
		l := &limits[i]
		why[i] = explainOne(l, look.States[i], look.Clock, look.Cost, l.Peek(look.States[i], look.Clock, look.Cost).Allowed)
	}
	return why
}

// explainOne is why a limit allows or refuses, from the state before.
func explainOne(l *aforo.Limit, s aforo.State, at, cost int64, allowed bool) Why {
	w := Why{Rule: l.Algorithm().String(), Allowed: allowed, Cost: cost,
		Capacity: l.Capacity(), Rate: l.Rate(), Period: l.Period().Microseconds()}
	u := measure(l, s, at)
	switch l.Algorithm() {
	case aforo.TokenBucket, aforo.LeakyBucket:
		w.bucket(l, s, u)
	case aforo.FixedWindow:
		w.From, w.Count = new(u.state.At*l.Tick()), &u.num
	case aforo.SlidingWindowLog:
		w.From, w.Count = new(at-w.Period), &u.num
	case aforo.SlidingWindowCounter:
		w.From, w.Count = new(u.state.At*l.Tick()), &u.state.Used
		w.Previous, w.Overlap = &u.state.Prev, new(u.overlap()*l.Tick())
		w.Weighted = decimal(u.state.Prev*u.overlap(), u.den, true)
	}
	return w
}

// bucket tells what was in it at the last use and what is in it now.
func (w *Why) bucket(l *aforo.Limit, s aforo.State, u usage) {
	before := usage{num: s.Used, den: u.den}
	elapsed := int64(0)
	if s.Used > 0 {
		elapsed = max(0, u.now-s.At) * l.Tick()
	}
	w.Elapsed = &elapsed
	if l.Algorithm() == aforo.TokenBucket {
		w.TokensBefore, w.Tokens = before.left(w.Capacity), u.left(w.Capacity)
		return
	}
	w.QueuedBefore, w.Queued = before.used(), u.used()
}
