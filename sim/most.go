package sim

import (
	"cmp"
	"slices"

	"github.com/aforo-dev/aforo"
)

// most finds the most that passed of one key in a window of any of the limits.
func most(load Load, limits []aforo.Limit, passed []passage) (worst Most) {
	byKey := group(passed, load.names())
	for i := range limits {
		l := &limits[i]
		if l.IsUnlimited() {
			continue
		}
		one := Most{Rate: l.Rate(), Period: l.Period()}
		for key, passed := range byKey {
			if units := mostOf(passed, l.Period().Microseconds()); units > one.Units {
				one.Units, one.Key = units, load.name(uint32(key))
			}
		}
		if worst.Period == 0 || one.factor() > worst.factor() {
			worst = one
		}
	}
	return worst
}

// group is the passages of each key in order of time.
func group(passed []passage, keys int) [][]passage {
	ends := make([]int, keys+1) // of each key, shifted by one
	for _, p := range passed {
		ends[p.key+1]++
	}
	for key := range keys {
		ends[key+1] += ends[key]
	}
	all, next := make([]passage, len(passed)), slices.Clone(ends)
	for _, p := range passed {
		all[next[p.key]] = p
		next[p.key]++
	}
	byKey := make([][]passage, keys)
	for key := range keys {
		byKey[key] = all[ends[key]:ends[key+1]]
		if !slices.IsSortedFunc(byKey[key], sooner) {
			slices.SortFunc(byKey[key], sooner)
		}
	}
	return byKey
}

func sooner(a, b passage) int { return cmp.Compare(a.at, b.at) }

// mostOf is the most in any window [t, t+period) of one key's passages: one that
// ends just after a passage.
func mostOf(passed []passage, period int64) (most int64) {
	first, inside := 0, int64(0)
	for _, p := range passed {
		inside += int64(p.cost)
		for p.at-passed[first].at >= period {
			inside -= int64(passed[first].cost)
			first++
		}
		most = max(most, inside)
	}
	return most
}

// factor is how many times the rate passed.
func (m Most) factor() float64 { return float64(m.Units) / float64(max(1, m.Rate)) }
