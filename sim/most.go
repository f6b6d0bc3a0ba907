package sim

import (
	"cmp"
	"slices"

	"github.com/aforo-dev/aforo"
)

// most finds the most that passed of one key in a window of any of the limits.
func most(load Load, limits []aforo.Limit, passed []passage) (worst Most) {
	slices.SortStableFunc(passed, func(a, b passage) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	for i := range limits {
		l := &limits[i]
		if l.IsUnlimited() {
			continue
		}
		one := Most{Rate: l.Rate(), Period: l.Period()}
		for rest := passed; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].key == rest[0].key {
				n++
			}
			if units := mostOf(rest[:n], l.Period().Microseconds()); units > one.Units {
				one.Units, one.Key = units, load.name(rest[0].key)
			}
			rest = rest[n:]
		}
		if worst.Period == 0 || one.factor() > worst.factor() {
			worst = one
		}
	}
	return worst
}

// mostOf is the most in any window [t, t+period) of one key's passages: one that
// ends just after a passage.
func mostOf(passed []passage, period int64) (most int64) {
	first, inside := 0, int64(0)
	for _, p := range passed {
		inside += p.cost
		for p.at-passed[first].at >= period {
			inside -= passed[first].cost
			first++
		}
		most = max(most, inside)
	}
	return most
}

// factor is how many times the rate passed.
func (m Most) factor() float64 { return float64(m.Units) / float64(max(1, m.Rate)) }
