package aforo

import (
	"context"
	"slices"
	"time"
)

// A plan is how a line goes on if nobody but those in it uses the key and nobody
// leaves it: the pure rules play it on copies of the states. It is kept as far as
// it has been made, so that who joins at the end adds one step.
type plan struct {
	limits []Limit
	states []State // after the last of the turns that are planned
	last   *turn   // of these, nil before the first
	at     int64   // when it comes, on the store's clock
	due    bool    // it had to wait
	over   bool    // somebody's turn never comes, or beyond the end of time
	never  error   // which of the two
	now    int64   // the store's clock when the plan was begun
	begun  time.Time
}

// planAge is how old a plan may become: others may have used the key, in ways
// that this limiter does not see.
const planAge = 5 * time.Millisecond

// foresee is how long it is until a turn comes, as it looks now; or, with an
// error, that it never does. In a store that cannot show its states it may be
// less than that, for those who are not at the head.
func (ln *line) foresee(t *turn) (time.Duration, error) {
	ln.mu.Lock()
	place := slices.Index(ln.turns, t)
	if place < 0 {
		ln.mu.Unlock()
		return 0, nil // it has come
	}
	head, upTo := max(0, time.Until(ln.due)), ln.turns[:place+1]
	if ln.limiter.memory != nil {
		defer ln.mu.Unlock()
		return ln.planUpTo(upTo).foresees(head)
	}
	// Others need not stand still while a store that may be slow is asked.
	upTo, limits := slices.Clone(upTo), t.limits
	ln.mu.Unlock()
	p := ln.newPlan(t.ctx, limits)
	for _, next := range upTo {
		p.add(next)
	}
	return p.foresees(head)
}

// planUpTo is a plan of the first in line, from what has been planned already if
// it is for the whole line. The caller holds ln.mu.
func (ln *line) planUpTo(turns []*turn) *plan {
	last := turns[len(turns)-1]
	p, rest := ln.plan, turns
	if len(turns) < len(ln.turns) || p == nil || time.Since(p.begun) > planAge || &p.limits[0] != &last.limits[0] {
		p = ln.newPlan(last.ctx, last.limits)
	}
	if p != nil {
		rest = turns[1+slices.Index(turns, p.last):] // all of them, if none is planned
	}
	for _, next := range rest {
		p.add(next)
	}
	if len(turns) == len(ln.turns) {
		ln.plan = p
	}
	return p
}

// newPlan begins a plan, nil if the store does not show its states.
func (ln *line) newPlan(ctx context.Context, limits []Limit) *plan {
	reader, ok := ln.limiter.store.(StateReader)
	if !ok {
		return nil
	}
	call := Call{Op: OpPeek, Name: ln.limiter.name, Key: ln.key, Limits: limits}
	p := &plan{limits: limits, states: make([]State, len(limits)), begun: time.Now()}
	now, err := reader.States(ctx, call, p.states)
	if err != nil {
		return nil
	}
	p.now, p.at = now, now
	return p
}

// foresees is when the last of the planned turns comes, not before head; without
// a plan, head is all that is known.
func (p *plan) foresees(head time.Duration) (time.Duration, error) {
	switch {
	case p == nil:
		return head, nil
	case p.over:
		return Never, p.never
	}
	return max(head, micros(p.at-p.now).duration()-time.Since(p.begun)), nil
}

// add plans one more turn: as soon as it fits after those before it.
func (p *plan) add(t *turn) {
	if p == nil {
		return
	}
	p.last = t
	verdicts := make([]Verdict, len(p.limits))
	dated := make([]int64, len(p.limits))
	for !p.over {
		for i := range p.limits {
			dated[i] = p.limits[i].prompt(&p.states[i], p.at, t.cost, p.due, &verdicts[i])
		}
		allowed, wait := outcome(verdicts)
		if allowed {
			break
		}
		p.at, p.due = after(p.at, int64(wait)), true
		if p.over = wait == never || p.at >= endOfTime; wait == never {
			p.never = combine(p.limits, verdicts).never(t.cost)
		}
	}
	for i := range p.limits {
		if !p.over && t.cost > 0 {
			p.limits[i].use(&p.states[i], dated[i], t.cost)
		}
	}
}
