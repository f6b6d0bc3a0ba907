package simulate

import (
	"cmp"
	"slices"

	"github.com/aforo-dev/aforo"
)

// A Most is the most units of one key that passed within one period of a limit,
// wherever it begins: a leaky bucket lets pass what it releases. The period
// holds its beginning and not its end.
type Most struct {
	Limit  string `json:"limit"`
	Period int64  `json:"period_us"`
	Units  int64  `json:"units"`
	Key    string `json:"key"`
	From   int64  `json:"from_us"` // when the period begins
}

// A passing is units that passed at an instant.
type passing struct {
	at, units int64
}

// summarise counts what the decisions say.
func (p *player) summarise() {
	passed := make(map[string][]passing)
	zero := int64(0)
	p.lane.Longest = &zero
	for i, d := range p.lane.Decisions {
		if !d.Allowed {
			p.lane.Refused++
			continue
		}
		p.lane.Allowed++
		if d.Delay == nil {
			p.lane.Longest = nil
			continue
		}
		if p.lane.Longest != nil && *d.Delay > *p.lane.Longest {
			p.lane.Longest = d.Delay
		}
		a := &p.request.Arrivals[i]
		passed[a.Key] = append(passed[a.Key], passing{a.At + *d.Delay, *a.Cost})
	}
	for i := range p.limits {
		p.lane.Most = append(p.lane.Most, most(&p.limits[i], passed))
	}
}

func most(l *aforo.Limit, passed map[string][]passing) Most {
	m := Most{Limit: l.String(), Period: l.Period().Microseconds()}
	for key, list := range passed {
		slices.SortFunc(list, func(a, b passing) int { return cmp.Compare(a.at, b.at) })
		sum, first := int64(0), 0
		for _, last := range list {
			for ; last.at-list[first].at >= m.Period; first++ {
				sum -= list[first].units
			}
			sum += last.units
			if sum > m.Units || sum == m.Units && m.before(list[first].at, key) {
				m.Units, m.From, m.Key = sum, list[first].at, key
			}
		}
	}
	return m
}

// before breaks ties, so that the order of a map decides nothing.
func (m *Most) before(at int64, key string) bool {
	return m.Units > 0 && (at < m.From || at == m.From && key < m.Key)
}
