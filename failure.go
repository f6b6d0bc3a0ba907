package aforo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A FailurePolicy is what a Limiter answers while its store fails.
type FailurePolicy int

// The policies. FailLocal is the third.
const (
	// FailAllow decides each request as if its key had never been used: all
	// pass but those that cost more than the capacity.
	FailAllow FailurePolicy = -1

	// FailDeny refuses, and says to try again in a second.
	FailDeny FailurePolicy = -2
)

// FailLocal decides in this process, by its share of the limits: all are divided
// by how many instances there are, at least 1. What the store has allowed this
// process has been counted there as well, so that the change gives nobody a
// fresh burst. A bucket's burst is divided down to a whole number, but not below
// 1; together the instances then allow up to one unit each more than the burst.
func FailLocal(instances int) FailurePolicy { return FailurePolicy(max(instances, 0)) }

// String is allow, deny or local.
func (p FailurePolicy) String() string {
	switch {
	case p == FailAllow:
		return "allow"
	case p == FailDeny:
		return "deny"
	case p > 0:
		return "local"
	}
	return fmt.Sprintf("FailurePolicy(%d)", int(p))
}

// OnStoreFailure declares what the limiter answers while its store fails, as one
// that is reached over a network may. Decisions say by their Source who gave
// them. Charge, Refund and Reset still return the error, except with FailLocal,
// which carries them out on what this process has counted. A context that ends
// is no failure of the store. Default: the store's error, and no decision.
func OnStoreFailure(policy FailurePolicy) Option {
	return func(l *Limiter) error {
		l.failure.policy = policy
		return policy.check("OnStoreFailure")
	}
}

// A StoreFailure is a call that a store has not carried out.
type StoreFailure struct {
	Op  Op
	Key string
	Err error
}

// WithFailureHook calls a function whenever the store fails, before OnStoreFailure
// answers: to count and to log. It should be fast. Default: none.
func WithFailureHook(hook func(context.Context, StoreFailure)) Option {
	return func(l *Limiter) error {
		if hook == nil {
			return errors.New("aforo: WithFailureHook: the function is nil")
		}
		l.failure.hook = hook
		return nil
	}
}

// failure is what is declared for when the store fails.
type failure struct {
	policy FailurePolicy // 0 is none
	hook   func(context.Context, StoreFailure)
}

// failover is a store that answers as declared when another one fails.
type failover struct {
	failure
	store  Store
	local  *Memory  // with FailLocal
	shares sync.Map // of limits, by their text
}

// Failover is a store that answers as a policy says when another one fails, and calls
// a hook before, if it is not nil. OnStoreFailure puts one before the store of a
// limiter; this is for several limiters that are to share one.
func Failover(store Store, policy FailurePolicy, hook func(context.Context, StoreFailure)) (Store, error) {
	if store == nil {
		return nil, errors.New("aforo: Failover: the store is nil; for example: aforo.NewMemory()")
	}
	if err := policy.check("Failover"); err != nil {
		return nil, err
	}
	return failure{policy, hook}.guard(store), nil
}

func (p FailurePolicy) check(place string) error {
	if p < FailDeny || p == 0 {
		return fmt.Errorf("aforo: %s: there is no policy %d; for example: aforo.FailLocal(4), for 4 instances", place, int(p))
	}
	return nil
}

// guard puts a failover before a store, if anything has been declared.
func (f failure) guard(store Store) Store {
	if f.policy == 0 && f.hook == nil {
		return store
	}
	guarded := &failover{failure: f, store: store}
	if f.policy > 0 {
		guarded.local = NewMemory()
	}
	return guarded
}

// Do implements Store.
func (f *failover) Do(ctx context.Context, call Call, verdicts []Verdict) error {
	err := f.store.Do(ctx, call, verdicts)
	switch {
	case err == nil:
		f.warm(&call, verdicts)
		return nil
	case ctx.Err() != nil || isAnswer(err):
		return err
	}
	if f.hook != nil {
		f.hook(ctx, StoreFailure{call.Op, call.Key, err})
	}
	decides := call.Op == OpTake || call.Op == OpPeek
	switch {
	case f.policy > 0:
		return f.decideLocally(&call, verdicts)
	case f.policy == FailAllow && decides:
		unused(&call, verdicts)
	case f.policy == FailDeny && decides:
		deny(&call, verdicts)
	default:
		return err
	}
	return nil
}

// isAnswer tells whether an error is the answer of a store that works.
func isAnswer(err error) bool {
	var debt *DebtError
	var cost *CostError
	return errors.As(err, &debt) || errors.As(err, &cost)
}

// States implements StateReader, if the store does.
func (f *failover) States(ctx context.Context, call Call, states []State) (int64, error) {
	if reader, ok := f.store.(StateReader); ok {
		return reader.States(ctx, call, states)
	}
	return 0, errors.New("aforo: the store does not show its states")
}

// warm counts here what the store has counted, as far as it fits.
func (f *failover) warm(call *Call, verdicts []Verdict) {
	if f.local == nil || call.Op == OpPeek {
		return
	}
	if call.Op == OpTake {
		if allowed, _ := outcome(verdicts); !allowed {
			return
		}
	}
	_ = f.decideLocally(call, make([]Verdict, len(call.Limits)))
}

// decideLocally carries out a call by this process's share of its limits.
func (f *failover) decideLocally(call *Call, verdicts []Verdict) error {
	local := *call
	local.Limits = make([]Limit, len(call.Limits))
	for i := range call.Limits {
		local.Limits[i] = f.share(&call.Limits[i])
	}
	if local.Op == OpUndo { // it was counted at another time here
		local.Op, local.At = OpRefund, 0
	}
	err := f.local.do(&local, f.local.hashing.space(call.Name), verdicts)
	for i := range verdicts {
		verdicts[i].Source = SourceLocal
	}
	return err
}

// share is this process's share of a limit.
func (f *failover) share(l *Limit) Limit {
	if share, ok := f.shares.Load(l.text); ok {
		return share.(Limit)
	}
	share := l.dividedBy(int64(f.policy))
	f.shares.Store(l.text, share)
	return share
}

// dividedBy is the limit at a part of its rate: over a longer period if the rate
// is too small or, for a bucket, to be exact; a bucket's burst is divided too.
// What cannot be held exactly keeps its period, and a rate of at least 1.
func (l *Limit) dividedBy(parts int64) Limit {
	slower := func(rate, times int64) Limit {
		if l.per > time.Duration(maxLimit)*time.Microsecond/time.Duration(times) {
			return Limit{}
		}
		return Per(rate, l.per*time.Duration(times)).Using(l.algorithm)
	}
	whole := Per(min(l.rate, max(1, l.rate/parts)), l.per).Using(l.algorithm)
	share := whole
	if l.algorithm.isBucket() {
		burst := max(1, l.capacity/parts)
		share, whole = slower(l.rate, parts).Burst(burst), whole.Burst(burst)
	} else if l.rate > 0 && l.rate < parts {
		share = slower(1, (parts+l.rate-1)/l.rate)
	}
	if share.Validate() != nil {
		return whole
	}
	return share
}

// unused gives the verdicts on a key that was never used.
func unused(call *Call, verdicts []Verdict) {
	now := time.Now().UnixMicro()
	if call.At != 0 {
		now = min(now, call.At)
	}
	call.Decide(make([]State, len(call.Limits)), now, verdicts)
	for i := range verdicts {
		verdicts[i].Source = SourceAllow
	}
}

// deny refuses, for a second, or for ever what can never be allowed.
func deny(call *Call, verdicts []Verdict) {
	const second = int64(time.Second / time.Microsecond)
	for i := range verdicts {
		verdicts[i] = Verdict{Source: SourceDeny, Retry: second, Reset: second, At: time.Now().UnixMicro()}
		if call.Cost > call.Limits[i].capacity {
			verdicts[i].Retry = int64(never)
		}
	}
}
