package storetest

import (
	"errors"

	"github.com/aforo-dev/aforo"
)

// A model is what a store should do, spelled out with the pure rules: it keeps
// every state for ever and knows nothing of time but what it is told.
type model map[modelKey]aforo.State

type modelKey struct{ name, key, limit string }

func (m model) at(call *aforo.Call, i int) modelKey {
	return modelKey{call.Name, call.Key, call.Limits[i].String()}
}

func (m model) do(call aforo.Call, now int64, verdicts []aforo.Verdict) error {
	switch call.Op {
	case aforo.OpTake, aforo.OpPeek:
		if call.At != 0 {
			now = min(now, call.At)
		}
		m.decide(&call, now, verdicts)
	case aforo.OpCharge:
		return m.charge(&call, now)
	default:
		for i := range call.Limits {
			l, at := &call.Limits[i], m.at(&call, i)
			switch call.Op {
			case aforo.OpRefund:
				m[at] = l.Refund(m[at], now, call.Cost)
			case aforo.OpUndo:
				m[at] = l.Undo(m[at], now, call.At, call.Cost)
			case aforo.OpReset:
				delete(m, at)
			}
		}
	}
	return nil
}

func (m model) decide(call *aforo.Call, now int64, verdicts []aforo.Verdict) {
	allowed := true
	dated := make([]int64, len(call.Limits))
	for i := range call.Limits {
		l, state := &call.Limits[i], m[m.at(call, i)]
		verdicts[i], dated[i] = l.Peek(state, now, call.Cost), now
		if call.Prompt && call.Cost > 0 && l.Algorithm() == aforo.LeakyBucket {
			verdicts[i], dated[i] = prompt(l, state, now, call)
		}
		allowed = allowed && verdicts[i].Allowed
	}
	for i := range call.Limits {
		l, at := &call.Limits[i], m.at(call, i)
		switch {
		case allowed && call.Op == aforo.OpTake:
			m[at], _ = l.Take(m[at], dated[i], call.Cost)
		case !allowed && verdicts[i].Allowed:
			verdicts[i] = l.Peek(m[at], now, 0)
		}
	}
}

// prompt is what a leaky bucket says to somebody who waits outside.
func prompt(l *aforo.Limit, state aforo.State, now int64, call *aforo.Call) (v aforo.Verdict, dated int64) {
	if tick := l.Tick(); call.At != 0 {
		v = l.Peek(state, now-tick, call.Cost)
		if v.Allowed && v.Delay == tick {
			v.Reset, v.Delay, v.At = v.Reset-tick, 0, now
			return v, now - tick
		}
	}
	v = l.Peek(state, now, call.Cost)
	if v.Allowed && v.Delay == 0 || call.Cost > l.Capacity() {
		return v, now
	}
	v = l.Peek(state, now, 0)
	v.Allowed, v.Retry = false, v.Reset
	return v, now
}

func (m model) charge(call *aforo.Call, now int64) error {
	var least *aforo.DebtError
	for i := range call.Limits {
		_, err := call.Limits[i].Charge(m[m.at(call, i)].Clone(), now, call.Cost)
		var debt *aforo.DebtError
		if errors.As(err, &debt) && (least == nil || debt.Largest < least.Largest) {
			least = debt
		}
	}
	if least != nil {
		return least
	}
	for i := range call.Limits {
		at := m.at(call, i)
		m[at], _ = call.Limits[i].Charge(m[at], now, call.Cost)
	}
	return nil
}
