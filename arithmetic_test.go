package aforo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// The traps of this file are those that other limiters fell into; each is
// answered for its whole kind by the properties, and here by its numbers.

func TestTokensAreDueExactly(t *testing.T) {
	runScript(t, "10/13s burst 1", `
		0s         take 1 yes
		1.299999s  take 1 no  retry=1us
		1.3s       take 1 yes`)
	runScript(t, "1/s burst 1", `
		0s    take 1 yes
		0.2s  take 1 no retry=800ms`)
	runScript(t, "6/m burst 6", `
		0s      take 6 yes
		5s      take 1 no
		9.999s  take 1 no
		10s     take 1 yes`)
	runScript(t, "2/3s burst 1", `
		0s    take 1 yes
		0.1s  take 1 no retry=1.4s`)
	if n := count(t, "10/13s burst 1", 1300*time.Millisecond, 1000*1300*time.Millisecond); n != 1001 {
		t.Errorf("of 1001 requests spaced by exactly one token's time %d were allowed", n)
	}
}

func TestPollingCostsNothing(t *testing.T) {
	if n := count(t, "1/h burst 1", time.Second, time.Hour); n != 2 {
		t.Errorf("asking every second for an hour at 1/h: %d allowed, want the first and the last", n)
	}
	for _, step := range []time.Duration{time.Millisecond, 10 * time.Microsecond} {
		if n := count(t, "100/s burst 100", step, time.Second) - 100; n != 100-100*int(step/time.Millisecond) && n < 99 {
			t.Errorf("asking every %v for a second at 100/s: %d refilled", step, n)
		}
	}
	if n := count(t, "3/s", 100*time.Millisecond, 9900*time.Millisecond); n != 32 {
		t.Errorf("10 per second at 3/s for 9.9s: %d allowed, want 32", n)
	}
	if n := count(t, "10/30s", time.Second, 10*time.Second); n != 11 {
		t.Errorf("1 per second at 10/30s: %d of 11 allowed", n)
	}
	runScript(t, "100/s burst 100", "0s take 100 yes left=0\n 1ms take 1 no\n 9.999ms take 1 no\n 10ms take 1 yes")
}

func TestRefusalsDoNotProlongThemselves(t *testing.T) {
	if n := count(t, "sliding_window_log 10/m", 5*time.Second, 595*time.Second); n != 100 {
		t.Errorf("a log asked every 5s for 10 minutes at 10/m: %d of 120 allowed, want 100", n)
	}
	c := newClock()
	limiter, _ := aforo.New("2/2m", aforo.WithClock(c.now))
	for i := range 400 {
		c.set(time.Duration(i) * 59 * time.Second)
		if allowed := take(t, limiter, 1) == 1; allowed == (i > 0 && (i+1)%60 == 2 && i > 2) {
			t.Errorf("request %d, 59s apart at 2/2m: allowed is %t", i+1, allowed)
		}
	}
}

func TestLongIdleTimes(t *testing.T) {
	runScript(t, "1000000/s", "0s take 1 yes left=999999\n 43200s take 1 yes left=999999\n "+hours(10*year)+" take 1 yes left=999999")
	for _, text := range []string{"1/us", "4503599627370495/s", "fixed_window 5/s", "sliding_window_log 5/s", "sliding_window_counter 5/s", "leaky_bucket 1/30d burst 10000"} {
		runScript(t, text, "0s take 1 yes\n "+hours(290*year)+" take 1 yes")
	}
}

func TestLargeNumbers(t *testing.T) {
	runScript(t, "980000000/10s", `
		0s    take 980000000 yes left=0
		0s    take 980000000 no  retry=10s
		9.5s  peek 0         yes left=931000000
		10s   take 980000000 yes`)
	runScript(t, "1/30d burst 10000", "0s take 10000 yes left=0\n 0s take 1 no retry=720h")
	runScript(t, "1/365d", "0s take 1 yes\n 0s take 1 no retry=8760h")
	runScript(t, "1/1000s burst 1", "0s take 1 yes\n 0s take 1 no retry=1000s")
	runScript(t, "fixed_window 4294967295/s", "0s take 4294967295 yes left=0\n 0s take 1 no\n 0s take 4294967295 no")
	runScript(t, "1500/s burst 21", strings.Repeat("0s take 1 yes\n", 21)+"0s take 1 no retry=667us")
	runScript(t, "8000/s burst 2", "0s take 2 yes\n 0s take 1 no retry=125us\n 125us take 1 yes")
	for _, rate := range []int{1999, 2000, 3000, 300_000} {
		c := newClock()
		limiter := aforo.Must(aforo.PerSecond(int64(rate)).Burst(2), aforo.WithClock(c.now))
		allowed := 0
		for i := 0; i <= 6*rate; i++ { // three times the rate, for two seconds
			c.set(time.Duration(i) * time.Second / time.Duration(3*rate))
			allowed += take(t, limiter, 1)
		}
		if allowed < 2*rate+1 || allowed > 2*rate+2 {
			t.Errorf("%d/s: %d allowed in 2s", rate, allowed)
		}
	}
}

func TestFillRateIsNotRounded(t *testing.T) {
	bucket, window := "", ""
	for i := range 20 {
		at := time.Duration(i) * 100 * time.Millisecond
		bucket += at.String() + " take 1 yes left=65534\n"
		left := []string{"34", "33", "32", "31", "30", "29", "28", "27", "26", "25"}[i%10]
		window += at.String() + " take 1 yes left=655" + left + "\n"
	}
	runScript(t, "65535/s", bucket)
	runScript(t, "fixed_window 65535/s", window)
}

func TestCostsOutOfRange(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		text := aforo.PerMinute(10).Using(a).String()
		runScript(t, text, `
			0s take 11 no retry=never left=10
			0s take `+largest+` no retry=never left=10
			0s peek 11 no retry=never
			0s take 10 yes left=0
			0s take 1 no
			0s take 0 yes left=0
			0s take 11 no retry=never`)
		limiter, _ := aforo.New(text)
		for _, cost := range []int64{-1, -1 << 63} {
			var ce *aforo.CostError
			_, err := limiter.AllowN(context.Background(), "key", cost)
			if !errors.As(err, &ce) || ce.Cost != cost {
				t.Errorf("%s: a cost of %d: error %v", text, cost, err)
			}
		}
		if d, _ := limiter.Peek(context.Background(), "key", 1); d.Remaining != 9 {
			t.Errorf("%s: negative costs left %+v", text, d)
		}
	}
	runScript(t, "3/2s", "0s take 4 no retry=never")
	runScript(t, "300/m", "0s take 301 no\n 0s take 1 yes left=299")
}

func TestRateZero(t *testing.T) {
	runScript(t, "0/s burst 1", "0s take 1 yes left=0 reset=never\n 1s take 1 no retry=never\n "+hours(year)+" take 1 no retry=never")
	for _, a := range aforo.Algorithms() {
		runScript(t, aforo.PerMinute(0).Using(a).String(), "0s take 1 no retry=never left=0 reset=0s\n 1s take 0 yes")
	}
}

func TestUnlimitedIsItsOwnWord(t *testing.T) {
	limiter, err := aforo.New("unlimited")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	d, err := limiter.AllowN(ctx, "key", 1<<62)
	if err != nil || d != (aforo.Decision{Allowed: true, Unlimited: true}) {
		t.Errorf("%+v, %v", d, err)
	}
	if err := errors.Join(limiter.Wait(ctx, "key"), limiter.Charge(ctx, "key", 1), limiter.Refund(ctx, "key", 1), limiter.Reset(ctx, "key")); err != nil {
		t.Error(err)
	}
}

func TestRefundAndCharge(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		runScript(t, aforo.PerMinute(10).Using(a).String(), `
			0s take 10 yes left=0
			0s refund 1
			0s take 1 yes left=0
			0s take 1 no
			0s refund 99
			0s peek 0 yes left=10
			0s take 1 yes left=9
			0s refund 5
			0s peek 0 yes left=10
			0s charge 25
			0s peek 0 left=0
			0s take 1 no left=0`)
	}
	runScript(t, "1/s burst 10", "0s charge 25\n 0s take 1 no retry=16s reset=25s\n 15.999999s take 1 no\n 16s take 1 yes left=0")
}

func TestRemainingAfterEachRequest(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		runScript(t, aforo.PerMinute(5).Using(a).String(), `
			0s take 1 yes left=4
			0s take 1 yes left=3
			0s take 1 yes left=2
			0s take 1 yes left=1
			0s take 1 yes left=0
			0s take 1 no  left=0
			0s take 1 no  left=0`)
	}
}
