package properties

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// everyOrder makes a limiter of each order in which limits can be listed, with
// a clock that stands.
func everyOrder(t *testing.T, texts ...string) (limiters []*aforo.Limiter) {
	t.Helper()
	permute(texts, func(order []string) {
		var list []aforo.Limit
		for _, text := range order {
			l, err := aforo.ParseLimit(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, l)
		}
		ls, err := aforo.NewLimits(list...)
		if err != nil {
			t.Fatal(err)
		}
		l, err := aforo.NewLimiter(ls, aforo.WithClock(func() time.Time { return time.UnixMicro(today) }))
		if err != nil {
			t.Fatal(err)
		}
		limiters = append(limiters, l)
	})
	return limiters
}

func permute(texts []string, with func([]string)) {
	if len(texts) == 0 {
		with(nil)
	}
	for i, first := range texts {
		rest := slices.Delete(slices.Clone(texts), i, i+1)
		permute(rest, func(order []string) { with(append([]string{first}, order...)) })
	}
}

// Of a limit of nothing there is no share that could be the least. The order in
// which it is listed matters no more than that of the others.
func TestALimitOfNothingDoesNotMakeOrderMatter(t *testing.T) {
	ctx := context.Background()
	for _, cost := range []int64{0, 1, math.MaxInt64} {
		var first aforo.Decision
		for i, l := range everyOrder(t, "fixed_window 0/us", "fixed_window 1/us", "fixed_window 100/m", "fixed_window 3/13s") {
			if err := l.Charge(ctx, "key", 1); err != nil {
				t.Fatal(err)
			}
			d, err := l.Peek(ctx, "key", cost)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = d
			}
			if d != first {
				t.Errorf("a look at %d by %v: %+v, and in another order %+v", cost, l.Limits(), d, first)
				break
			}
		}
	}
}

// What never fits is refused in the name of the same limit in any order, and of
// the one that a decision reports.
func TestNeverIsSaidInTheNameOfTheSameLimit(t *testing.T) {
	ctx := context.Background()
	for _, l := range everyOrder(t, "5/s", "3/m", "fixed_window 4/h") {
		d, err := l.Peek(ctx, "key", 10)
		if err != nil {
			t.Fatal(err)
		}
		var never *aforo.NeverError
		if err := l.WaitN(ctx, "key", 10); !errors.As(err, &never) || never.Limit != d.Name || never.Capacity != d.Limit {
			t.Errorf("%v: %v, but a decision reports %s", l.Limits(), err, d.Name)
		}
	}
}

// The largest charge of several limits is one that all of them can hold.
func TestTheLargestChargeIsThatOfAllLimits(t *testing.T) {
	ctx := context.Background()
	for _, l := range everyOrder(t, "fixed_window 5/s", "3/m", "sliding_window_counter 7/h") {
		var debt *aforo.DebtError
		if err := l.Charge(ctx, "key", math.MaxInt64); !errors.As(err, &debt) {
			t.Fatal(err)
		}
		if err := l.Charge(ctx, "key", debt.Largest+1); err == nil {
			t.Errorf("%v: %v, but one more was held", l.Limits(), debt)
		}
		if err := l.Charge(ctx, "key", debt.Largest); err != nil {
			t.Errorf("%v: %v, but then: %v", l.Limits(), debt, err)
		}
	}
}
