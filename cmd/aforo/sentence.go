package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// sentence is an answer for people to read.
func sentence(a *api.Answer, cost int64) string {
	if a.Capacity == nil || a.Remaining == nil {
		return "allowed: no limit"
	}
	parts := []string{fmt.Sprintf("%d of %d left", *a.Remaining, *a.Capacity)}
	switch {
	case a.Allowed:
		parts = append(parts, allowedParts(a)...)
	case a.Never && cost > *a.Capacity:
		parts = append(parts, fmt.Sprintf("a cost of %d never fits, waiting does not help", cost))
	case a.RetryAfter == nil:
		parts = append(parts, "waiting does not help")
	default:
		parts = append(parts, "try again in "+spell(*a.RetryAfter))
	}
	verdict := "allowed"
	if !a.Allowed {
		verdict = "refused"
	}
	return oneLine(fmt.Sprintf("%s: %s (%s)", verdict, strings.Join(parts, ", "), who(a)))
}

func allowedParts(a *api.Answer) (parts []string) {
	switch {
	case a.Delay == nil:
		parts = append(parts, "never released")
	case *a.Delay > 0:
		parts = append(parts, "released in "+spell(*a.Delay))
	}
	switch {
	case a.ResetAfter == nil:
		parts = append(parts, "nothing ever comes back")
	case *a.ResetAfter > 0:
		parts = append(parts, "all back in "+spell(*a.ResetAfter))
	}
	return parts
}

// who names the limit that decided, among several all that refused.
func who(a *api.Answer) string {
	name := "limit " + a.Limit
	var refusing []string
	for _, l := range a.Limits {
		if !l.Allowed {
			refusing = append(refusing, l.Limit)
		}
	}
	if len(refusing) > 1 {
		name = "limits " + strings.Join(refusing, " and ")
	}
	if a.Policy != "" {
		return "policy " + a.Policy + ", " + name
	}
	return name
}

// spell writes milliseconds without the zeros at the end: 15m, not 15m0s. From ten
// seconds on it rounds up to whole seconds, since who waits does not count finer.
func spell(ms int64) string {
	if ms >= 10_000 && ms < math.MaxInt64-1000 {
		ms = (ms + 999) / 1000 * 1000
	}
	const most = math.MaxInt64 / int64(time.Millisecond)
	text := (time.Duration(min(ms, most)) * time.Millisecond).String()
	for _, zeros := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zeros) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// oneLine keeps what a stranger sent from reaching the terminal as it is.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
