package aforo

import "time"

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
	defer ln.mu.Unlock()
	place := -1
	for i := len(ln.turns) - 1; i >= 0 && place < 0; i-- {
		if ln.turns[i] == t {
			place = i
		}
	}
	if place < 0 {
		return 0, nil // it has come
	}
	head := max(0, time.Until(ln.due))
	p := ln.plan
	if place < len(ln.turns)-1 || p == nil || time.Since(p.begun) > planAge || &p.limits[0] != &t.limits[0] {
		if p = ln.newPlan(t); p == nil {
			return head, nil
		}
	}
	rest := ln.turns[:place+1]
	if p.last != nil { // those after it
		for i := len(rest) - 1; i >= 0; i-- {
			if rest[i] == p.last {
				rest = rest[i+1:]
				break
			}
		}
	}
	for _, next := range rest {
		p.add(next)
	}
	if place == len(ln.turns)-1 {
		ln.plan = p
	}
	if p.over {
		return Never, p.never
	}
	wait := micros(p.at-p.now).duration() - time.Since(p.begun)
	return max(head, wait), nil
}

// newPlan begins a plan, nil if the store does not show its states.
func (ln *line) newPlan(t *turn) *plan {
	reader, ok := ln.limiter.store.(StateReader)
	if !ok {
		return nil
	}
	call := Call{Op: OpPeek, Name: ln.limiter.name, Key: ln.key, Limits: t.limits}
	p := &plan{limits: t.limits, states: make([]State, len(t.limits)), begun: time.Now()}
	now, err := reader.States(t.ctx, call, p.states)
	if err != nil {
		return nil
	}
	p.now, p.at = now, now
	return p
}

// add plans one more turn: as soon as it fits after those before it.
func (p *plan) add(t *turn) {
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
