// Package simulate plays arrivals through limits over virtual time and says,
// for each of them, what was decided and why: it is POST /v1/simulate. Package
// sim plays, by the rules of the root package; what is added here is the reason
// of each decision, with the rule's numbers put in, and the curve of the state.
package simulate

import (
	"errors"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/sim"
)

// GoodRequest is a request that examples and error messages show.
const GoodRequest = `{"limit":"5/s burst 3","arrivals":[{"t_us":0},{"t_us":100000,"cost":2}]}`

// The bounds of a simulation. What exceeds them is refused, never cut.
const (
	MaxBody      = 1 << 20   // bytes of a request
	MaxArrivals  = 5_000     // in one simulation
	MaxLanes     = 8         // that are played side by side
	MaxDecisions = 25_000    // arrivals times limits, over all lanes
	MaxInstances = 8         // of a service
	MaxClients   = 5_000     // of traffic that is described
	MaxKey       = 64        // bytes of a key
	MaxCost      = 1_000_000 // units of an arrival
	MaxTime      = 1<<53 - 1 // microseconds since the Unix epoch: the year 2255
	MaxSamples   = 1_000     // of a curve

	goodLimits    = `{"limits":["fixed_window 5/s","5/s burst 3"],"arrivals":[{"t_us":0}]}`
	goodInstances = `{"limit":"5/s","arrivals":[{"t_us":0}],"instances":"4 shared skew 2s own clocks"}`
	goodArrivals  = `{"limit":"5/s","arrivals":[{"t_us":0},{"t_us":100000,"cost":2,"key":"user:42"}]}`
	goodTraffic   = `{"limit":"5/s","traffic":"poisson 10/s for 10s","seed":1}`
	goodCurve     = `{"limit":"5/s","arrivals":[{"t_us":0}],"until_us":2000000,"samples":200}`
)

// A Request is what to simulate:
//
//	limit      a limit; without an algorithm, it is played by all five
//	limits     or several, each in a lane of its own, such as "10/s, 1000/h"
//	arrivals   the requests, in any order
//	traffic    or a description of them: see sim.ParseShape
//	seed       what the chance in traffic is drawn by; default 0
//	instances  who decides: see sim.ParseInstances; default "1"
//	from_us    where the curves begin; default: at the first arrival
//	until_us   where they end; default: at the last arrival
//	samples    points of a curve between those of the arrivals; default 200
//	curve_key  whose curve; default: the key that comes first
type Request struct {
	Limit     string    `json:"limit,omitempty"`
	Limits    []string  `json:"limits,omitempty"`
	Arrivals  []Arrival `json:"arrivals,omitempty"`
	Traffic   string    `json:"traffic,omitempty"`
	Seed      uint64    `json:"seed,omitempty"`
	Instances string    `json:"instances,omitempty"`
	From      *int64    `json:"from_us,omitempty"`
	Until     *int64    `json:"until_us,omitempty"`
	Samples   *int      `json:"samples,omitempty"`
	CurveKey  *string   `json:"curve_key,omitempty"`

	lanes     []aforo.Limits
	limits    int // of all lanes together
	load      sim.Load
	instances sim.Instances
}

// An Arrival is one request. Times are microseconds since the Unix epoch, at
// which every window begins: so small numbers will do.
type Arrival struct {
	At   int64  `json:"t_us"`
	Cost *int64 `json:"cost,omitempty"` // default 1
	Key  string `json:"key,omitempty"`
}

func (a *Arrival) cost() int64 {
	if a.Cost == nil {
		return 1
	}
	return *a.Cost
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

// readLoad makes traffic of the arrivals, or of their description, and sets from
// when to when it is drawn.
func (r *Request) readLoad() error {
	switch {
	case r.Traffic != "" && r.Arrivals != nil:
		return wrong("traffic", "", "there are arrivals as well; send one of the two", goodTraffic)
	case r.Traffic == "" && len(r.Arrivals) == 0:
		return wrong("arrivals", "", "there are none; send arrivals, or traffic", goodArrivals)
	case r.Traffic == "":
		return r.readArrivals()
	}
	shape, err := sim.ParseShape(r.Traffic)
	if err != nil {
		return wrongText("traffic", err)
	}
	if n, most := shape.Requests(), r.most(); n > most {
		return tooMany("traffic", n, most, "arrivals for so many limits", goodTraffic)
	}
	if n := shape.Clients(); n > MaxClients {
		return tooMany("traffic", n, MaxClients, "clients", goodTraffic)
	}
	r.load = shape
	from := sim.Start.UnixMicro()
	r.span(from, from+shape.Duration().Microseconds())
	return nil
}

// most is how many arrivals may be played through the limits.
func (r *Request) most() int { return min(MaxArrivals, MaxDecisions/r.limits) }

func (r *Request) readArrivals() error {
	if err := r.checkArrivals(); err != nil {
		return err
	}
	traffic := new(sim.Traffic)
	for i := range r.Arrivals {
		a := &r.Arrivals[i]
		traffic.AddCost(a.At, []byte(a.Key), uint32(a.cost()))
	}
	r.load = traffic
	first, last := traffic.Span()
	r.span(first.UnixMicro(), last.UnixMicro())
	return nil
}

// span is from when to when curves are drawn, unless something else is said.
func (r *Request) span(from, until int64) {
	if r.From == nil {
		r.From = &from
	}
	if r.Until == nil {
		until = max(until, *r.From)
		r.Until = &until
	}
}

func (r *Request) readInstances() error {
	if r.Instances == "" {
		r.Instances = "1"
	}
	in, err := sim.ParseInstances(r.Instances)
	if err != nil {
		return wrongText("instances", err)
	}
	if in.N > MaxInstances {
		return tooMany("instances", in.N, MaxInstances, "instances", goodInstances)
	}
	r.instances = in
	return nil
}

// wrongText is what is wrong with a text that package sim reads.
func wrongText(field string, err error) error {
	var t *sim.TextError
	if !errors.As(err, &t) {
		return err
	}
	return &api.RequestError{Field: field, Value: api.Cut(t.Text), Problem: t.Field + " " + api.Cut(t.Value) + ": " + t.Problem, Good: t.Good}
}
