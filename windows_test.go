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
	// Two clocks that disagree gain nothing from each other, not even if one of
	// them looks as if it had been set back for good.
	c := newClock()
	for _, behind := range []time.Duration{1500 * time.Millisecond, 10 * time.Second} {
		limiter := aforo.Must(aforo.PerSecond(2).Burst(4), aforo.WithClock(c.now))
		c.set(100 * time.Second)
		ahead := take(t, limiter, 5)
		c.set(100*time.Second - behind)
		late := take(t, limiter, 1)
		c.set(100 * time.Second)
		if again := take(t, limiter, 5); ahead != 4 || late != 0 || again != 0 {
			t.Errorf("of a burst of 4, %d were allowed, then %d by a clock %v behind, then %d", ahead, late, behind, again)
		}
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
	// 50 each quarter of a second are twice what the one limit lets through, and
	// ten seconds of that are more than the other does.
	refused := make(map[string]int)
	for step := range 40 {
		c.set(time.Duration(step) * time.Second / 4)
		d, each, err := limiter.AllowEach(context.Background(), "key", 50, nil)
		if err != nil || len(each) != 2 || each[0].Name != "per-second" || each[1].Name != "per-minute" {
			t.Fatalf("%+v %+v %v", d, each, err)
		}
		if d.Allowed {
			continue
		}
		refused[d.Name]++
		for _, own := range each {
			switch {
			case own.Name == d.Name:
				if own.Allowed || own.RetryAfter != d.RetryAfter || own.Limit != d.Limit || d.Remaining > own.Remaining {
					t.Errorf("%+v is not what %+v says", d, own)
				}
			case own.RetryAfter > d.RetryAfter:
				t.Errorf("%+v is reported, and not %+v, which takes longer", d, own)
			}
		}
		if step == 3 && (d.Name != "per-second" || d.RetryAfter != 250*time.Millisecond) {
			t.Errorf("the first that is refused: %+v", d)
		}
	}
	if refused["per-second"] == 0 || refused["per-minute"] == 0 {
		t.Errorf("refused by %v, want by each of the two at some time", refused)
	}
}

// TestTwoLimitersOfOneNameAgree: what is used up through one limiter is refused
// by another one in the same store, with the same numbers and the true wait.
func TestTwoLimitersOfOneNameAgree(t *testing.T) {
	for a, want := range map[aforo.Algorithm]time.Duration{
		aforo.TokenBucket: 5 * time.Second, aforo.LeakyBucket: 5 * time.Second,
		aforo.FixedWindow: 59 * time.Second, aforo.SlidingWindowLog: 59 * time.Second,
		aforo.SlidingWindowCounter: 65 * time.Second, // a tenth of the ten must have slid out of the minute
	} {
		c := newClock()
		store := aforo.NewMemory(aforo.WithMemoryClock(c.now))
		one := aforo.Must(aforo.PerMinute(10).Using(a), aforo.WithStore(store), aforo.WithName("login"))
		other := aforo.Must(aforo.PerMinute(10).Using(a), aforo.WithStore(store), aforo.WithName("login"))
		if n := take(t, one, 11); n != 10 {
			t.Errorf("%v: %d of 10 allowed", a, n)
		}
		c.set(time.Second)
		mine, err := one.Allow(context.Background(), "key")
		theirs, err2 := other.Allow(context.Background(), "key")
		if err != nil || err2 != nil || mine != theirs || theirs.Allowed || theirs.RetryAfter != want {
			t.Errorf("%v: one says %+v, %v; the other %+v, %v; want a wait of %v", a, mine, err, theirs, err2, want)
		}
		c.set(time.Second + want - time.Microsecond)
		early := take(t, other, 1)
		c.set(time.Second + want)
		if inTime := take(t, other, 1); early != 0 || inTime != 1 {
			t.Errorf("%v: after the wait %d were allowed, and %d before", a, inTime, early)
		}
	}
}
