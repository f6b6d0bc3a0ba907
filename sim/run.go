package sim

import (
	"container/heap"
	"context"
	"fmt"
	"time"

	"github.com/aforo-dev/aforo"
)

// Options are how a run goes. The zero Options are good.
type Options struct {
	// Seed chooses what is drawn: the same seed draws the same.
	Seed uint64

	// Instances are who decides. Default: one.
	Instances Instances

	// Step is how long the stretches of time are into which the Series is
	// divided; so long that there are at most 10,000, if it is shorter.
	// Default: 0, there is no Series.
	Step time.Duration

	// Events is how many decisions are kept with their reasons, from the
	// first, at most MaxEvents. Default: 0.
	Events int

	// Watch is called before and after each decision, with what is kept of its
	// key: see Look. Default: nil, nobody watches.
	Watch func(Look)

	// MaxRequests ends a run that has more with a *TooLongError, for clients
	// whose number of requests depends on the answers. Default: 0, which is a
	// tenth more than MaxRequests for a Shape, as chance may send, and no bound
	// for Traffic.
	MaxRequests int

	// Progress is called now and then with how many requests have been
	// decided, and at the end. It may be nil.
	Progress func(decided int)
}

// A TooLongError says that a run was ended because it had too many requests.
type TooLongError struct{ Most int }

// Error says what to do about it.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("aforo: the traffic has more than %d requests, which is the most: make it shorter or slower; for example: %s", e.Most, goodShape)
}

// Run plays a load through limits over virtual time, each key on its own, and
// measures what they do to it. Its errors are those of ctx and of the limits,
// and *TooLongError.
func Run(ctx context.Context, load Load, limits aforo.Limits, o Options) (Result, error) {
	if limits.Len() == 0 {
		_, err := aforo.NewLimits()
		return Result{}, err
	}
	r := newRun(load, limits, o)
	if err := r.play(ctx); err != nil {
		return Result{}, err
	}
	return r.measure.result(), nil
}

// run is one while it goes on.
type run struct {
	load     Load
	options  Options
	source   source
	balancer *balancer
	states   []states // of each store
	waiting  questions
	decided  int
	measure  *measure
}

func newRun(load Load, limits aforo.Limits, o Options) *run {
	r := &run{load: load, options: o, source: load.source(o.Seed), balancer: newBalancer(o.Instances, o.Seed)}
	r.states = newStores(limits.List(), load.names(), r.balancer.stores())
	r.measure = newMeasure(load, limits, r.states, o)
	return r
}

func (r *run) play(ctx context.Context) error {
	most := r.options.MaxRequests
	if _, shaped := r.load.(Shape); most <= 0 && shaped {
		most = MaxRequests + MaxRequests/10
	}
	for {
		at, more := r.source.next()
		switch {
		case len(r.waiting) > 0 && (!more || r.waiting[0].decided <= at):
			r.decide(heap.Pop(&r.waiting).(question))
		case !more:
			if r.options.Progress != nil {
				r.options.Progress(r.decided)
			}
			return nil
		default:
			r.ask(r.source.send())
		}
		if most > 0 && r.decided > most {
			return &TooLongError{most}
		}
		if r.decided&0xffff == 0xffff {
			if r.options.Progress != nil {
				r.options.Progress(r.decided)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

// question is a request on its way to a store.
type question struct {
	request
	instance int
	decided  int64 // when the store decides
	answered int64 // when the answer is back
	order    int
}

// ask sends a request to a store, and decides at once if that takes no time.
func (r *run) ask(one request) {
	q := question{request: one, instance: r.balancer.instance(), order: r.decided + len(r.waiting)}
	latency := r.balancer.latency()
	q.decided, q.answered = one.at+latency/2, one.at+latency
	if latency == 0 {
		r.decide(q)
		return
	}
	heap.Push(&r.waiting, q)
}

// decide decides a request, and tells who waits for the answer.
func (r *run) decide(q question) {
	r.decided++
	clock := r.balancer.clock(q.instance, q.decided)
	store := r.balancer.store(q.instance)
	answer := r.measure.before(&q, store, clock)
	r.states[store].take(q.key, clock, q.cost, answer)
	r.measure.after(&q, store, clock, answer)
	if q.from != nil {
		q.from.answer(q.request, after(q.answered, max(0, answer.delay)), answer.allowed, answer.retry)
	}
}

// questions is those on their way, the one that is decided first on top.
type questions []question

func (q questions) Len() int { return len(q) }
func (q questions) Less(i, j int) bool {
	return q[i].decided < q[j].decided || q[i].decided == q[j].decided && q[i].order < q[j].order
}
func (q questions) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *questions) Push(x any) { *q = append(*q, x.(question)) }

// Pop implements heap.Interface.
func (q *questions) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
