package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// run is a run in progress.
type run struct {
	Results
	only     []string // sections to measure; none for all
	progress io.Writer
	wrong    map[string]float64 // the largest part of wrong answers, by where
}

// experiments are all measurements, each with the sections that it fills.
var experiments = []struct {
	sections []string
	measure  func(*run) error
}{
	{[]string{"hot"}, (*run).hot},
	{[]string{"parts"}, (*run).parts},
	{[]string{"uniform", "zipf"}, (*run).large},
	{[]string{"algorithms"}, (*run).algorithms},
	{[]string{"curve"}, (*run).curve},
	{[]string{"log"}, (*run).log},
	{[]string{"memory"}, (*run).memory},
	{[]string{"growth"}, (*run).growth},
}

// sectionNames lists what -only knows.
func sectionNames() (names []string) {
	for _, e := range experiments {
		names = append(names, e.sections...)
	}
	return names
}

func (r *run) wants(section string) bool {
	return len(r.only) == 0 || slices.Contains(r.only, section)
}

// measure carries out all experiments that are wanted.
func (r *run) measure() error {
	for _, e := range experiments {
		if !slices.ContainsFunc(e.sections, r.wants) {
			continue
		}
		if err := e.measure(r); err != nil {
			return fmt.Errorf("%v: %w", e.sections, err)
		}
	}
	return nil
}

// rounds calls measure in as many rounds as repetitions were asked for.
func (r *run) rounds(section string, n int, measure func(subject int) error) error {
	return r.someRounds(r.Sizes.Reps, section, n, measure)
}

// someRounds calls measure once for each of n subjects, again and again, each round
// with another one first. So what disturbs the machine for a while disturbs all
// of them, and none is always behind the same other.
func (r *run) someRounds(reps int, section string, n int, measure func(subject int) error) error {
	for round := range reps {
		fmt.Fprintf(r.progress, "%s: round %d of %d\n", section, round+1, reps)
		for i := range n {
			if err := measure((i + round) % n); err != nil {
				return err
			}
		}
	}
	return nil
}

// note adds a timing to a section. It remembers whether the limiter answered as
// the workload needs it: all allowed, or all refused.
func (r *run) note(s *Section, caseName, subject string, t timing, allowed bool) {
	s.add(caseName, "ns", subject, t.perDecision)
	wrong := t.allowed
	if allowed {
		wrong = t.decisions - t.allowed
	}
	if wrong > 0 && subject != loopName {
		where := fmt.Sprintf("%s, %s: %s", s.Title, caseName, subject)
		r.wrong[where] = max(r.wrong[where], float64(wrong)/float64(t.decisions))
	}
}

// keep puts a finished section into the results.
func (r *run) keep(s *Section) { r.Sections = append(r.Sections, *s) }

// warnings tell where a limiter did not answer as it had to.
func (r *run) warnings() (list []string) {
	for _, where := range slices.Sorted(maps.Keys(r.wrong)) {
		list = append(list, fmt.Sprintf("%s gave up to %.2g %% wrong answers", where, 100*r.wrong[where]))
	}
	return list
}
