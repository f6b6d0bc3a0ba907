package main

import (
	"time"

	"github.com/aforo-dev/aforo"
)

// variant is a way to use Aforo: limits that never refuse, and limits that do
// after the first hit.
type variant struct {
	name       string
	open, shut []aforo.Limit
}

// variants is each algorithm, and three limits that hold together.
func variants() []variant {
	var list []variant
	for _, a := range aforo.Algorithms() {
		list = append(list, variant{a.String(),
			[]aforo.Limit{aforoLimit(open(0), a)}, []aforo.Limit{aforoLimit(shut(0), a)}})
	}
	three := variant{name: "three token buckets"}
	for i := range int64(3) {
		three.open = append(three.open, aforo.Per(10*(i+1), time.Hour).Burst(open(0).Burst))
		three.shut = append(three.shut, aforo.Per(i+1, time.Hour).Burst(i+1))
	}
	return append(list, three)
}

// algorithms measures Aforo alone, under all of its rules.
func (r *run) algorithms() error {
	s := &Section{
		Name: "algorithms", Title: "Aforo's algorithms, and three limits at once",
		Note: "ns a decision on 1 goroutine. On the hot key the log grows by an entry a microsecond while it is measured.",
	}
	list, hot, n := variants(), oneKey(r.Sizes.Hot), r.Sizes.Keys
	even, skewed := uniform(n, r.Sizes.Draws, 1), zipf(n, r.Sizes.Draws, 1)
	err := r.rounds(s.Name, len(list), func(i int) error {
		v := list[i]
		few, err := newAforoOf(v.open...)
		if err != nil {
			return err
		}
		r.note(s, "hot, allowed", v.name, stopwatch(few, hot), true)
		none, err := newAforoOf(v.shut...)
		if err != nil {
			return err
		}
		none.Allow(hot[0])
		r.note(s, "hot, refused", v.name, stopwatch(none, hot), false)
		many, err := newAforoOf(v.open...)
		if err != nil {
			return err
		}
		fill(many, n)
		r.note(s, short(n)+" uniform", v.name, stopwatch(many, even), true)
		r.note(s, short(n)+" Zipf", v.name, stopwatch(many, skewed), true)
		return nil
	})
	r.keep(s)
	return err
}
