package simulate

import (
	"math"

	"github.com/aforo-dev/aforo"
)

// A Curve is the state of the curve's key, in one store, as a person would draw
// it: the tokens of a token bucket, the queue of a leaky one, the count of a
// window, the weighted count of a sliding window counter.
type Curve struct {
	Limit    string       `json:"limit"`
	Of       string       `json:"of"`       // tokens, queue, count, weighted_count
	Instance *int         `json:"instance"` // whose store it is; null if it is shared
	Capacity int64        `json:"capacity"`
	Points   [][2]float64 `json:"points"` // t_us and value
}

var curveOf = map[aforo.Algorithm]string{
	aforo.TokenBucket:          "tokens",
	aforo.LeakyBucket:          "queue",
	aforo.FixedWindow:          "count",
	aforo.SlidingWindowLog:     "count",
	aforo.SlidingWindowCounter: "weighted_count",
}

// newCurves are the curves of one store, one for each limit.
func (p *player) newCurves(own int) {
	for i := range p.limits {
		l := &p.limits[i]
		c := Curve{Limit: l.String(), Of: curveOf[l.Algorithm()], Capacity: l.Capacity(), Points: [][2]float64{}}
		if p.request.Store == "own" {
			c.Instance = &own
		}
		p.lane.Curves = append(p.lane.Curves, c)
	}
}

// drawKey adds a point to the curves of an arrival's store, if it is of their
// key.
func (p *player) drawKey(a *Arrival, own int) {
	if a.Key == *p.request.CurveKey {
		p.draw(own, a.At, p.books[own].now)
	}
}

// drawAll adds a point to all curves. A shared store has the true clock.
func (p *player) drawAll(t int64) {
	for own := range p.books {
		now := t
		if p.request.Store == "own" {
			now += p.skew(own)
		}
		p.draw(own, t, now)
	}
}

// draw adds a point to the curves of a store, by its clock.
func (p *player) draw(own int, t, now int64) {
	for i, s := range p.books[own].of(*p.request.CurveKey, len(p.limits)) {
		u := measure(&p.limits[i], s, now)
		c := &p.lane.Curves[own*len(p.limits)+i]
		c.Points = append(c.Points, [2]float64{float64(t), shown(&p.limits[i], u.float())})
	}
}

// drawEvenly draws the curves after the last arrival.
func (p *player) drawEvenly(from, until int64) {
	grid := grid{from: from, span: until - from, samples: *p.request.Samples}
	for t, ok := grid.next(until + 1); ok; t, ok = grid.next(until + 1) {
		p.drawAll(t)
	}
}

// A grid is even distances in a span of time.
type grid struct {
	from, span int64
	samples, i int
}

// next is the next instant of the grid, if there is one before another.
func (g *grid) next(before int64) (t int64, ok bool) {
	n, i := int64(g.samples), int64(g.i)
	if g.span == 0 || i >= n {
		return 0, false
	}
	i++
	t = g.from + g.span/n*i + g.span%n*i/n
	if t >= before {
		return 0, false
	}
	g.i++
	return t, true
}

// shown is what a curve shows of what is used.
func shown(l *aforo.Limit, used float64) float64 {
	if l.Algorithm() == aforo.TokenBucket {
		used = float64(l.Capacity()) - used
	}
	return math.Round(used*1e6) / 1e6
}
