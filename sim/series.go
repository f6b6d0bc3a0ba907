package sim

import (
	"time"

	"github.com/aforo-dev/aforo"
)

// series divides the time of a load into equal stretches.
type series struct {
	from, step int64 // microseconds
	steps      int
	in, out    []int64
	limits     []aforo.Limit
	stores     []states
	level      [][]float64
	watched    uint32
	begun      bool
	sampled    int // ends of stretches
}

func newSeries(load Load, limits []aforo.Limit, stores []states, stretch time.Duration) *series {
	from, until := load.span()
	span := max(1, until-from)
	step := max(1, stretch.Microseconds(), (span+maxSteps-1)/maxSteps)
	steps := int((span + step - 1) / step)
	return &series{from: from, step: step, steps: steps, in: make([]int64, steps), out: make([]int64, steps),
		limits: limits, stores: stores, level: make([][]float64, len(limits))}
}

// stretch is the stretch in which an instant lies; false if it is in none.
func (s *series) stretch(at int64) (int, bool) {
	b := (at - s.from) / s.step
	if b == int64(s.steps) && (at-s.from)%s.step == 0 {
		b-- // the last instant of all
	}
	return int(b), at >= s.from && 0 <= b && b < int64(s.steps) // without overflow
}

// add counts a request, and its passing.
func (s *series) add(q *question, allowed bool, passes int64) {
	if b, ok := s.stretch(q.at); ok {
		s.in[b] += q.cost
	}
	if !allowed {
		return
	}
	if b, ok := s.stretch(passes); ok {
		s.out[b] += q.cost
	}
}

// reach takes down the levels at the ends of the stretches before an instant.
func (s *series) reach(at int64, key uint32) {
	if !s.begun {
		s.watched, s.begun = key, true
	}
	for ; s.sampled < s.steps && s.from+int64(s.sampled+1)*s.step <= at; s.sampled++ {
		s.sample(s.from + int64(s.sampled+1)*s.step)
	}
}

func (s *series) sample(at int64) {
	for i, l := range s.limits {
		level := 0.0
		for store := range s.stores {
			if s.begun {
				level += Gauge(l, s.stores[store].of(s.watched)[i], at)
			}
		}
		s.level[i] = append(s.level[i], level)
	}
}

func (s *series) end() Series {
	for ; s.sampled < s.steps; s.sampled++ {
		s.sample(s.from + int64(s.sampled+1)*s.step)
	}
	return Series{From: s.from, Step: time.Duration(s.step) * time.Microsecond, In: s.in, Out: s.out, Level: s.level}
}
