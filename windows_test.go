package aforo_test

import (
	"context"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

func TestSlidingCounterWeighsThePreviousWindow(t *testing.T) {
	runScript(t, "sliding_window_counter 60/m", `
		59s  take 60 yes
		72s  charge 12
		72s  take 1 no retry=1s
		73s  take 1 yes`)
	runScript(t, "sliding_window_counter 100/m", `
		30s  take 50 yes
		66s  take 10 yes left=45
		66s  take 46 no
		66s  take 45 yes left=0
		66s  take 1 no`)
	runScript(t, "sliding_window_counter 100/m", `
		59.9s  take 100 yes
		60.1s  take 1 no
		90s    take 51 no
		90s    take 50 yes
		90s    take 1 no`)
	runScript(t, "sliding_window_counter 1/s", `
		0.9s   take 1 yes
		1.05s  take 1 no
		1.5s   take 1 no
		1.999s take 1 no
		2s     take 1 yes`)
}

func TestLogForgetsAtExactlyAPeriod(t *testing.T) {
	runScript(t, "sliding_window_log 3/10s", `
		0s         take 1 yes
		1s         take 1 yes
		2s         take 1 yes
		9.999999s  take 1 no retry=1us
		10s        take 1 yes
		10.5s      take 1 no retry=500ms`)
	runScript(t, "sliding_window_log 1/2s", "3.4999s take 1 yes\n 5.4998s take 1 no\n 5.4999s take 1 yes")
	steps := ""
	for at := 0 * time.Second; at < 20*time.Second; at += 2 * time.Second {
		steps += at.String() + " take 1 yes\n"
	}
	runScript(t, "sliding_window_log 10/m", steps+"20s take 1 no retry=40s\n 60s take 1 yes")
	runScript(t, "fixed_window 10/m", steps+"20s take 1 no retry=40s")
	runScript(t, "10/m", steps+"20s take 1 yes left=2")
}

func TestFixedWindowEndsForEverybody(t *testing.T) {
	runScript(t, "fixed_window 5/m", `
		0s       take 5 yes reset=60s left=0
		59.4s    take 1 no retry=600ms
		59.999s  take 1 no retry=1ms
		60s      take 1 yes left=4`)
	runScript(t, "fixed_window 5/h", "0s take 5 yes left=0 reset=1h retry=0s")
	runScript(t, "1/10s burst 1", "0s take 1 yes left=0 reset=10s retry=0s")
	// Windows are aligned to the epoch, not to the first request.
	runScript(t, "fixed_window 5/3m", "60s take 5 yes\n 179s take 1 no retry=1s\n 181s take 1 yes")
}

func TestWholeSecondsAreNotAClock(t *testing.T) {
	runScript(t, "1/s burst 1", "0.95s take 1 yes\n 1s take 1 no\n 1.94s take 1 no\n 1.95s take 1 yes")
}

func TestClockStepsBack(t *testing.T) {
	// A little: time stands still until it has caught up, nothing is granted.
	runScript(t, "1/s burst 5", "100s take 3 yes\n 98s take 2 yes\n 98s take 1 no retry=3s\n 100s take 1 no retry=1s\n 101s take 1 yes")
	// For good: the level is kept, and nobody waits for the old clock.
	runScript(t, "1/s burst 5", "100s take 3 yes left=2\n 89s take 1 yes\n 89s take 1 yes\n 89s take 1 no retry=1s\n 90s take 1 yes")
	// Two clocks that disagree gain nothing from each other.
	c := newClock()
	limiter := aforo.Must(aforo.PerSecond(2).Burst(4), aforo.WithClock(c.now))
	c.set(100 * time.Second)
	allowed := take(t, limiter, 5)
	c.set(98500 * time.Millisecond)
	allowed += take(t, limiter, 1)
	c.set(100 * time.Second)
	if allowed += take(t, limiter, 5); allowed != 4 {
		t.Errorf("%d of a burst of 4 allowed between two clocks", allowed)
	}
	for _, a := range aforo.Algorithms() {
		text := aforo.PerSecond(10).Using(a).String()
		alternating := 0
		limiter, _ := aforo.New(text, aforo.WithClock(c.now))
		for i := range 200 {
			c.set(100*time.Second - time.Duration(i%2)*3*time.Millisecond)
			alternating += take(t, limiter, 1)
		}
		if alternating != 10 {
			t.Errorf("%s: %d allowed by a clock that jitters", text, alternating)
		}
	}
}

func TestSeveralLimitsInAnyOrder(t *testing.T) {
	for _, text := range []string{"2/m, 1/s", "1/s, 2/m"} {
		runScript(t, text, `
			0s    take 1 yes by=1/s left=0
			0.1s  take 1 no by=1/s retry=900ms
			1s    take 1 yes
			2s    take 1 no by=2/m retry=28s`)
	}
}

func TestTheRefusingLimitIsReported(t *testing.T) {
	second, minute := aforo.PerSecond(100).Named("per-second"), aforo.PerMinute(500).Named("per-minute")
	limits, err := aforo.NewLimits(second, minute)
	if err != nil {
		t.Fatal(err)
	}
	c := newClock()
	limiter, err := aforo.NewLimiter(limits, aforo.WithClock(c.now))
	if err != nil {
		t.Fatal(err)
	}
	refused := make(map[string]int)
	for step := range 20 {
		c.set(time.Duration(step) * time.Second / 2)
		d, each, err := limiter.AllowEach(context.Background(), "key", 50, nil)
		if err != nil || len(each) != 2 || each[0].Name != "per-second" || each[1].Name != "per-minute" {
			t.Fatalf("%+v %+v %v", d, each, err)
		}
		if !d.Allowed {
			refused[d.Name]++
			for _, own := range each {
				if own.Name == d.Name && (own.Allowed || own.RetryAfter != d.RetryAfter) {
					t.Errorf("%+v is not what %+v says", d, own)
				}
			}
		}
	}
	if refused["per-second"] != 0 || refused["per-minute"] == 0 {
		t.Errorf("50 every half second: refused by %v, want only by the limit per minute", refused)
	}
}
