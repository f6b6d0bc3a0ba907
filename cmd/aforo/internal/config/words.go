package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/aforo-dev/aforo"
)

// Words says in plain English what a limit lets through.
func Words(l aforo.Limit) string {
	switch {
	case l.IsUnlimited():
		return "no limit: everything passes"
	case l.Capacity() == 0:
		return "refuses everything"
	case l.Rate() == 0:
		return fmt.Sprintf("%d in all, and nothing ever after", l.Capacity())
	}
	n, per := l.Rate(), period(l.Period())
	switch l.Algorithm() {
	case aforo.FixedWindow:
		return fmt.Sprintf("at most %d in each %s by the clock, in UTC; up to %d around the turn of two", n, per, 2*n)
	case aforo.SlidingWindowLog:
		return fmt.Sprintf("at most %d in any %s", n, per)
	case aforo.SlidingWindowCounter:
		return fmt.Sprintf("at most %d in each %s, less what the one before weighs: close to %d in any %s", n, per, n, per)
	case aforo.LeakyBucket:
		return fmt.Sprintf("evenly at %d per %s; up to %d wait their turn, the rest is refused", n, per, l.Capacity())
	}
	return fmt.Sprintf("bursts of %d at once, then %d per %s; at most %d in any %s", l.Capacity(), n, per, l.Capacity()+n, per)
}

// Note is what surprises people about a limit; "" if nothing does.
func Note(l aforo.Limit) string {
	n := l.Rate()
	aligned := l.Algorithm() == aforo.FixedWindow || l.Algorithm() == aforo.SlidingWindowCounter
	if aligned && l.Period() == 7*24*time.Hour {
		return "windows count from the Unix epoch, so that these weeks begin on Thursdays, 00:00 UTC"
	}
	if l.Algorithm() != aforo.TokenBucket || l.Capacity() != n || n < 2 {
		return ""
	}
	return fmt.Sprintf("the burst is the rate, since none smaller is given: up to %d pass in the first %s; to smooth that, write a burst, as in %q",
		2*n-1, period(l.Period()), fmt.Sprintf("%v burst %d", l, max(1, n/5)))
}

// period is a time as people say it after "per" or "any": minute, 15 minutes.
func period(d time.Duration) string {
	units := []struct {
		name string
		unit time.Duration
	}{
		{"week", 7 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute},
		{"second", time.Second}, {"millisecond", time.Millisecond}, {"microsecond", time.Microsecond},
	}
	for _, u := range units {
		switch {
		case d == u.unit:
			return u.name
		case d%u.unit == 0:
			return fmt.Sprintf("%d %ss", d/u.unit, u.name)
		}
	}
	return strings.TrimSpace(d.String())
}
