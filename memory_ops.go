package aforo

// What a call does to the partition of its key, which the caller holds. Each
// function tells by how many states there are more afterwards.

// take decides for all limits before it counts for any.
func (p *partition) take(call *Call, id identity, now int64, verdicts []Verdict) (more int) {
	if len(call.Limits) > maxAtOnce {
		var space [maxLimits]judged
		return p.takeAll(call, id, now, verdicts, space[:len(call.Limits)])
	}
	var space [maxAtOnce]judged // which is to be zeroed faster
	return p.takeAll(call, id, now, verdicts, space[:len(call.Limits)])
}

// judged is a state that has been judged, and the instant of that.
type judged struct {
	state State
	dated int64
}

func (p *partition) takeAll(call *Call, id identity, now int64, verdicts []Verdict, list []judged) (more int) {
	allowed := true
	for i := range list {
		l := &call.Limits[i]
		list[i].state, _ = p.get(l, id.of(l))
		list[i].dated = call.judge(l, &list[i].state, now, &verdicts[i])
		allowed = allowed && verdicts[i].Allowed
	}
	for i := range list {
		l, state := &call.Limits[i], &list[i].state
		switch {
		case !allowed && verdicts[i].Allowed: // it shows its state as it is
			l.decide(state, now, 0, &verdicts[i])
		case allowed && call.counts():
			l.use(state, list[i].dated, call.Cost)
			more += p.set(l, id.of(l), state, now)
		}
	}
	return more
}

// judge sets the verdict of one limit, and returns the instant to which its use
// is dated.
func (call *Call) judge(l *Limit, s *State, now int64, v *Verdict) (dated int64) {
	if call.Prompt {
		return l.prompt(s, now, call.Cost, call.At != 0, v)
	}
	l.decide(s, now, call.Cost, v)
	return now
}

// counts tells whether the call counts what it is allowed.
func (call *Call) counts() bool { return call.Op == OpTake && call.Cost > 0 }

// charge finds out whether all limits can hold it before it charges any.
func (p *partition) charge(call *Call, id identity, now int64) (more int, err error) {
	if call.Cost == 0 {
		return 0, nil
	}
	largest := int64(maxExact)
	for i := range call.Limits {
		l := &call.Limits[i]
		state, _ := p.get(l, id.of(l))
		largest = min(largest, l.headroom(&state, now))
	}
	if call.Cost > largest {
		return 0, &DebtError{Units: call.Cost, Largest: largest}
	}
	for i := range call.Limits {
		l := &call.Limits[i]
		state, _ := p.get(l, id.of(l))
		l.use(&state, now, call.Cost)
		more += p.set(l, id.of(l), &state, now)
	}
	return more, nil
}

// giveBack carries out OpRefund and OpUndo.
func (p *partition) giveBack(call *Call, id identity, now int64) (more int) {
	for i := range call.Limits {
		l := &call.Limits[i]
		state, ok := p.get(l, id.of(l))
		switch {
		case !ok:
			continue
		case call.Op == OpUndo:
			state = l.Undo(state, now, call.At, call.Cost)
		default:
			state = l.Refund(state, now, call.Cost)
		}
		more += p.set(l, id.of(l), &state, now)
	}
	return more
}

// reset forgets the key.
func (p *partition) reset(call *Call, id identity) (more int) {
	for i := range call.Limits {
		l := &call.Limits[i]
		more -= p.drop(l, id.of(l))
	}
	return more
}

// hasAll tells whether no limit of the call would need a new state.
func (p *partition) hasAll(call *Call, id identity) bool {
	for i := range call.Limits {
		l := &call.Limits[i]
		if _, ok := p.get(l, id.of(l)); !ok {
			return false
		}
	}
	return true
}
