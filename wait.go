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
// of ctx, or never, a *DeadlineError or *NeverError is returned at once.
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
	ln, t, err := l.stand(ctx, call)
	if err != nil {
		return err
	}
	return ln.await(ctx, t)
}

// stand joins the line, unless the turn would come too late or never.
func (l *Limiter) stand(ctx context.Context, call Call) (*line, *turn, error) {
	for i := range call.Limits {
		if call.Cost > call.Limits[i].capacity { // it need not wait for its turn to hear that
			call.Op = OpPeek
			var d Decision
			if err := l.decide(ctx, &call, &d); err != nil {
				return nil, nil, err
			}
			return nil, nil, d.never(call.Cost)
		}
	}
	ln, t := l.join(ctx, call)
	if deadline, ok := ctx.Deadline(); ok {
		wait, left := ln.foresee(t), time.Until(deadline)
		if wait > left && ln.abandon(t) {
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

// foresee is how long it is until a turn comes, if nobody but those in the line
// uses the key, and nobody leaves it. In a store that cannot show its states it
// may be less than that, for those who are not at the head.
func (ln *line) foresee(t *turn) time.Duration {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	ahead, standing := ln.until(t)
	if !standing {
		return 0 // it has come
	}
	head := max(0, time.Until(ln.due))
	reader, ok := ln.limiter.store.(StateReader)
	if !ok {
		return head
	}
	call := Call{Op: OpPeek, Name: ln.limiter.name, Key: ln.key, Limits: t.limits}
	states := make([]State, len(t.limits))
	now, err := reader.States(t.ctx, call, states)
	if err != nil {
		return head
	}
	return max(head, plan(t.limits, states, now, ahead))
}

// until is the costs in the line up to a turn, if it still stands there.
func (ln *line) until(t *turn) (costs []int64, standing bool) {
	for _, other := range ln.turns {
		costs = append(costs, other.cost)
		if other == t {
			return costs, true
		}
	}
	return nil, false
}

// plan is how long it takes from now until all of costs are admitted, one
// after the other, each as soon as it fits. It changes the states.
func plan(limits []Limit, states []State, now int64, costs []int64) time.Duration {
	verdicts := make([]Verdict, len(limits))
	dated := make([]int64, len(limits))
	at, due := now, false
	for _, cost := range costs {
		for {
			for i := range limits {
				dated[i] = limits[i].prompt(&states[i], at, cost, due, &verdicts[i])
			}
			allowed, wait := outcome(verdicts)
			if allowed {
				break
			}
			if at, due = after(at, int64(wait)), true; wait == never || at >= endOfTime {
				return Never
			}
		}
		for i := range limits {
			if cost > 0 {
				limits[i].use(&states[i], dated[i], cost)
			}
		}
	}
	return micros(at - now).duration()
}
