package sim

import "github.com/aforo-dev/aforo"

// A Look is what a store holds of a key when it decides about it, for those who
// draw it or explain it: see Options.Watch.
type Look struct {
	After bool // the decision has been made
	Store int  // which store decides, from 0

	// Decided is when it decides; Clock is what it takes that instant to be.
	// Both are in microseconds since the Unix epoch.
	Decided, Clock int64

	Key    string
	Cost   int64
	Limits []aforo.Limit
	States []aforo.State // of each limit; not to be changed, and to be cloned if kept
}

func (m *measure) look(q *question, store int, clock int64, after bool) {
	if m.watch != nil {
		m.watch(Look{After: after, Store: store, Decided: q.decided, Clock: clock, Key: m.load.name(q.key), Cost: q.cost,
			Limits: m.limits, States: m.stores[store].of(q.key)})
	}
}
