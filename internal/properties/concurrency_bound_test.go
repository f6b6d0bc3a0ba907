package properties

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// standing is a limiter whose clock stands still.
func standing(l aforo.Limit) *aforo.Limiter {
	return aforo.Must(l, aforo.WithClock(func() time.Time { return time.UnixMicro(today) }))
}

// As long as the clock stands, exactly the capacity is admitted, however many
// ask at once.
func TestAStandingClockAdmitsExactlyTheCapacity(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		const capacity = 500
		l := standing(aforo.PerSecond(capacity).Using(a))
		var admitted atomic.Int64
		err := together(16, func(id int) error {
			cost := int64(1 + id%2*2) // 1 or 3
			for range 100 {
				d, err := l.AllowN(context.Background(), "key", cost)
				if err != nil {
					return err
				}
				if d.Allowed {
					admitted.Add(cost)
				}
			}
			return nil
		})
		if err != nil || admitted.Load() != capacity {
			t.Errorf("%v: %d units admitted, want %d: %v", l.Limits(), admitted.Load(), capacity, err)
		}
	}
}

// A gauge counts the units that are held, and remembers the most.
type gauge struct{ held, most atomic.Int64 }

func (g *gauge) take(units int64) {
	now := g.held.Add(units)
	for {
		most := g.most.Load()
		if now <= most || g.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// give is called before the units are given back, so that nobody can have been
// granted them earlier.
func (g *gauge) give(units int64) { g.held.Add(-units) }

// Never more than the capacity is out, while others give theirs back. And when
// all have, everything is there again.
func TestRefundsNeverPutMoreThanTheCapacityOut(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		const capacity = 7
		l, ctx := standing(aforo.PerHour(capacity).Using(a)), context.Background()
		var out gauge
		err := together(8, func(id int) error {
			cost := int64(1 + id%3)
			for range 300 {
				d, err := l.AllowN(ctx, "key", cost)
				if err != nil {
					return err
				}
				if !d.Allowed {
					continue
				}
				out.take(cost)
				out.give(cost)
				if err := l.Refund(ctx, "key", cost); err != nil {
					return err
				}
			}
			return nil
		})
		full(t, l, err, &out, capacity)
	}
}

// The same holds for reservations that are cancelled, or settled at less, while
// some are still in the line.
func TestCancelledReservationsNeverPutMoreThanTheCapacityOut(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		const capacity = 7
		l, ctx := standing(aforo.PerHour(capacity).Using(a)), context.Background()
		var out gauge
		err := together(8, func(id int) error {
			cost := int64(1 + id%3)
			for i := range 150 {
				r, err := l.Reserve(ctx, "key", cost)
				if err != nil {
					return err
				}
				ready, cancel := context.WithCancel(ctx)
				cancel()
				came := r.Wait(ready) == nil
				if came {
					out.take(cost)
					out.give(cost)
				}
				if i%2 == 0 {
					err = r.Cancel()
				} else {
					err = r.Settle(0)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		full(t, l, err, &out, capacity)
	}
}

// full tells that nothing is out, and never was more than the capacity.
func full(t *testing.T, l *aforo.Limiter, err error, out *gauge, capacity int64) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v: %v", l.Limits(), err)
	}
	if most := out.most.Load(); most > capacity || most == 0 {
		t.Errorf("%v: %d units were out at once", l.Limits(), most)
	}
	d, err := l.Peek(context.Background(), "key", 0)
	if err != nil || d.Remaining != capacity || d.ResetAfter != 0 {
		t.Errorf("%v: when all have given back: %+v, %v", l.Limits(), d, err)
	}
}
