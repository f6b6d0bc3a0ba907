package simulate

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/sim"
)

// A Result is what happened, in the lane of each limit, and from when to when
// the curves are drawn.
type Result struct {
	From  int64  `json:"from_us"`
	Until int64  `json:"until_us"`
	Lanes []Lane `json:"lanes"`
}

// A Lane is what limits that hold together did to the arrivals. Over and Under
// are how many exact logs decided otherwise: see sim.Result.
type Lane struct {
	Limit     string     `json:"limit"`
	Allowed   int        `json:"allowed"`
	Refused   int        `json:"refused"`
	Most      *Most      `json:"most"`             // null if unlimited
	Longest   *int64     `json:"longest_delay_us"` // null if never released
	Over      int        `json:"over"`
	Under     int        `json:"under"`
	Decisions []Decision `json:"decisions"`
	Curves    []Curve    `json:"curves"`
}

// Most is the most units of one key that passed in any window as long as a
// limit's period, wherever it begins; a leaky bucket's when it releases them.
type Most struct {
	Units  int64  `json:"units"`
	Rate   int64  `json:"rate"`
	Period int64  `json:"period_us"`
	Key    string `json:"key"`
}

// A Decision is an arrival and what was decided about it, in the order in which
// it was decided. Waits are from then on; null is never.
type Decision struct {
	At         int64  `json:"t_us"`
	Decided    int64  `json:"decided_us,omitempty"` // if the way to the store takes time
	Key        string `json:"key,omitempty"`
	Cost       int64  `json:"cost"`
	Instance   int    `json:"instance"`
	Allowed    bool   `json:"allowed"`
	RetryAfter *int64 `json:"retry_after_us"`
	Delay      *int64 `json:"delay_us"`
	Why        []Why  `json:"why"` // one for each limit, none if unlimited
}

// Run simulates a request that Parse has read. Its errors are that of ctx, and
// *SizeError for clients that send more because of the answers they get.
func Run(ctx context.Context, r *Request) (*Result, error) {
	result := &Result{From: *r.From, Until: *r.Until}
	for _, limits := range r.lanes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lane, err := r.play(ctx, limits)
		if err != nil {
			return nil, err
		}
		result.Lanes = append(result.Lanes, *lane)
	}
	return result, nil
}

// play plays one lane.
func (r *Request) play(ctx context.Context, limits aforo.Limits) (*Lane, error) {
	w := newWatcher(r, limits)
	played, err := sim.Run(ctx, r.load, limits, sim.Options{
		Seed: r.Seed, Instances: r.instances, Events: MaxArrivals, MaxRequests: r.most(), Watch: w.look,
	})
	var long *sim.TooLongError
	if errors.As(err, &long) {
		return nil, &SizeError{api.RequestError{Field: "traffic", Good: goodTraffic,
			Problem: "with the requests of clients that come back, it has more than the most that may be played; make it shorter, or with fewer clients"}}
	}
	if err != nil {
		return nil, err
	}
	lane := &Lane{Limit: limits.String(), Allowed: played.Allowed, Refused: played.Refused, Longest: micros(played.LongestDelay),
		Over: played.Over, Under: played.Under, Decisions: make([]Decision, len(played.Events)), Curves: w.end()}
	if m := played.Most; m.Period > 0 {
		lane.Most = &Most{Units: m.Units, Rate: m.Rate, Period: m.Period.Microseconds(), Key: m.Key}
	}
	for i := range played.Events {
		lane.Decisions[i] = newDecision(&played.Events[i], w.why[i])
	}
	return lane, nil
}

func newDecision(e *sim.Event, why []Why) Decision {
	d := Decision{At: e.At, Key: e.Key, Cost: e.Cost, Instance: e.Instance, Allowed: e.Allowed,
		RetryAfter: orNever(e.Retry), Delay: orNever(e.Delay), Why: why}
	if e.Decided != e.At {
		d.Decided = e.Decided
	}
	for i := range why {
		v := e.Limits[i].Verdict
		why[i].Remaining, why[i].ResetAfter = v.Remaining, orNever(v.Reset)
	}
	return d
}

// orNever is a wait, nil if it is -1.
func orNever(us int64) *int64 {
	if us < 0 {
		return nil
	}
	return &us
}

// micros is a wait in microseconds, nil if it is never.
func micros(d time.Duration) *int64 {
	if d == aforo.Never {
		return nil
	}
	return new(min(d.Microseconds(), math.MaxInt64/1000))
}
