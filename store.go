package aforo

import (
	"context"
	"fmt"
)

// An Op is what a call does to a key.
type Op uint8

// The operations of a store.
const (
	OpTake   Op = 1 + iota // decide, and count if allowed
	OpPeek                 // decide only
	OpCharge               // count, whether it fits or not
	OpRefund               // give back
	OpUndo                 // take back what was taken at Call.At
	OpReset                // forget the key
)

// String is the operation's name, such as take.
func (op Op) String() string {
	names := [...]string{OpTake: "take", OpPeek: "peek", OpCharge: "charge", OpRefund: "refund", OpUndo: "undo", OpReset: "reset"}
	if op < OpTake || op > OpReset {
		return fmt.Sprintf("Op(%d)", uint8(op))
	}
	return names[op]
}

// A Call is one operation on one key. A Limiter makes it; a Store carries it
// out, on all of its limits or on none.
type Call struct {
	Op Op

	// Name and Key say whose usage it is: limiters of different names never
	// share state, and of equal names always do. Both are any bytes.
	Name, Key string

	// Limits are valid, different from each other, at least one and at most
	// 16, and none is Unlimited. The store must not write to them.
	Limits []Limit

	// Cost is how many units, never negative.
	Cost int64

	// At is an instant on the store's clock, in microseconds since the Unix
	// epoch, that an earlier verdict gave. OpUndo needs it: it is when the
	// units were taken. For OpTake it is 0, or when the turn of somebody who
	// waited had come: the decision falls at that instant, if it is not in
	// the future, so that being woken up late costs nobody anything.
	At int64

	// Prompt is for somebody who waits outside: OpTake and OpPeek then refuse
	// what a leaky bucket would allow with a delay, and the wait is until its
	// queue is empty. If At is set too, a leaky bucket decides one tick
	// before it, and allows a delay of that tick, if it can: so that the part
	// of a tick that is still draining is not lost.
	Prompt bool
}

// Decide sets the verdicts of an OpTake or OpPeek, from the states that a store
// keeps for the limits and its clock, in microseconds since the Unix epoch, and
// tells whether all of them allow. It is what Store says of verdicts, for stores
// that apply the rules themselves and for those that learn the states from
// elsewhere. It changes no state; if At is set, now is not after it.
func (call *Call) Decide(states []State, now int64, verdicts []Verdict) (allowed bool) {
	allowed = true
	for i := range call.Limits {
		call.judge(&call.Limits[i], &states[i], now, &verdicts[i])
		verdicts[i].Source = SourceStore
		allowed = allowed && verdicts[i].Allowed
	}
	for i := range call.Limits {
		if !allowed && verdicts[i].Allowed { // it shows its state as it is
			call.Limits[i].decide(&states[i], now, 0, &verdicts[i])
		}
	}
	return allowed
}

// A Store keeps the states of keys and applies the rules to them. The memory
// store is one; a store on a network needs one round trip a call, whatever the
// number of limits. Package storetest holds the tests that every Store passes.
type Store interface {
	// Do carries out a call in one step, as if nobody else used the key
	// meanwhile. For OpTake and OpPeek it sets verdicts, which has the
	// length of call.Limits, in their order; for the others it leaves them.
	//
	// If one limit refuses an OpTake, nothing is counted by any, and those
	// that would allow it report their state as it is. An OpCharge that
	// cannot be held exactly by all limits fails with a *DebtError, which
	// names the largest that all can hold, and charges none.
	//
	// An error means that no decision was made. Do returns soon after ctx has
	// ended. Since a context may never end, as those of reservations do not,
	// it also bounds its own time.
	Do(ctx context.Context, call Call, verdicts []Verdict) error
}

// A StateReader is a Store that can show the states it keeps. A Limiter uses
// it to foresee the turn of somebody who waits behind others.
type StateReader interface {
	// States sets states, which has the length of call.Limits, to copies of
	// what is kept for the call's key, and returns the store's clock, in
	// microseconds since the Unix epoch.
	States(ctx context.Context, call Call, states []State) (now int64, err error)
}
