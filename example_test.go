package aforo_test

import (
	"context"
	"fmt"
	"time"

	"github.com/aforo-dev/aforo"
)

// A clock that stands still makes the examples' answers the same everywhere.
func noon() time.Time { return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC) }

func ExampleNew() {
	limiter, err := aforo.New("2/minute", aforo.WithClock(noon))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		d, err := limiter.Allow(context.Background(), "user:42")
		if err != nil {
			fmt.Println(err) // no decision could be made
			return
		}
		fmt.Println(d.Allowed, d.Remaining, d.RetryAfter)
	}
	// Output:
	// true 1 0s
	// true 0 0s
	// false 0 30s
}

func ExampleNew_several() {
	limiter, err := aforo.New("10/s burst 20, fixed_window 25/h", aforo.WithClock(noon))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		d, _ := limiter.AllowN(context.Background(), "user:42", 20)
		fmt.Println(d.Allowed, d.Name, d.RetryAfter)
	}
	// Output:
	// true 10/s burst 20 0s
	// false fixed_window 25/h 1h0m0s
}

func ExampleMust() {
	login := aforo.Must(aforo.Per(5, 15*time.Minute).Using(aforo.SlidingWindowLog))
	fmt.Println(login.Limits())
	// Output: sliding_window_log 5/15m
}

func ExampleParseLimit() {
	_, err := aforo.ParseLimit("100/fortnight")
	fmt.Println(err)
	// Output: aforo: limit 100/fortnight: per fortnight (at byte 4): units are us, ms, s, second, m, minute, h, hour, d, day, w, week; for example: 100/15m
}

func ExampleWithLimitsFor() {
	free, _ := aforo.ParseLimits("10/m")
	pro, _ := aforo.ParseLimits("10/s burst 50, 100000/d")
	plans := map[string]aforo.Limits{"ada": pro, "bob": free}
	limiter, err := aforo.New("1/m", aforo.WithLimitsFor(func(_ context.Context, key string) aforo.Limits {
		return plans[key]
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, key := range []string{"ada", "bob", "stranger"} {
		d, _ := limiter.Peek(context.Background(), key, 1)
		fmt.Println(key, d.Limit)
	}
	// Output:
	// ada 50
	// bob 10
	// stranger 1
}

func ExampleLimiter_Reserve() {
	limiter := aforo.Must(aforo.PerMinute(100), aforo.WithClock(noon))
	ctx := context.Background()
	r, err := limiter.Reserve(ctx, "tenant", 30) // as many tokens as the answer may take
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Cancel() // nothing, once it is settled
	if err := r.Settle(12); err != nil {
		fmt.Println(err)
	}
	d, _ := limiter.Peek(ctx, "tenant", 0)
	fmt.Println(d.Remaining)
	// Output: 88
}

// The rules can be used without a limiter, on states that are kept elsewhere.
func ExampleLimit_Take() {
	limit := aforo.PerSecond(1).Burst(2)
	var state aforo.State
	for _, millis := range []int64{0, 100, 200, 1000} {
		var v aforo.Verdict
		state, v = limit.Take(state, millis*1000, 1)
		fmt.Println(v.Allowed, v.Remaining, v.Retry)
	}
	// Output:
	// true 1 0
	// true 0 0
	// false 0 800000
	// true 0 0
}
