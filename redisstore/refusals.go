package redisstore

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/aforo-dev/aforo"
)

// refusals are what the server has refused and will still refuse: a state that
// nobody gives back to only loses room but for the passing of time. One is kept for
// each name and key, the last.
type refusals struct {
	bySubject *lru.Cache[string, *refusal] // nil if none are remembered
	any       atomic.Bool                  // there has been one
	seed      maphash.Seed
	given     [256]atomic.Uint64 // how often something was given back, by the hash of the subject
}

// A refusal is the states by which the server has refused.
type refusal struct {
	limits   []aforo.Limit
	cost     int64
	states   []aforo.State
	at       int64 // the server's clock, in microseconds
	until    int64 // when the cost may fit, on the same clock
	sent     int64 // on this process's clock: between the two
	received int64 // it was at at the server
}

func newRefusals(most int) *refusals {
	if most == 0 {
		return &refusals{seed: maphash.MakeSeed()}
	}
	cache, err := lru.New[string, *refusal](most)
	if err != nil {
		panic(err) // most is positive
	}
	return &refusals{bySubject: cache, seed: maphash.MakeSeed()}
}

// subject is the part of a state's key that is the same for all limits of a name
// and key.
func subject(key string) string {
	return key[:strings.LastIndexByte(key, '}')]
}

// answer refuses a call if it was refused before and that still holds. The server's
// clock has moved at least as far as this process's since the answer came, and at
// most as far as since the call was sent. By the latter the refusal ends, so that
// nobody is refused for longer than by the server; by the former is said how long it
// lasts, so that nobody who waits for that long comes too early.
func (r *refusals) answer(subject string, call *aforo.Call, elapsed int64, verdicts []aforo.Verdict) bool {
	if !r.any.Load() || call.Prompt || call.At != 0 {
		return false
	}
	known, ok := r.bySubject.Get(subject)
	if !ok || known.cost != call.Cost || !slices.EqualFunc(known.limits, call.Limits, same) {
		return false
	}
	if known.at+elapsed-known.sent >= known.until {
		r.bySubject.Remove(subject)
		return false
	}
	if call.Decide(known.states, known.at+elapsed-known.received, verdicts) {
		return false
	}
	for i := range verdicts {
		verdicts[i].Source = aforo.SourceRemembered
	}
	return true
}

func same(a, b aforo.Limit) bool { return a.String() == b.String() }

// givenBack counts what was given back to a subject, and to some others. A refusal is
// remembered only if nothing was while its call was on its way: the server may have
// refused before.
func (r *refusals) givenBack(subject string) *atomic.Uint64 {
	return &r.given[maphash.String(r.seed, subject)%uint64(len(r.given))]
}

// add remembers a refusal, unless waiting does not help: it might be given back. Given
// is what givenBack was when the call was sent.
func (r *refusals) add(subject string, call *aforo.Call, found *answer, sent, received int64, given uint64, verdicts []aforo.Verdict) {
	if r.bySubject == nil || call.Prompt || call.At != 0 || !foresees(call) {
		return
	}
	wait := int64(0)
	for i := range verdicts {
		if verdicts[i].Retry < 0 {
			return
		}
		wait = max(wait, verdicts[i].Retry)
	}
	r.any.Store(true)
	r.bySubject.Add(strings.Clone(subject), &refusal{call.Limits, call.Cost, slices.Clone(found.states), found.now, found.now + wait, sent, received})
	if r.givenBack(subject).Load() != given {
		r.bySubject.Remove(subject)
	}
}

// foresees tells whether the states that were found say how a refusal goes on. Those
// of logs say it of what the cost waits for, and so, if that is one unit, of all.
func foresees(call *aforo.Call) bool {
	for i := range call.Limits {
		if call.Limits[i].Algorithm() == aforo.SlidingWindowLog && (call.Cost != 1 || len(call.Limits) > 1) {
			return false
		}
	}
	return true
}

// giveBack forgets what was refused to a name and key, and what is just being refused.
func (r *refusals) giveBack(subject string) {
	r.givenBack(subject).Add(1)
	r.forget(subject)
}

// forget forgets what was refused to a name and key.
func (r *refusals) forget(subject string) {
	if r.any.Load() {
		r.bySubject.Remove(subject)
	}
}
