package aforo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// aStore is a memory store that can be made to fail.
type aStore struct {
	*aforo.Memory
	err error
}

func (s *aStore) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	if s.err != nil {
		return s.err
	}
	return s.Memory.Do(ctx, call, verdicts)
}

var errDown = errors.New("the store is down")

// failing is a limiter on a store that works until it is told to fail.
func failing(t *testing.T, limits string, options ...aforo.Option) (*aforo.Limiter, *aStore) {
	t.Helper()
	store := &aStore{Memory: aforo.NewMemory()}
	l, err := aforo.New(limits, append(options, aforo.WithStore(store))...)
	if err != nil {
		t.Fatal(err)
	}
	return l, store
}

func allow(t *testing.T, l *aforo.Limiter, cost int64) aforo.Decision {
	t.Helper()
	d, err := l.AllowN(context.Background(), "k", cost)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAStoreThatFailsIsAnErrorUnlessSomethingIsDeclared(t *testing.T) {
	l, store := failing(t, "2/h")
	store.err = errDown
	if d, err := l.Allow(context.Background(), "k"); !errors.Is(err, errDown) || d.Allowed {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestFailAllow(t *testing.T) {
	l, store := failing(t, "2/h", aforo.OnStoreFailure(aforo.FailAllow))
	if d := allow(t, l, 2); !d.Allowed || d.Source != aforo.SourceStore {
		t.Errorf("while the store works: %+v", d)
	}
	store.err = errDown
	for range 5 {
		if d := allow(t, l, 1); !d.Allowed || d.Source != aforo.SourceAllow || d.Remaining != 1 || d.Limit != 2 {
			t.Errorf("while it fails: %+v", d)
		}
	}
	if d := allow(t, l, 3); d.Allowed || d.RetryAfter != aforo.Never {
		t.Errorf("a cost that can never be allowed: %+v", d)
	}
	store.err = nil
	if d := allow(t, l, 1); d.Allowed || d.Source != aforo.SourceStore {
		t.Errorf("when it works again: %+v", d)
	}
}

func TestFailDeny(t *testing.T) {
	l, store := failing(t, "2/h, 5/d", aforo.OnStoreFailure(aforo.FailDeny))
	store.err = errDown
	d := allow(t, l, 1)
	if d.Allowed || d.Source != aforo.SourceDeny || d.RetryAfter != time.Second || d.Remaining != 0 || d.Limit == 0 {
		t.Errorf("while it fails: %+v", d)
	}
	if d := allow(t, l, 3); d.RetryAfter != aforo.Never {
		t.Errorf("a cost that can never be allowed: %+v", d)
	}
	if err := l.Charge(context.Background(), "k", 1); !errors.Is(err, errDown) {
		t.Errorf("a charge that was not carried out: %v", err)
	}
}

// TestFailLocalIsWarm: what this process was allowed before is counted in its
// share, so that the store's failure gives nobody a fresh burst.
func TestFailLocalIsWarm(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		limits, _ := aforo.NewLimits(aforo.PerHour(100).Using(a))
		l, store := failing(t, limits.String(), aforo.OnStoreFailure(aforo.FailLocal(4)))
		allow(t, l, 20)
		store.err = errDown
		for i := range 10 {
			if d := allow(t, l, 1); d.Allowed != (i < 5) || d.Source != aforo.SourceLocal || d.Limit != 100 || d.Remaining != max(0, 4-int64(i)) {
				t.Errorf("%v: request %d after 20 of a share of 25: %+v", a, i, d)
			}
		}
		if err := l.Refund(context.Background(), "k", 3); err != nil {
			t.Error(err)
		}
		if d := allow(t, l, 3); !d.Allowed {
			t.Errorf("%v: after a refund of 3: %+v", a, d)
		}
	}
}

// TestSharesAreNotMoreThanTheLimit: what all instances allow together, in a long
// time, is the limit's rate.
func TestSharesAreNotMoreThanTheLimit(t *testing.T) {
	for _, text := range []string{"100/h", "3/h", "1/h burst 7", "fixed_window 3/h", "fixed_window 10/h",
		"sliding_window_log 1/h", "sliding_window_counter 7/h", "leaky_bucket 5/h burst 9", "0/s burst 2", "fixed_window 0/h"} {
		for _, instances := range []int{1, 2, 3, 7} {
			l, store := failing(t, text, aforo.OnStoreFailure(aforo.FailLocal(instances)))
			store.err = errDown
			limit := l.Limits().List()[0]
			var admitted int64
			for allow(t, l, 1).Allowed {
				admitted++
			}
			if most := max(limit.Capacity()/int64(instances), min(1, limit.Capacity())); admitted != most {
				t.Errorf("%s shared by %d: %d at once, want %d", text, instances, admitted, most)
			}
			if d := allow(t, l, 1); limit.Rate() > 0 && d.RetryAfter == aforo.Never {
				t.Errorf("%s shared by %d never recovers", text, instances)
			}
		}
	}
}

func TestAnswersOfAStoreThatWorksAreNoFailures(t *testing.T) {
	hook := func(_ context.Context, f aforo.StoreFailure) { t.Errorf("hook: %+v", f) }
	l, _ := failing(t, "2/h", aforo.OnStoreFailure(aforo.FailLocal(1)), aforo.WithFailureHook(hook))
	var debt *aforo.DebtError
	if err := l.Charge(context.Background(), "k", 1<<60); !errors.As(err, &debt) {
		t.Errorf("a debt that cannot be held: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Allow(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestTheFailureHookIsCalledForEachFailure(t *testing.T) {
	var failures []aforo.StoreFailure
	hook := func(_ context.Context, f aforo.StoreFailure) { failures = append(failures, f) }
	l, store := failing(t, "2/h", aforo.WithFailureHook(hook))
	store.err = errDown
	if _, err := l.Allow(context.Background(), "k"); !errors.Is(err, errDown) {
		t.Errorf("a hook alone answers nothing: %v", err)
	}
	if len(failures) != 1 || failures[0] != (aforo.StoreFailure{Op: aforo.OpTake, Key: "k", Err: errDown}) {
		t.Errorf("%+v", failures)
	}
}

// TestLimitersShareAFailover: what one has counted locally, the other finds.
func TestLimitersShareAFailover(t *testing.T) {
	store := &aStore{Memory: aforo.NewMemory(), err: errDown}
	shared, err := aforo.Failover(store, aforo.FailLocal(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		l, err := aforo.New("3/h", aforo.WithStore(shared))
		if err != nil {
			t.Fatal(err)
		}
		if d := allow(t, l, 1); d.Allowed != (i < 3) {
			t.Errorf("limiter %d: %+v", i, d)
		}
	}
	if _, err := aforo.Failover(nil, aforo.FailAllow, nil); err == nil {
		t.Error("a failover of no store was made")
	}
}

func TestWaitGoesOnAsDeclared(t *testing.T) {
	l, store := failing(t, "1/h", aforo.OnStoreFailure(aforo.FailAllow))
	store.err = errDown
	for range 3 {
		if err := l.Wait(context.Background(), "k"); err != nil {
			t.Error(err)
		}
	}
}

func TestPoliciesThatAreNone(t *testing.T) {
	for _, p := range []aforo.FailurePolicy{0, -3, aforo.FailLocal(0), aforo.FailLocal(-1)} {
		if _, err := aforo.New("1/s", aforo.OnStoreFailure(p)); err == nil {
			t.Errorf("policy %d was taken", int(p))
		}
		if _, err := aforo.Failover(aforo.NewMemory(), p, nil); err == nil {
			t.Errorf("a failover by policy %d was made", int(p))
		}
	}
	for want, p := range map[string]aforo.FailurePolicy{"allow": aforo.FailAllow, "deny": aforo.FailDeny, "local": aforo.FailLocal(3)} {
		if p.String() != want {
			t.Errorf("%v is not %s", p, want)
		}
	}
}
