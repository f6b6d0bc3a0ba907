package simulate

import (
	"context"
	"fmt"

	"github.com/aforo-dev/aforo"
)

// A book is the store of a simulation: it applies the rules to states that it
// keeps for ever, so that nothing depends on what a real store would have
// dropped, at an instant that is set from outside. It writes down the reason of
// each decision.
type book struct {
	now    int64 // microseconds since the Unix epoch
	states map[string][]aforo.State
	why    []Why // of the last decision, one for each limit
}

func newBook() *book { return &book{states: make(map[string][]aforo.State)} }

// Do implements aforo.Store for OpTake, which is all that a simulation does.
func (b *book) Do(_ context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	if call.Op != aforo.OpTake {
		return fmt.Errorf("a simulation does not %v", call.Op)
	}
	states := b.of(call.Key, len(call.Limits))
	b.why = make([]Why, len(call.Limits))
	all := true
	for i := range call.Limits {
		l := &call.Limits[i]
		verdicts[i] = l.Peek(states[i], b.now, call.Cost)
		all = all && verdicts[i].Allowed
		b.why[i] = explain(l, states[i], b.now, call.Cost, verdicts[i].Allowed)
	}
	for i := range call.Limits {
		if l := &call.Limits[i]; all {
			states[i], verdicts[i] = l.Take(states[i], b.now, call.Cost)
		} else if verdicts[i].Allowed { // it shows the state as it is
			verdicts[i] = l.Peek(states[i], b.now, 0)
		}
	}
	return nil
}

// of is the states of a key.
func (b *book) of(key string, limits int) []aforo.State {
	if b.states[key] == nil {
		b.states[key] = make([]aforo.State, limits)
	}
	return b.states[key]
}
