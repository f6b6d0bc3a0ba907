package aforo

import (
	"context"
	"time"
)

// Wait returns nil when the turn of a request that costs 1 unit has come: see
// WaitN.
func (l *Limiter) Wait(ctx context.Context, key string) error {
	return l.WaitN(ctx, key, 1)
}

// WaitN returns nil when the turn of a request has come: when it fits, and all
// who waited for the same key before have gone. It has then been counted. With
// a leaky bucket that is when nobody is ahead in the queue, so that requests
// are released at exactly the drain rate.
//
// Nothing is taken before the turn comes: to give up costs nothing. If ctx ends
// first, its error is returned. If the turn would come only after the deadline
// of ctx, or never, a *DeadlineError or *NeverError is returned at once. If the
// store fails, everybody in line gets its error.
//
// Allow does not stand in line. Beside Allow on the same key, or beside other
// processes in the same store, a turn comes later than it looks, and there is no
// bound to how late: whoever has to be served in turn has to wait in turn.
func (l *Limiter) WaitN(ctx context.Context, key string, cost int64) error {
	var call Call
	if err := l.call(ctx, &call, OpTake, key, cost); err != nil || call.Limits == nil {
		return err
	}
	if l.lines.find(call.Key) == nil { // nobody waits: most need no line
		call.Prompt = true
		var d Decision
		if err := l.decide(ctx, &call, &d); err != nil || d.Allowed {
			return err
		}
	}
	ln, t, err := l.stand(ctx, ctx, key, &call)
	if err != nil {
		return err
	}
	return ln.await(ctx, t)
}

// stand joins the line, unless the turn would come too late or never. The store
// is asked under asking, which ends with ctx or lasts longer.
func (l *Limiter) stand(ctx, asking context.Context, key string, call *Call) (*line, *turn, error) {
	for i := range call.Limits {
		if call.Cost > call.Limits[i].capacity { // it need not wait for its turn to hear that
			call.Op = OpPeek
			var d Decision
			if err := l.decide(ctx, call, &d); err != nil {
				return nil, nil, err
			}
			return nil, nil, d.never(call.Cost)
		}
	}
	ln, t := l.join(asking, key, call)
	if deadline, ok := ctx.Deadline(); ok {
		wait, never := ln.foresee(t)
		left := time.Until(deadline)
		switch {
		case never != nil && ln.abandon(t):
			return nil, nil, never
		case wait > left && ln.abandon(t):
			return nil, nil, &DeadlineError{Wait: wait, Left: left}
		}
	}
	return ln, t, nil
}

// await returns when the turn has come or ctx has ended.
func (ln *line) await(ctx context.Context, t *turn) error {
	select {
	case <-t.ready:
		return t.err
	case <-ctx.Done():
	}
	if ctx.Err() == context.DeadlineExceeded {
		ln.limiter.lines.serve(ln.key) // it may come at this very moment
	}
	if ln.abandon(t) {
		return ctx.Err()
	}
	<-t.ready
	return t.err
}
