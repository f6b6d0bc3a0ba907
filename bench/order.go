package main

import "sort"

// ordered is the subjects as a reader wants them: Aforo, the yardsticks, then
// the others, the one that costs least in the first case first. Where Aforo is
// not compared they stay as they are.
func ordered(r *Results, s *Section) []string {
	list := s.subjects()
	if len(s.Cases) == 0 {
		return list
	}
	first := s.Cases[0]
	if _, compared := first.sample(aforoName); !compared {
		return list
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := place(r, list[i]), place(r, list[j])
		if a != b || a < 2 {
			return a < b
		}
		x, _ := first.sample(list[i])
		y, _ := first.sample(list[j])
		return x.Median < y.Median
	})
	return list
}

func place(r *Results, subject string) int {
	switch {
	case subject == aforoName:
		return 0
	case r.isYardstick(subject):
		return 1
	}
	return 2
}

// cheaper is a peer that costs less than Aforo somewhere.
type cheaper struct {
	section, caseName, subject, times string
}

// whereCheaper finds them all, so that none has to be looked for.
func whereCheaper(r *Results) (list []cheaper) {
	for i := range r.Sections {
		s := &r.Sections[i]
		for _, c := range s.Cases {
			own, compared := c.sample(aforoName)
			for _, x := range c.Samples {
				if compared && isLess(x.Median, own.Median) && !r.isYardstick(x.Subject) {
					list = append(list, cheaper{s.Title, c.Name, x.Subject, ratio(x.Median, own.Median)})
				}
			}
		}
	}
	return list
}
