package aforo

import (
	"context"
	"sync"
	"time"
)

// A Reservation is a place in the line of a key, and after its turn has come,
// the units that were taken. Its methods may be called concurrently.
type Reservation struct {
	limiter *Limiter
	call    Call
	ctx     context.Context // never ends
	line    *line           // nil if no limit applies
	turn    *turn

	mu   sync.Mutex
	done bool // cancelled or settled
}

// Reserve takes a place in line for a request of cost units, to act on later:
// after Delay, or when Wait returns. If the cost turns out otherwise, Settle
// it; if there is nothing to act on, Cancel:
//
//	r, err := limiter.Reserve(ctx, key, estimate)
//	if err != nil {
//		return err
//	}
//	defer r.Cancel() // does nothing once it is settled
//	if err := r.Wait(ctx); err != nil {
//		return err
//	}
//	used := act()
//	return r.Settle(used)
//
// As with WaitN, a turn that would come after the deadline of ctx, or never, is
// an error at once and costs nothing.
func (l *Limiter) Reserve(ctx context.Context, key string, cost int64) (*Reservation, error) {
	var call Call
	err := l.call(ctx, &call, OpTake, key, cost)
	if err != nil {
		return nil, err
	}
	r := &Reservation{limiter: l, call: call, ctx: context.WithoutCancel(ctx)}
	if call.Limits == nil {
		return r, nil
	}
	if r.line, r.turn, err = l.stand(ctx, r.ctx, key, &call); err != nil {
		return nil, err
	}
	select {
	case <-r.turn.ready:
		err = r.turn.err
	default:
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Delay is how long it is until the turn comes, as it looks now: if nobody but
// those in line uses the key, and nobody in front of it leaves. It is 0 when the
// turn has come, or has been given up, and Never if it never comes.
func (r *Reservation) Delay() time.Duration {
	if r.line == nil {
		return 0
	}
	wait, never := r.line.foresee(r.turn)
	if never != nil {
		return Never
	}
	return wait
}

// Wait returns nil when the turn has come. If ctx ends first, its error is
// returned and the place in line is kept; if the reservation is cancelled or
// settled first, an error says so.
func (r *Reservation) Wait(ctx context.Context) error {
	if ctx == nil {
		return ErrNoContext
	}
	if r.line == nil {
		return nil
	}
	select {
	case <-r.turn.ready:
		return r.turn.err
	case <-ctx.Done():
	}
	select {
	case <-r.turn.ready: // it came at the same moment
		return r.turn.err
	default:
		return ctx.Err()
	}
}

// Cancel gives back what can be given back exactly. Before the turn that is
// everything, since nothing was taken. Afterwards it is what still counts of
// the units: see [Limit.Undo]. It does nothing on a reservation that has been
// cancelled or settled.
func (r *Reservation) Cancel() error { return r.settle(0) }

// Settle says what the request has cost in the end: more than was reserved is
// charged, less is given back as far as it still counts. A request that did
// not wait for its turn is charged in full. It does nothing on a reservation
// that has been cancelled or settled. Its errors are those of Charge.
func (r *Reservation) Settle(actual int64) error {
	if actual < 0 {
		return &CostError{Op: OpCharge, Cost: actual}
	}
	return r.settle(actual)
}

func (r *Reservation) settle(actual int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done || r.line == nil {
		return nil
	}
	r.limiter.lines.serve(r.call.Key) // the turn may come at this very moment
	r.line.abandon(r.turn)
	<-r.turn.ready
	call, taken := r.call, int64(0)
	if r.turn.err == nil {
		taken, call.At, call.Limits = call.Cost, r.turn.at, r.turn.limits
	}
	switch {
	case r.turn.err == nil && r.turn.limits == nil: // by its turn the key was unlimited
		r.done = true
		return nil
	case actual > taken:
		call.Op, call.Cost = OpCharge, actual-taken
	case actual < taken:
		call.Op, call.Cost = OpUndo, taken-actual
	default:
		r.done = true
		return nil
	}
	if err := r.limiter.store.Do(r.ctx, call, nil); err != nil {
		return err
	}
	r.done = true
	if call.Op == OpUndo {
		r.limiter.lines.retry(call.Key)
	}
	return nil
}
