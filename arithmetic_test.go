package aforo_test

import (
	"context"
	"errors"
	"fmt"
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
	hourly := ""
	for s := 1; s < 3600; s++ {
		hourly += fmt.Sprintf("%ds take 1 no retry=%ds\n", s, 3600-s)
	}
	runScript(t, "1/h burst 1", "0s take 1 yes\n"+hourly+"3600s take 1 yes")
	for _, step := range []time.Duration{time.Millisecond, 10 * time.Microsecond} {
		c := newClock()
		limiter := aforo.Must(aforo.PerSecond(100), aforo.WithClock(c.now))
		refilled := -take(t, limiter, 100)
		for at := 0 * time.Second; at <= time.Second; at += step {
			c.set(at)
			refilled += take(t, limiter, 1)
		}
		if refilled != 0 {
			t.Errorf("asking every %v for a second at 100/s: %d more than 100 were refilled", step, refilled)
		}
	}
	if n := count(t, "3/s", 100*time.Millisecond, 9900*time.Millisecond); n != 32 {
		t.Errorf("10 per second at 3/s for 9.9s: %d allowed, want 32", n)
	}
	eachSecond := ""
	for s := range 10 {
		eachSecond += fmt.Sprintf("%ds take 1 yes\n", s)
	}
	runScript(t, "10/30s", eachSecond+"10s take 1 yes left=2")
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
	twentyOne := ""
	for left := 20; left >= 0; left-- {
		twentyOne += fmt.Sprintf("0s take 1 yes left=%d\n", left)
	}
	runScript(t, "1500/s burst 21", twentyOne+"0s take 1 no retry=667us left=0")
	runScript(t, "1000/m burst 1001", "0s take 1 yes left=1000\n 0s take 1 yes left=999\n 0s take 1 yes left=998")
	runScript(t, "8000/s burst 2", "0s take 2 yes\n 0s take 1 no retry=125us\n 125us take 1 yes")
}

func TestFastRatesAreExactInTheLongRun(t *testing.T) {
	c := newClock()
	limiter := aforo.Must(aforo.PerSecond(1500).Burst(21), aforo.WithClock(c.now))
	take(t, limiter, 21)
	for second := range 30 {
		allowed := 0
		for step := range 10_000 {
			c.set(time.Duration(second)*time.Second + time.Duration(step+1)*100*time.Microsecond)
			allowed += take(t, limiter, 1)
		}
		if allowed != 1500 {
			t.Errorf("1500/s: %d were allowed in second %d", allowed, second)
		}
	}
}

// offer asks for three times the rate, evenly, and once more at the end; it
// tells how many were allowed.
func offer(t *testing.T, rate, burst int64, lasts time.Duration) (allowed int64) {
	t.Helper()
	c := newClock()
	limiter := aforo.Must(aforo.PerSecond(rate).Burst(burst), aforo.WithClock(c.now))
	for i := time.Duration(0); i*time.Second <= lasts*time.Duration(3*rate); i++ {
		c.set(i * time.Second / time.Duration(3*rate))
		allowed += int64(take(t, limiter, 1))
	}
	return allowed
}

// The clock knows whole microseconds. A token that is due between two of them
// is taken at the later one, while the next is already coming in: so a rate
// that does not divide a million needs room for two, and is then exact.
func TestFastRatesAreNotRounded(t *testing.T) {
	for _, rate := range []int64{1999, 2000, 3000} {
		if n := offer(t, rate, 2, 2*time.Second); n != 2+2*rate {
			t.Errorf("%d/s burst 2: %d allowed in 2s, want the burst and %d", rate, n, 2*rate)
		}
	}
	if n := offer(t, 300_000, 2, time.Second/10); n != 2+30_000 {
		t.Errorf("300000/s burst 2: %d allowed in 100ms, want the burst and 30,000", n)
	}
	for _, burst := range []int64{1, 2} {
		if n := offer(t, 1_000_000, burst, time.Second/10); n != burst+100_000 {
			t.Errorf("a million per second, burst %d: %d allowed in 100ms, want the burst and 100,000", burst, n)
		}
	}
	if n := offer(t, 2000, 1, 2*time.Second); n != 1+4000 {
		t.Errorf("2000/s burst 1: %d allowed in 2s", n)
	}
	runScript(t, "3000/s burst 1", "0s take 1 yes\n 333us take 1 no retry=1us\n 334us take 1 yes\n 667us take 1 no\n 668us take 1 yes")
	runScript(t, "3000/s burst 2", "0s take 2 yes\n 333us take 1 no retry=1us\n 334us take 1 yes\n 667us take 1 yes\n 999us take 1 no\n 1ms take 1 yes")
	// Of what comes in within one microsecond, no more can be used than there
	// is room for.
	runScript(t, "3000000/s burst 1", "0s take 1 yes left=0\n 0s take 1 no retry=1us\n 1us take 1 yes\n 1us take 1 no")
	runScript(t, "3000000/s burst 4", "0s take 4 yes left=0\n 1us take 3 yes\n 1us take 1 no retry=1us\n 2us take 3 yes left=0")
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

// What does not fit as a whole is refused as a whole: it is not charged in part.
func TestACostThatStraddlesTheLimit(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		runScript(t, aforo.PerMinute(10).Using(a).String(), "0s take 7 yes left=3\n 0s take 7 no left=3\n 0s take 1 yes left=2")
	}
}

// Six per minute is six at once. A bucket then drains, and a window does not.
func TestALimitWithoutABurst(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		c := newClock()
		limiter := aforo.Must(aforo.PerMinute(6).Using(a), aforo.WithClock(c.now))
		atOnce, later := take(t, limiter, 6), 0
		for at := 10 * time.Second; at <= 50*time.Second; at += 10 * time.Second {
			c.set(at)
			later += take(t, limiter, 1)
		}
		want := 0
		if a == aforo.TokenBucket || a == aforo.LeakyBucket {
			want = 5
		}
		if atOnce != 6 || later != want {
			t.Errorf("%v 6/m: %d of 6 at once, %d of 5 later, want 6 and %d", a, atOnce, later, want)
		}
	}
}

// TestAKeyInUseIsNotForgotten: while other keys come and go, and what is left of
// them is swept, one that is asked for each second is never as if it were new.
func TestAKeyInUseIsNotForgotten(t *testing.T) {
	c := newClock()
	store := aforo.NewMemory(aforo.WithMemoryClock(c.now))
	limiter := aforo.Must(aforo.PerMinute(24), aforo.WithStore(store))
	ctx := context.Background()
	const each = 500
	level := 0 // in fifths of a unit, of which two drain each second
	for second := range 600 {
		c.set(time.Duration(second) * time.Second)
		for i := range each {
			if d, err := limiter.Allow(ctx, fmt.Sprint(second, ":", i)); err != nil || d.Remaining != 23 {
				t.Fatalf("%+v, %v", d, err)
			}
		}
		level = max(0, level-2)
		fits := level+5 <= 24*5
		if fits {
			level += 5
		}
		d, err := limiter.Allow(ctx, "key")
		if want := int64(24*5-level) / 5; err != nil || d.Allowed != fits || d.Remaining != want {
			t.Fatalf("after %ds: %+v, %v, want %d left", second, d, err, want)
		}
	}
	if n := store.Len(); n > 20*each {
		t.Errorf("of %d keys %d are kept: nothing was swept", 600*each, n)
	}
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
		runScript(t, aforo.PerMinute(4).Using(a).String(), `
			0s take 1 yes left=3
			0s take 1 yes left=2
			0s take 1 yes left=1
			0s take 1 yes left=0
			0s take 1 no  left=0
			0s take 1 no  left=0
			0s take 1 no  left=0`)
	}
}
