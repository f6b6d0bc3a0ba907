package sim

import (
	"math"
	"slices"
	"time"

	"github.com/aforo-dev/aforo"
)

// MaxEvents is how many decisions a run keeps at most.
const MaxEvents = 100_000

const maxSteps = 10_000 // of a series

// measure collects what Result says.
type measure struct {
	load    Load
	limits  []aforo.Limit
	stores  []states
	exact   states      // the logs, one for all stores
	log     answer      // of the logs
	tallies []KeyResult // of each key
	starved []starving
	passed  []passage
	delays  []int64
	sum     float64 // of delays, which for a slow bucket is beyond integers
	never   bool    // something is never released
	events  int
	telling bool // the last event is of the decision that is being made
	watch   func(Look)
	series  *series
	r       Result
	answer  answer
}

// starving is a client that asks and is refused.
type starving struct {
	since, until int64 // until it would have been allowed, by what it was told last
	hungry       bool
}

// passage is units that passed.
type passage struct {
	at   int64
	key  uint32
	cost uint32 // no request costs more
}

func newMeasure(load Load, limits aforo.Limits, stores []states, o Options) *measure {
	m := &measure{load: load, limits: limits.List(), stores: stores, watch: o.Watch}
	m.r.Limits = limits
	m.tallies = make([]KeyResult, load.names())
	m.answer.verdicts = make([]aforo.Verdict, len(m.limits))
	m.exact = exactLogs(limits, load.names())
	m.log.verdicts = make([]aforo.Verdict, len(m.exact.limits))
	m.starved = make([]starving, load.names())
	m.events = min(o.Events, MaxEvents)
	if o.Step > 0 {
		m.series = newSeries(load, m.limits, stores, o.Step)
	}
	return m
}

// exactLogs are logs at the rates of limits. There are none if it is unlimited.
func exactLogs(limits aforo.Limits, keys int) states {
	var logs []aforo.Limit
	for _, l := range limits.List() {
		log := aforo.Per(l.Rate(), l.Period()).Using(aforo.SlidingWindowLog)
		if !l.IsUnlimited() && !slices.ContainsFunc(logs, func(other aforo.Limit) bool { return other.String() == log.String() }) {
			logs = append(logs, log)
		}
	}
	return newStates(logs, keys)
}

// before looks at what a decision finds, and gives it the place to answer.
func (m *measure) before(q *question, store int, clock int64) *answer {
	if m.series != nil {
		m.series.reach(q.decided, q.key)
	}
	m.look(q, store, clock, false)
	if len(m.r.Events) < m.events {
		m.telling = true
		m.r.Events = append(m.r.Events, m.begin(q, store, clock))
	}
	return &m.answer
}

// after looks at the decision.
func (m *measure) after(q *question, store int, clock int64, a *answer) {
	m.look(q, store, clock, true)
	if m.telling {
		m.telling = false
		m.tell(&m.r.Events[len(m.r.Events)-1], store, q.key, clock, a)
	}
	m.count(q, a)
	m.compare(q, a)
	m.starve(q, a)
	m.r.StateBytes = max(m.r.StateBytes, size(m.limits, m.stores[store].of(q.key)))
	passes := after(q.decided, a.delay)
	if a.allowed && a.delay >= 0 {
		m.passed = append(m.passed, passage{passes, q.key, uint32(q.cost)})
	}
	if m.series != nil {
		m.series.add(q, a.allowed && a.delay >= 0, passes)
	}
}

func (m *measure) count(q *question, a *answer) {
	key := &m.tallies[q.key]
	key.Requests++
	if !a.allowed {
		m.r.Refused++
		m.r.RefusedUnits += q.cost
		key.Refused++
		m.r.LongestWait = max(m.r.LongestWait, micros(a.retry))
		return
	}
	m.r.Allowed++
	m.r.AllowedUnits += q.cost
	switch held := after(q.answered-q.at, a.delay); {
	case a.delay < 0:
		m.never = true
	case held > 0:
		m.delays = append(m.delays, held)
		m.sum += float64(held)
	}
}

// compare has the logs decide the same request.
func (m *measure) compare(q *question, a *answer) {
	if len(m.exact.limits) == 0 {
		return
	}
	m.exact.take(q.key, q.decided, q.cost, &m.log)
	switch {
	case a.allowed && !m.log.allowed:
		m.r.Over++
	case !a.allowed && m.log.allowed:
		m.r.Under++
	}
}

func (m *measure) starve(q *question, a *answer) {
	s := &m.starved[q.client]
	if a.allowed {
		m.fed(s, q.at)
		return
	}
	if !s.hungry {
		s.since, s.hungry = q.at, true
	}
	s.until = after(q.at, max(0, a.retry))
}

// fed ends the hunger of a client that is allowed at an instant. If it asked late,
// what it was told last is when it could have been.
func (m *measure) fed(s *starving, at int64) {
	if s.hungry {
		m.r.LongestStarvation = max(m.r.LongestStarvation, micros(min(at, s.until)-s.since))
		s.hungry = false
	}
}

// size is how many bytes states hold.
func size(limits []aforo.Limit, kept []aforo.State) (bytes int) {
	for i := range kept {
		switch limits[i].Algorithm() {
		case aforo.SlidingWindowCounter:
			bytes += 3 * 8
		case aforo.SlidingWindowLog:
			bytes += 3*8 + kept[i].Log.Size()
		case aforo.TokenBucket, aforo.LeakyBucket, aforo.FixedWindow:
			bytes += 2 * 8
		}
	}
	return bytes
}

// micros is microseconds as a Duration, cut to the longest below Never; 0 for
// what is never.
func micros(us int64) time.Duration {
	return time.Duration(min(max(0, us), (1<<63-1)/1000)) * time.Microsecond
}

// result is what there is to say at the end.
func (m *measure) result() Result {
	r := &m.r
	for k := range m.tallies {
		one := m.tallies[k]
		if one.Requests > 0 {
			r.Keys++
		}
		if one.Refused > 0 {
			r.Touched++
		}
		if one.Refused > r.Worst.Refused {
			r.Worst = one
			r.Worst.Key = m.load.name(uint32(k))
		}
	}
	for i := range m.starved {
		m.fed(&m.starved[i], math.MaxInt64)
	}
	m.delayed()
	r.Most = most(m.load, m.limits, m.passed)
	if m.series != nil {
		r.Series = m.series.end()
	}
	return *r
}

// delayed sums up the delays: most requests have none, and are not in the list.
func (m *measure) delayed() {
	d := &m.r
	slices.Sort(m.delays)
	if n := len(m.delays); n > 0 {
		d.MeanDelay = micros(int64(min(m.sum/float64(m.r.Allowed), 1<<62)))
		d.LongestDelay = micros(m.delays[n-1])
		rank := (m.r.Allowed*99 + 99) / 100 // of all, from 1
		if i := rank - (m.r.Allowed - n); i > 0 {
			d.P99Delay = micros(m.delays[i-1])
		}
	}
	if m.never {
		d.LongestDelay = aforo.Never
	}
}
