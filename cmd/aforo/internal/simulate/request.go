// Package simulate plays arrivals through limits over virtual time and says,
// for each of them, what was decided and why: it is POST /v1/simulate. Every
// decision is made by an aforo.Limiter; what is added here is the reason, with
// the rule's numbers put in, and the curve of the state.
package simulate

import (
	"cmp"
	"slices"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// GoodRequest is a request that examples and error messages show.
const GoodRequest = `{"limit":"5/s burst 3","arrivals":[{"t_us":0},{"t_us":100000,"cost":2}]}`

// The bounds of a simulation. What exceeds them is refused, never cut.
const (
	MaxBody      = 1 << 20        // bytes of a request
	MaxArrivals  = 5_000          // in one simulation
	MaxLanes     = 8              // that are played side by side
	MaxDecisions = 25_000         // arrivals times limits, over all lanes
	MaxInstances = 8              // of a service
	MaxKey       = 64             // bytes of a key
	MaxTime      = 1<<53 - 1      // microseconds since the Unix epoch: the year 2255
	MaxSkew      = 86_400_000_000 // microseconds by which a clock is ahead or behind: a day
	MaxSamples   = 1_000          // of a curve between the arrivals
	goodLimits   = `{"limits":["fixed_window 5/s","5/s burst 3"],"arrivals":[{"t_us":0}]}`
	goodClocks   = `{"limit":"5/s","arrivals":[{"t_us":0}],"instances":2,"skew_us":[0,-300000]}`
	goodArrivals = `{"limit":"5/s","arrivals":[{"t_us":0},{"t_us":100000,"cost":2,"key":"user:42"}]}`
)

// A Request is what to simulate:
//
//	limit      a limit; without an algorithm, it is played by all five
//	limits     or several, each in a lane of its own, such as "10/s, 1000/h"
//	arrivals   the requests, in any order
//	instances  how many instances of a service decide; default 1
//	store      "shared" (default), or "own": each instance has its own state
//	clock      whose clock decides on a shared store: that of the "store"
//	           (default), or of the "instance", as limiters do that send the time
//	skew_us    by how much the clock of each instance is ahead; default 0
//	until_us   where the curves end; default: at the last arrival or release
//	samples    points of a curve between the arrivals, default 200
//	curve_key  whose curve; default: the key of the first arrival
type Request struct {
	Limit     string    `json:"limit,omitempty"`
	Limits    []string  `json:"limits,omitempty"`
	Arrivals  []Arrival `json:"arrivals"`
	Instances int       `json:"instances,omitempty"`
	Store     string    `json:"store,omitempty"`
	Clock     string    `json:"clock,omitempty"`
	Skew      []int64   `json:"skew_us,omitempty"`
	Until     *int64    `json:"until_us,omitempty"`
	Samples   *int      `json:"samples,omitempty"`
	CurveKey  *string   `json:"curve_key,omitempty"`

	lanes []aforo.Limits
}

// An Arrival is one request. Times are microseconds since the Unix epoch, at
// which every window begins: so small numbers will do. Without an instance,
// arrivals are dealt to them in turn.
type Arrival struct {
	At       int64  `json:"t_us"`
	Cost     *int64 `json:"cost,omitempty"`
	Key      string `json:"key,omitempty"`
	Instance *int   `json:"instance,omitempty"`
}

// cost is 1 unless something else is said.
func (a *Arrival) cost() int64 {
	if a.Cost == nil {
		return 1
	}
	return *a.Cost
}

// prepare sets what was left out, and puts the arrivals in order of time.
func (r *Request) prepare() {
	r.Instances = max(1, r.Instances)
	if r.Store == "" {
		r.Store = "shared"
	}
	if r.Clock == "" {
		r.Clock = "store"
	}
	if r.Samples == nil {
		samples := 200
		r.Samples = &samples
	}
	r.Skew = append(r.Skew, make([]int64, max(0, r.Instances-len(r.Skew)))...)
	slices.SortStableFunc(r.Arrivals, func(a, b Arrival) int { return cmp.Compare(a.At, b.At) })
	for i := range r.Arrivals {
		a := &r.Arrivals[i]
		if cost := a.cost(); a.Cost == nil {
			a.Cost = &cost
		}
		if a.Instance == nil {
			turn := i % r.Instances
			a.Instance = &turn
		}
	}
	if r.CurveKey == nil {
		r.CurveKey = &r.Arrivals[0].Key
	}
}

// readLanes parses the limits.
func (r *Request) readLanes() error {
	switch {
	case r.Limit != "" && r.Limits != nil:
		return wrong("limits", "", "there is a limit as well; send one of the two", goodLimits)
	case len(r.Limits) > MaxLanes:
		return tooMany("limits", len(r.Limits), MaxLanes, "lanes", goodLimits)
	case r.Limit == "" && len(r.Limits) == 0:
		return wrong("limit", "", "it is missing; send a limit, or limits", GoodRequest)
	}
	if r.Limit != "" {
		lanes, err := sim.Expand(r.Limit)
		r.lanes = lanes
		return wrongLimit("limit", r.Limit, err)
	}
	for i, text := range r.Limits {
		limits, err := aforo.ParseLimits(text)
		if err != nil {
			return wrongLimit(place("limits", i), text, err)
		}
		r.lanes = append(r.lanes, limits)
	}
	return nil
}
