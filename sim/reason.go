package sim

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aforo-dev/aforo"
)

// A Reason is why one limit decided as it did: the numbers of its rule. String
// is a sentence of them; others may write their own.
type Reason struct {
	Algorithm aforo.Algorithm // 0 if unlimited
	Allowed   bool
	Cost      int64
	Capacity  int64         // N
	Period    time.Duration // of a window or a log

	// Held is the Gauge before the decision.
	Held float64

	// Previous, Weight and Current are of a sliding window counter: the two
	// counts, and how much of the previous window still counts, 0 to 1.
	Previous, Current int64
	Weight            float64

	Retry int64 // microseconds; 0 if allowed, -1 is never
	Delay int64 // microseconds; -1 is never
}

// reason is why a limit decides on a state as it does.
func reason(l aforo.Limit, s aforo.State, at, cost int64) Reason {
	v := l.Peek(s, at, cost)
	r := Reason{Algorithm: l.Algorithm(), Allowed: v.Allowed, Cost: cost, Capacity: l.Capacity(), Period: l.Period(),
		Retry: v.Retry, Delay: v.Delay, Held: Gauge(l, s, at)}
	if r.Algorithm == aforo.SlidingWindowCounter {
		r.Previous, r.Weight, r.Current = weigh(l, s, at)
	}
	return r
}

// String is the reason as a sentence.
func (r Reason) String() string {
	if r.Algorithm == 0 {
		return "no limit"
	}
	if r.Cost > r.Capacity {
		return fmt.Sprintf("%d never fits into %d: refused", r.Cost, r.Capacity)
	}
	if r.Allowed {
		return r.finding() + r.outcome()
	}
	return r.finding() + ": refused, " + r.wait()
}

// finding is what the limit finds.
func (r Reason) finding() string {
	held, cost, n := number(r.held()), r.Cost, r.Capacity
	switch r.Algorithm {
	case aforo.TokenBucket:
		return fmt.Sprintf("%s of %d tokens are there, %d needed", held, n, cost)
	case aforo.LeakyBucket:
		return fmt.Sprintf("%s queued, and %d more of at most %d", held, cost, n)
	case aforo.FixedWindow:
		return fmt.Sprintf("%s in this window, and %d more of at most %d", held, cost, n)
	case aforo.SlidingWindowLog:
		return fmt.Sprintf("%s in the last %v, and %d more of at most %d", held, brief(r.Period), cost, n)
	}
	return fmt.Sprintf("%d x %s of the previous window + %d of this one = %s, and %d more of at most %d",
		r.Previous, number(r.Weight), r.Current, held, cost, n)
}

// held is Held in thousandths, rounded to the side of a refusal: tokens down, what is
// used up. Rounded to the nearest, a request would be refused though the sentence
// says that it fits. What floating point adds to a whole thousandth is left out.
func (r Reason) held() float64 {
	const noise = 1e-6
	if r.Algorithm == aforo.TokenBucket {
		return math.Floor(1000*r.Held+noise) / 1000
	}
	return max(0, math.Ceil(1000*r.Held-noise)) / 1000 // not -0
}

// outcome is what comes of a request that is allowed.
func (r Reason) outcome() string {
	switch {
	case r.Delay < 0:
		return ": allowed, never released"
	case r.Delay > 0:
		return ": allowed, released in " + brief(micros(r.Delay))
	}
	return ": allowed"
}

// wait is after how long a request that is refused fits.
func (r Reason) wait() string {
	if r.Retry < 0 {
		return "and waiting does not help"
	}
	return "it fits in " + brief(micros(r.Retry))
}

// number writes at most three digits after the point.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// brief writes a time without the zeros at its end: 1m, not 1m0s.
func brief(d time.Duration) string {
	text := d.String()
	for _, zeros := range []string{"m0s", "h0m"} {
		if n := len(text) - len(zeros); n > 0 && text[n:] == zeros {
			text = text[:n+1]
		}
	}
	return text
}

// begin is an event of what a decision finds.
func (m *measure) begin(q *question, store int, clock int64) Event {
	e := Event{At: q.at, Decided: q.decided, Client: m.load.name(q.client), Key: m.load.name(q.key), Cost: q.cost, Instance: q.instance}
	kept := m.stores[store].of(q.key)
	for i, l := range m.limits {
		r := reason(l, kept[i], clock, q.cost)
		e.Limits = append(e.Limits, LimitEvent{Before: r.Held, Reason: r})
	}
	return e
}

// tell adds what came of it.
func (m *measure) tell(e *Event, store int, key uint32, clock int64, a *answer) {
	e.Allowed, e.Retry, e.Delay = a.allowed, a.retry, a.delay
	kept := m.stores[store].of(key)
	for i, l := range m.limits {
		e.Limits[i].Verdict = a.verdicts[i]
		e.Limits[i].After = Gauge(l, kept[i], clock)
	}
}
