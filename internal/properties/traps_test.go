package properties

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// The traps into which limiters have fallen, one test each, named by what must
// not happen. What other tests hold more thoroughly is here in its shortest form.

// trap is a limiter on a clock that the test sets.
type trap struct {
	*testing.T
	*aforo.Limiter
	at int64 // microseconds since the epoch
}

func newTrap(t *testing.T, limits string, options ...aforo.MemoryOption) *trap {
	t.Helper()
	p := &trap{T: t, at: today}
	options = append(options, aforo.WithMemoryClock(func() time.Time { return time.UnixMicro(p.at) }))
	l, err := aforo.New(limits, aforo.WithStore(aforo.NewMemory(options...)))
	if err != nil {
		t.Fatal(err)
	}
	p.Limiter = l
	return p
}

// each is a test of a limit under every algorithm; windows take its rate alone.
func each(t *testing.T, limit string, test func(t *testing.T, p *trap)) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) { test(t, newTrap(t, a.String()+" "+limit)) })
	}
}

func (p *trap) take(key string, cost int64) aforo.Decision {
	p.Helper()
	d, err := p.AllowN(context.Background(), key, cost)
	if err != nil {
		p.Fatal(err)
	}
	return d
}

// admitted is how many of n requests of one unit are.
func (p *trap) admitted(key string, n int) (admitted int) {
	p.Helper()
	for range n {
		if p.take(key, 1).Allowed {
			admitted++
		}
	}
	return admitted
}

func (p *trap) want(what string, got, want int) {
	p.Helper()
	if got != want {
		p.Errorf("%v: %s: %d, want %d", p.Limits(), what, got, want)
	}
}

func TestTrapRateZeroAdmitsEverythingOrPanics(t *testing.T) {
	each(t, "0/s", func(t *testing.T, p *trap) {
		for range 5 {
			p.want("admitted", p.admitted("key", 3), 0)
			p.at += 1e9
		}
	})
	p := newTrap(t, "0/s burst 3")
	p.want("admitted of the burst", p.admitted("key", 10), 3)
	p.at += 1e15
	p.want("admitted later", p.admitted("key", 10), 0)
	for _, text := range []string{"1/0s", "10/s burst 0", "-1/s"} {
		if _, err := aforo.New(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestTrapNegativeCostsMintUnits(t *testing.T) {
	each(t, "10/m", func(t *testing.T, p *trap) {
		ctx, before := context.Background(), p.take("key", 4)
		_, allowErr := p.AllowN(ctx, "key", -100)
		_, reserveErr := p.Reserve(ctx, "key", -100)
		for what, err := range map[string]error{"allow": allowErr, "reserve": reserveErr,
			"wait": p.WaitN(ctx, "key", -100), "charge": p.Charge(ctx, "key", -100), "refund": p.Refund(ctx, "key", -100)} {
			if cost := (*aforo.CostError)(nil); !errors.As(err, &cost) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if d := p.take("key", 0); d.Remaining != before.Remaining {
			t.Errorf("%d remain, before it was %d", d.Remaining, before.Remaining)
		}
		must(t, p.Refund(ctx, "key", 1000))
		p.want("admitted after a refund of more than was used", p.admitted("key", 100), 10)
	})
}

func TestTrapHugeCostsOverflowToAllowed(t *testing.T) {
	for _, limit := range []string{"1/s", "10/s", "1/h", "1000000/d"} {
		each(t, limit, func(t *testing.T, p *trap) {
			for _, cost := range []int64{5e6, 1e10, 1e11, math.MaxInt64 / 2, math.MaxInt64, math.MaxInt64} {
				for _, later := range []int64{0, 1e12} {
					p.at += later
					if d := p.take("key", cost); d.Allowed || d.RetryAfter != aforo.Never {
						t.Errorf("a cost of %d: %+v", cost, d)
					}
				}
			}
			if err := p.Charge(context.Background(), "key", math.MaxInt64); err == nil {
				t.Error("the largest charge there is was taken")
			}
			p.want("admitted after all that", p.admitted("key", 1), 1)
		})
	}
}

func TestTrapLargeLimitsOverflow(t *testing.T) {
	each(t, "200000/d", func(t *testing.T, p *trap) {
		if d := p.take("key", 200_000); !d.Allowed || d.Remaining != 0 {
			t.Errorf("%+v", d)
		}
		p.at += 12 * 3600 * 1e6
		if d := p.take("key", 200_000); d.Allowed {
			t.Errorf("twice in half a day: %+v", d)
		}
	})
	// All of the second day's units at its first instant, if a product overflows.
	p := newTrap(t, "sliding_window_counter 200000/d")
	p.take("key", 200_000)
	p.at += 24*3600*1e6 - today%(24*3600*1e6)
	p.want("admitted as the second day begins", p.admitted("key", 100), 0)
	p = newTrap(t, "1/d burst 200000")
	p.want("admitted of a large burst", p.admitted("key", 200_001), 200_000)
	for _, text := range []string{"1/s burst 1152921504606846976", "1/s burst 9223372036854775807"} {
		if _, err := aforo.New(text); err == nil {
			t.Errorf("%s is taken, and cannot be held exactly", text)
		}
	}
}

func TestTrapFastRatesAreUnlimitedOrRounded(t *testing.T) {
	for _, rate := range []int64{600_000_000, 1_000_000_000, 2_000_000_000} {
		p := newTrap(t, fmt.Sprintf("%d/s burst 5", rate))
		p.want("admitted at one instant", p.admitted("key", 1000), 5)
		// In a second, asked each millisecond for a thousandth of the rate.
		p = newTrap(t, fmt.Sprintf("%d/s", rate))
		p.take("key", rate)
		for range 1000 {
			p.at += 1000
			if d := p.take("key", rate/1000); !d.Allowed || d.Remaining != 0 {
				t.Fatalf("%d/s: %+v", rate, d)
			}
		}
	}
}

func TestTrapAMonthIsForgottenAfterADay(t *testing.T) {
	each(t, "1/30d", func(t *testing.T, p *trap) {
		p.at -= p.at % (30 * 24 * 3600 * 1e6) // at the beginning of a window
		p.want("admitted", p.admitted("key", 1), 1)
		for hour := range 25 {
			p.at += 3600 * 1e6
			for i := range 200 {
				p.take(fmt.Sprint(hour, i), 1)
			}
		}
		p.want("admitted 25 hours later", p.admitted("key", 1), 0)
	})
}

// The process's own clock does not step back; this is one that does.
func TestTrapAClockSetBackLocksOutOrMintsUnits(t *testing.T) {
	each(t, "10/m", func(t *testing.T, p *trap) {
		p.at += 30e6 - p.at%60e6 // in the middle of a window
		p.want("admitted", p.admitted("key", 5), 5)
		p.at -= 3600 * 1e6
		p.want("admitted when the clock has been set back", p.admitted("key", 20), 5)
		p.at += 180 * 1e6
		p.want("admitted three minutes later", p.admitted("key", 20), 10)
	})
}

func TestTrapAJitteringClockMintsUnits(t *testing.T) {
	each(t, "10/m", func(t *testing.T, p *trap) {
		p.at += 30e6 - p.at%60e6 // in the middle of a window
		admitted := 0
		for i := range 200 {
			at := p.at
			p.at -= int64(i%2) * int64(2+i%4) * 1e6
			admitted += p.admitted("key", 1)
			p.at = at
		}
		p.want("admitted", admitted, 10)
	})
}

func TestTrapTwiceTheLimitAroundAnEdge(t *testing.T) {
	each(t, "100/m", func(t *testing.T, p *trap) {
		p.at += 60e6 - p.at%60e6 - 1e6 // a second before the edge
		within := p.admitted("key", 150)
		p.at += 1_100_000 // a tenth of a second after it
		within += p.admitted("key", 150)
		want := map[aforo.Algorithm]int{
			aforo.FixedWindow: 200,                         // its known price
			aforo.TokenBucket: 101, aforo.LeakyBucket: 101, // 1.8 come back in that time
			aforo.SlidingWindowLog: 100, aforo.SlidingWindowCounter: 100,
		}
		p.want("admitted within 1.1s", within, want[p.Limits().List()[0].Algorithm()])
	})
}

func TestTrapRefusalsUseUnits(t *testing.T) {
	each(t, "10/m", func(t *testing.T, p *trap) {
		p.at += 60e6 - p.at%60e6
		admitted := 0
		for range 3000 { // ten a second for five minutes
			admitted += p.admitted("key", 1)
			p.at += 100_000
		}
		if admitted < 45 || admitted > 60 {
			t.Errorf("%v: %d are admitted in five minutes", p.Limits(), admitted)
		}
	})
}

func TestTrapRetryAfterIsUntrue(t *testing.T) {
	for _, limit := range []string{"10/m", "3/500ms", "10/s", "7/13s"} {
		each(t, limit, func(t *testing.T, p *trap) {
			for range 5 {
				d := p.take("key", 2)
				for ; d.Allowed; d = p.take("key", 2) {
					p.at += 10_000
				}
				p.at += d.RetryAfter.Microseconds() - 1
				p.want("admitted a microsecond too early", boolInt(p.take("key", 2).Allowed), 0)
				p.at++
				p.want("admitted when it was told", boolInt(p.take("key", 2).Allowed), 1)
			}
		})
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestTrapWaitsThatNeverSuffice(t *testing.T) {
	each(t, "10/m", func(t *testing.T, p *trap) {
		if d := p.take("key", 11); d.Allowed || d.RetryAfter != aforo.Never || d.Remaining != 10 {
			t.Errorf("%+v", d)
		}
		never := (*aforo.NeverError)(nil)
		if err := p.WaitN(context.Background(), "key", 11); !errors.As(err, &never) {
			t.Errorf("Wait: %v", err)
		}
	})
}
