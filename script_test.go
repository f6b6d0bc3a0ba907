package aforo_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// A script is what happens to one key, a line for each step:
//
//	instant  operation  cost  [outcome]  [field=value ...]
//
// as in "1.3s take 1 yes left=0 reset=1.3s". Instants are counted from the
// start of a minute; the clock may step back. Fields: left, retry, reset,
// delay; retry=never is what it says.
func runScript(t *testing.T, limits, script string) {
	t.Helper()
	c := newClock()
	limiter, err := aforo.New(limits, aforo.WithClock(c.now))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		if err := runStep(limiter, c, strings.Fields(line)); err != nil {
			t.Errorf("%s: %s: %v", limits, strings.TrimSpace(line), err)
		}
	}
}

// clock is set by a test. It starts at the edge of every window of up to a day.
type clock struct{ at time.Time }

var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func newClock() *clock               { return &clock{start} }
func (c *clock) now() time.Time      { return c.at }
func (c *clock) set(d time.Duration) { c.at = start.Add(d) }

func runStep(l *aforo.Limiter, c *clock, words []string) error {
	at, err := time.ParseDuration(words[0])
	if err != nil {
		return err
	}
	c.set(at)
	cost, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var d aforo.Decision
	switch words[1] {
	case "take":
		d, err = l.AllowN(ctx, "key", cost)
	case "peek":
		d, err = l.Peek(ctx, "key", cost)
	case "charge":
		return l.Charge(ctx, "key", cost)
	case "refund":
		return l.Refund(ctx, "key", cost)
	default:
		return fmt.Errorf("there is no operation %s", words[1])
	}
	if err != nil {
		return err
	}
	for _, want := range words[3:] {
		if !matches(d, want) {
			return fmt.Errorf("want %s, got %+v", want, d)
		}
	}
	return nil
}

func matches(d aforo.Decision, want string) bool {
	switch want {
	case "yes":
		return d.Allowed
	case "no":
		return !d.Allowed
	}
	field, value, _ := strings.Cut(want, "=")
	wait, _ := time.ParseDuration(value)
	if value == "never" {
		wait = aforo.Never
	}
	switch field {
	case "left":
		return strconv.FormatInt(d.Remaining, 10) == value
	case "retry":
		return d.RetryAfter == wait
	case "reset":
		return d.ResetAfter == wait
	case "delay":
		return d.Delay == wait
	case "by":
		return d.Name == value
	}
	return false
}

// count takes one unit every step for as long as it lasts, both ends included,
// and tells how many were allowed.
func count(t *testing.T, limits string, step, lasts time.Duration) (allowed int) {
	t.Helper()
	c := newClock()
	limiter, err := aforo.New(limits, aforo.WithClock(c.now))
	if err != nil {
		t.Fatal(err)
	}
	for at := time.Duration(0); at <= lasts; at += step {
		c.set(at)
		allowed += take(t, limiter, 1)
	}
	return allowed
}

// take asks n times at once for one unit, and tells how many were allowed.
func take(t *testing.T, limiter *aforo.Limiter, n int) (allowed int) {
	t.Helper()
	for range n {
		d, err := limiter.Allow(context.Background(), "key")
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed {
			allowed++
		}
	}
	return allowed
}

const year = 365 * 24 * time.Hour

func hours(d time.Duration) string { return strconv.FormatInt(int64(d/time.Hour), 10) + "h" }

var largest = strconv.FormatInt(math.MaxInt64, 10)
