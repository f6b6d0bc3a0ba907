package simulate

import (
	"context"
	"math"
	"time"

	"github.com/aforo-dev/aforo"
)

// A Result is what happened. Its arrivals are in order of time, with all that
// was left out put in; the decisions of each lane are in the same order.
type Result struct {
	From     int64     `json:"from_us"`
	Until    int64     `json:"until_us"`
	Arrivals []Arrival `json:"arrivals"`
	Lanes    []Lane    `json:"lanes"`
}

// A Lane is what limits that hold together did to the arrivals.
type Lane struct {
	Limit     string     `json:"limit"`
	Allowed   int        `json:"allowed"`
	Refused   int        `json:"refused"`
	Most      []Most     `json:"most"`             // one for each limit
	Longest   *int64     `json:"longest_delay_us"` // null if never released
	Decisions []Decision `json:"decisions"`
	Curves    []Curve    `json:"curves"`
}

// A Decision is what was decided about an arrival. Times are microseconds from
// its own; null is never.
type Decision struct {
	Allowed    bool   `json:"allowed"`
	Remaining  *int64 `json:"remaining"` // null if unlimited
	RetryAfter *int64 `json:"retry_after_us"`
	ResetAfter *int64 `json:"reset_after_us"`
	Delay      *int64 `json:"delay_us"`
	Why        []Why  `json:"why"` // one for each limit
}

// Run simulates a request that Parse has read. Its error is that of ctx.
func Run(ctx context.Context, r *Request) (*Result, error) {
	last := r.Arrivals[len(r.Arrivals)-1].At
	result := &Result{From: r.Arrivals[0].At, Until: last, Arrivals: r.Arrivals}
	players := make([]*player, len(r.lanes))
	for i, limits := range r.lanes {
		p, err := newPlayer(r, limits)
		if err != nil {
			return nil, err
		}
		if err := p.play(ctx, result.From, last); err != nil {
			return nil, err
		}
		result.Until = max(result.Until, p.lastRelease)
		players[i] = p
	}
	if r.Until != nil {
		result.Until = max(*r.Until, last)
	}
	for _, p := range players {
		p.drawEvenly(last, result.Until)
		p.summarise()
		result.Lanes = append(result.Lanes, p.lane)
	}
	return result, nil
}

// A player plays one lane.
type player struct {
	request     *Request
	limits      []aforo.Limit // none if unlimited
	books       []*book       // one, or one for each instance
	limiters    []*aforo.Limiter
	lane        Lane
	lastRelease int64
}

func newPlayer(r *Request, limits aforo.Limits) (*player, error) {
	p := &player{request: r, limits: limits.List(), lane: Lane{Limit: limits.String(), Most: []Most{}, Curves: []Curve{}}}
	if p.limits[0].IsUnlimited() {
		p.limits = nil
	}
	books := 1
	if r.Store == "own" {
		books = r.Instances
	}
	for own := range books {
		b := newBook()
		limiter, err := aforo.NewLimiter(limits, aforo.WithStore(b))
		if err != nil {
			return nil, err
		}
		p.books, p.limiters = append(p.books, b), append(p.limiters, limiter)
		p.newCurves(own)
	}
	return p, nil
}

// play decides the arrivals, and draws the curves meanwhile.
func (p *player) play(ctx context.Context, from, last int64) error {
	grid := grid{from: from, span: last - from, samples: *p.request.Samples}
	for i := range p.request.Arrivals {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := &p.request.Arrivals[i]
		for t, ok := grid.next(a.At); ok; t, ok = grid.next(a.At) {
			p.drawAll(t)
		}
		own := *a.Instance % len(p.books)
		b := p.books[own]
		b.now, b.why = a.At+p.skew(*a.Instance), []Why{}
		p.drawKey(a, own)
		d, err := p.limiters[own].AllowN(ctx, a.Key, *a.Cost)
		if err != nil {
			return err
		}
		p.drawKey(a, own)
		p.note(a, d, b.why)
	}
	return nil
}

// skew is by how much the clock that decides for an instance is ahead.
func (p *player) skew(instance int) int64 {
	if p.request.Store == "shared" && p.request.Clock == "store" {
		return 0
	}
	return p.request.Skew[instance]
}

// note writes a decision down.
func (p *player) note(a *Arrival, d aforo.Decision, why []Why) {
	one := Decision{Allowed: d.Allowed, RetryAfter: micros(d.RetryAfter), ResetAfter: micros(d.ResetAfter), Delay: micros(d.Delay), Why: why}
	if !d.Unlimited {
		one.Remaining = &d.Remaining
	}
	if d.Allowed && one.Delay != nil && *one.Delay <= MaxTime-a.At {
		p.lastRelease = max(p.lastRelease, a.At+*one.Delay)
	}
	p.lane.Decisions = append(p.lane.Decisions, one)
}

// micros is a wait in microseconds, nil if it is never.
func micros(d time.Duration) *int64 {
	if d == aforo.Never {
		return nil
	}
	return pointer(min(d.Microseconds(), math.MaxInt64/1000))
}
