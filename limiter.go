package aforo

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// A Limiter decides by key. Make one for each thing that is limited and keep
// it: one that is made anew for every request has seen nothing, and limits
// nothing. Its methods may be called concurrently.
//
// Keys are any bytes, and two different keys never share state. Beyond 256
// bytes a key is kept as its beginning and its SHA-256.
type Limiter struct {
	name      string
	limits    Limits
	limitsFor func(ctx context.Context, key string) Limits
	store     Store
	memory    *Memory // the store, if it is in this process: then nothing is allocated
	clock     func() time.Time
	failure   failure
	one       []Limit  // the only limit there ever is, with a memory store; or nil
	space     identity // of the name, in a memory store
	lines     lines
}

// New makes a limiter from limits as text, such as "100/minute burst 20" or
// "10/s burst 20, 1000/h": see ParseLimits. Errors about the text are
// *LimitError.
func New(limits string, options ...Option) (*Limiter, error) {
	ls, err := ParseLimits(limits)
	if err != nil {
		return nil, err
	}
	return NewLimiter(ls, options...)
}

// NewLimiter makes a limiter from limits that were made before.
func NewLimiter(limits Limits, options ...Option) (*Limiter, error) {
	if limits.Len() == 0 {
		_, err := NewLimits()
		return nil, err
	}
	l := &Limiter{limits: limits}
	for _, option := range options {
		if option == nil {
			continue
		}
		if err := option(l); err != nil {
			return nil, err
		}
	}
	if l.store != nil && l.clock != nil {
		return nil, errors.New("aforo: WithClock does not go with WithStore: give the clock to the store; for example: aforo.NewMemory(aforo.WithMemoryClock(clock))")
	}
	if l.store == nil {
		l.store = NewMemory(WithMemoryClock(l.clock))
	}
	if l.memory, _ = l.store.(*Memory); l.memory == nil {
		l.store = l.failure.guard(l.store)
	}
	if list := l.limits.list; len(list) == 1 && list[0].name == "" && l.name != "" {
		l.limits = Limits{[]Limit{list[0].Named(l.name)}}
	}
	if l.memory != nil {
		l.space = l.memory.hashing.space(l.name)
		if one := l.limits.list; len(one) == 1 && l.limitsFor == nil && !one[0].unlimited {
			l.one = one
		}
	}
	return l, nil
}

// Must makes a limiter of one limit and panics if it is wrong: for limits that
// are written in the program.
//
//	var perUser = aforo.Must(aforo.PerMinute(100).Burst(20))
func Must(limit Limit, options ...Option) *Limiter {
	limits, err := NewLimits(limit)
	if err != nil {
		panic(err)
	}
	l, err := NewLimiter(limits, options...)
	if err != nil {
		panic(err)
	}
	return l
}

// Name is the limiter's name.
func (l *Limiter) Name() string { return l.name }

// Limits are the limiter's limits for keys that have none of their own.
func (l *Limiter) Limits() Limits { return l.limits }

// Allow decides a request that costs 1 unit, and counts it if it is allowed.
// An error means that no decision could be made.
func (l *Limiter) Allow(ctx context.Context, key string) (Decision, error) {
	return l.AllowN(ctx, key, 1)
}

// AllowN decides a request that costs units, and counts it if it is allowed. A
// cost of 0 only looks. A request that costs much can be refused for as long as
// cheaper ones keep coming. Allow does not stand in line: those who wait for the
// key go first if their turn has come, and are overtaken if it has not.
func (l *Limiter) AllowN(ctx context.Context, key string, cost int64) (d Decision, err error) {
	if l.one != nil && ctx != nil && ctx.Err() == nil && cost > 0 && len(key) <= maxKey && l.lines.waiting.Load() == 0 {
		err = l.memory.allow(l.one, l.space, key, cost, &d)
		return d, err
	}
	var call Call
	if err := l.call(ctx, &call, OpTake, key, cost); err != nil {
		return Decision{}, err
	}
	l.lines.serve(call.Key)
	err = l.decide(ctx, &call, &d)
	return d, err
}

// AllowEach is AllowN that also appends what each of the limits says to each,
// in the order of the limiter's limits. Of a request that is refused, a limit
// that would have allowed it says so, and shows what remains of it.
func (l *Limiter) AllowEach(ctx context.Context, key string, cost int64, each []Decision) (Decision, []Decision, error) {
	var call Call
	if err := l.call(ctx, &call, OpTake, key, cost); err != nil {
		return Decision{}, each, err
	}
	l.lines.serve(call.Key)
	var d Decision
	err := l.decideEach(ctx, &call, &each, &d)
	return d, each, err
}

// Peek is the decision that a request of cost units would get. It changes
// nothing.
func (l *Limiter) Peek(ctx context.Context, key string, cost int64) (d Decision, err error) {
	var call Call
	if err := l.call(ctx, &call, OpPeek, key, cost); err != nil {
		return Decision{}, err
	}
	err = l.decide(ctx, &call, &d)
	return d, err
}

// Charge counts units whether they fit or not, for a cost that is known only
// afterwards. The key may go into debt: later requests wait until it is
// repaid. If the debt could not be held exactly, nothing is charged and the
// error is a *DebtError.
func (l *Limiter) Charge(ctx context.Context, key string, units int64) error {
	return l.change(ctx, OpCharge, key, units)
}

// Refund gives back up to units, never beyond full.
func (l *Limiter) Refund(ctx context.Context, key string, units int64) error {
	return l.change(ctx, OpRefund, key, units)
}

// Reset forgets the key.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	return l.change(ctx, OpReset, key, 0)
}

func (l *Limiter) change(ctx context.Context, op Op, key string, units int64) error {
	var call Call
	if err := l.call(ctx, &call, op, key, units); err != nil || call.Limits == nil {
		return err
	}
	if err := l.store.Do(ctx, call, nil); err != nil {
		return err
	}
	if op == OpCharge {
		l.lines.serve(call.Key) // they now know better when they may go
	} else {
		l.lines.retry(call.Key)
	}
	return nil
}

// call checks what the caller gave, and makes a call of it. No limits in it mean
// that none applies.
func (l *Limiter) call(ctx context.Context, call *Call, op Op, key string, cost int64) error {
	if ctx == nil {
		return ErrNoContext
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if cost < 0 {
		return &CostError{Op: op, Cost: cost}
	}
	if l.store == nil {
		return errZero
	}
	call.Op, call.Name, call.Key, call.Cost = op, l.name, boundKey(key), cost
	call.Limits = l.limitsOf(ctx, key)
	return nil
}

// errZero is for a Limiter that New has not made: it has no limits, which is not
// to be taken for being unlimited.
var errZero = errors.New("aforo: this Limiter was not made by New; for example: aforo.New(\"100/minute burst 20\")")

// limitsOf are the limits that hold for a key, nil if it is unlimited.
func (l *Limiter) limitsOf(ctx context.Context, key string) []Limit {
	limits := l.limits.list
	if l.limitsFor != nil {
		if own := l.limitsFor(ctx, key); own.Len() > 0 {
			limits = own.list
		}
	}
	if limits[0].unlimited {
		return nil
	}
	return limits
}

const maxKey = 256

// boundKey bounds what a key costs to keep. What it makes of a longer key is
// longer than any key that is kept as it is, so that the two never meet.
func boundKey(key string) string {
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return key[:maxKey+1-len(sum)] + string(sum[:])
}

// decide makes a decision of a call.
func (l *Limiter) decide(ctx context.Context, call *Call, d *Decision) error {
	return l.decideEach(ctx, call, nil, d)
}

// decideEach is decide that also appends what each limit says, unless each is
// nil. With the memory store everything stays on the stack; through the
// interface it cannot.
func (l *Limiter) decideEach(ctx context.Context, call *Call, each *[]Decision, d *Decision) error {
	n := len(call.Limits)
	switch {
	case n == 0:
		*d = combine(nil, nil)
		return nil
	case l.memory == nil:
		verdicts := make([]Verdict, n)
		err := l.store.Do(ctx, *call, verdicts)
		return decisions(call, verdicts, err, each, d)
	case n > maxAtOnce:
		var verdicts [maxLimits]Verdict
		err := l.memory.do(call, l.space, verdicts[:n])
		return decisions(call, verdicts[:n], err, each, d)
	}
	var verdicts [maxAtOnce]Verdict // which is to be zeroed faster
	err := l.memory.do(call, l.space, verdicts[:n])
	return decisions(call, verdicts[:n], err, each, d)
}

// decisions makes a decision of verdicts, if there are any, and one of each.
func decisions(call *Call, verdicts []Verdict, err error, each *[]Decision, d *Decision) error {
	if err != nil {
		return err
	}
	for i := range verdicts {
		if each != nil {
			var one Decision
			verdicts[i].decision(&call.Limits[i], &one)
			*each = append(*each, one)
		}
	}
	if len(verdicts) == 1 {
		verdicts[0].decision(&call.Limits[0], d)
		return nil
	}
	*d = combine(call.Limits, verdicts)
	return nil
}
