package simulate

import (
	"math"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// A Curve is the state of one key in one store as a person would draw it: the
// tokens of a token bucket, the queue of a leaky one, the count of a window, the
// weighted count of a sliding window counter.
type Curve struct {
	Limit    string       `json:"limit"`
	Of       string       `json:"of"`       // tokens, queue, count, weighted_count
	Instance *int         `json:"instance"` // whose store it is; null if there is one for all
	Capacity int64        `json:"capacity"`
	Points   [][2]float64 `json:"points"` // t_us and value, in order of time
}

var curveOf = map[aforo.Algorithm]string{
	aforo.TokenBucket:          "tokens",
	aforo.LeakyBucket:          "queue",
	aforo.FixedWindow:          "count",
	aforo.SlidingWindowLog:     "count",
	aforo.SlidingWindowCounter: "weighted_count",
}

// A watcher looks at the states of a lane while it is played: it draws their
// curves and writes down the reasons.
type watcher struct {
	limits []aforo.Limit
	stores []drawn
	key    *string // whose curve; nil until somebody has come
	grid   grid
	why    [][]Why // of each decision
}

// drawn is what is known of the curve's key in a store.
type drawn struct {
	states []aforo.State
	skew   int64 // by how much the store's clock is ahead
	curves []Curve
}

func newWatcher(r *Request, limits aforo.Limits) *watcher {
	w := &watcher{limits: limits.List(), key: r.CurveKey, grid: grid{*r.From, *r.Until - *r.From, *r.Samples, 0}}
	if w.limits[0].IsUnlimited() {
		w.limits = nil
	}
	stores := 1
	if !r.instances.Shared {
		stores = max(1, r.instances.N)
	}
	for own := range stores {
		d := drawn{states: make([]aforo.State, len(w.limits)), curves: make([]Curve, len(w.limits))}
		for i := range w.limits {
			l := &w.limits[i]
			d.curves[i] = Curve{Limit: l.String(), Of: curveOf[l.Algorithm()], Capacity: l.Capacity(), Points: [][2]float64{}}
			if stores > 1 {
				d.curves[i].Instance = &own
			}
		}
		w.stores = append(w.stores, d)
	}
	return w
}

// look is told of each decision, before it is made and after it.
func (w *watcher) look(l sim.Look) {
	if !l.After {
		w.why = append(w.why, explain(w.limits, l))
	}
	if w.key == nil {
		w.key = &l.Key
	}
	w.sample(l.Decided)
	if l.Key != *w.key {
		return
	}
	s := &w.stores[l.Store]
	if len(w.stores) > 1 {
		s.skew = l.Clock - l.Decided
	}
	for i := range w.limits {
		s.states[i] = l.States[i].Clone()
	}
	s.draw(w.limits, l.Decided, l.Clock)
}

// sample draws all curves up to an instant.
func (w *watcher) sample(before int64) {
	for t, ok := w.grid.next(before); ok; t, ok = w.grid.next(before) {
		for i := range w.stores {
			w.stores[i].draw(w.limits, t, t+w.stores[i].skew)
		}
	}
}

// end is the curves, drawn to their end.
func (w *watcher) end() []Curve {
	w.sample(math.MaxInt64)
	curves := []Curve{}
	for _, s := range w.stores {
		curves = append(curves, s.curves...)
	}
	return curves
}

// draw adds a point to the curves of a store, by what its clock says.
func (s *drawn) draw(limits []aforo.Limit, t, clock int64) {
	for i := range limits {
		u := measure(&limits[i], s.states[i], clock)
		s.curves[i].Points = append(s.curves[i].Points, [2]float64{float64(t), u.shown(&limits[i])})
	}
}

// shown is what a curve shows of what is used.
func (u *usage) shown(l *aforo.Limit) float64 {
	used := u.float()
	if l.Algorithm() == aforo.TokenBucket {
		used = float64(l.Capacity()) - used
	}
	return math.Round(used*1e6) / 1e6
}

// A grid is even distances in a span of time, its beginning and end included.
type grid struct {
	from, span int64
	samples, i int
}

// next is the next instant of the grid, if there is one before another.
func (g *grid) next(before int64) (t int64, ok bool) {
	n, i := int64(g.samples), int64(g.i)
	if n == 0 || i > n {
		return 0, false
	}
	t = g.from + g.span/n*i + g.span%n*i/n
	if t >= before {
		return 0, false
	}
	g.i++
	return t, true
}
