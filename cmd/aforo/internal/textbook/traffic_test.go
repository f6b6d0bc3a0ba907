package textbook

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
	"github.com/aforo-dev/aforo/sim"
)

// The traffic that all five algorithms meet, and the limit that they hold it to:
// a calm beginning, a burst before the edge of a window and one after it, then
// twice the rate for a while, silence, and a burst again.
const (
	trafficLimit  = "5/10s"
	trafficShape  = "at 1s 3s 9s*6 11s*6 then steady 1/s for 14s then at 10s*6"
	trafficPeriod = 10 * second

	second = int64(1_000_000)
	minute = 60 * second
)

var trafficEnd = sim.Start.Add(50 * time.Second)

// five are the algorithms in the order of the documents.
var five = []string{"token_bucket", "leaky_bucket", "fixed_window", "sliding_window_log", "sliding_window_counter"}

func fiveLimits() (limits []string) {
	for _, algorithm := range five {
		limits = append(limits, algorithm+" "+trafficLimit)
	}
	return limits
}

// A laneSum is what came of the traffic in one lane.
type laneSum struct {
	AtOnce, Delayed, Refused int
	Allowed                  int
	Most                     int64         // in any window of the period
	Longest                  time.Duration // delay
	Wait                     time.Duration // the longest that a refusal told
}

func sum(l simulate.Lane) (s laneSum) {
	for _, d := range l.Decisions {
		switch {
		case !d.Allowed:
			s.Refused++
			s.Wait = max(s.Wait, time.Duration(*d.RetryAfter)*time.Microsecond)
		case *d.Delay > 0:
			s.Delayed++
			s.Longest = max(s.Longest, time.Duration(*d.Delay)*time.Microsecond)
		default:
			s.AtOnce++
		}
	}
	s.Allowed, s.Most = s.AtOnce+s.Delayed, l.Most.Units
	return s
}

// A passage is what passes at one instant.
type passage struct {
	at    int64
	units int
	mark  string
}

// passages are what a lane lets through, in order of time.
func passages(l simulate.Lane) (list []passage) {
	for _, d := range l.Decisions {
		if !d.Allowed {
			continue
		}
		at := d.At + *d.Delay
		if n := len(list); n > 0 && list[n-1].at == at {
			list[n-1].units++
			continue
		}
		list = append(list, passage{at: at, units: 1, mark: markOf(d)})
	}
	return list
}

// measureTraffic is the traffic through all five.
func measureTraffic(t *testing.T) (sums map[string]laneSum, requests int) {
	sums = map[string]laneSum{}
	for i, l := range playLanes(t, fiveLimits()...).Lanes {
		sums[five[i]] = sum(l)
		requests = len(l.Decisions)
	}
	return sums, requests
}

// run plays a shape through limits.
func run(t *testing.T, shape, limits string, o sim.Options) sim.Result {
	t.Helper()
	s, err := sim.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	return runLoad(t, s, limits, o)
}

func runLoad(t *testing.T, load sim.Load, limits string, o sim.Options) sim.Result {
	t.Helper()
	parsed, err := aforo.ParseLimits(limits)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(context.Background(), load, parsed, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// imagePath is where the picture of a limit is; its name is the algorithm's.
func imagePath(limit string) string {
	name, _, _ := strings.Cut(limit, " ")
	return checkout + "/docs/img/algorithms-" + name + ".svg"
}
