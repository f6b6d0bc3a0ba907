package sim

import (
	"math"
	"math/rand/v2"
)

// instants is when the requests of a part come, in microseconds from its
// beginning, in order.
func (p *part) instants(chance *rand.Rand) func() (int64, bool) {
	switch p.kind.name {
	case "steady":
		return p.steady()
	case "burst":
		return p.bursts()
	case "window edge":
		return p.edges()
	case "at":
		return p.listed()
	case "sine":
		return p.varying(chance, func(at float64) (rate, highest, until float64) {
			middle, swing := (p.peak.requests+p.rate.requests)/2, (p.peak.requests-p.rate.requests)/2
			return middle - swing*math.Cos(2*math.Pi*at/float64(p.every)), p.peak.requests, float64(p.lasts)
		})
	case "flash crowd":
		return p.varying(chance, func(at float64) (rate, highest, until float64) {
			if rises := float64(p.rises); at < rises {
				return p.rate.requests, p.rate.requests, rises
			}
			now := p.rate.requests + (p.peak.requests-p.rate.requests)*math.Exp((float64(p.rises)-at)/float64(p.fading))
			if now <= p.rate.requests { // the crowd has gone
				return now, now, float64(p.lasts)
			}
			return now, now, at + float64(p.fading)
		})
	}
	return p.constant(chance)
}

// constant is a Poisson process of one rate.
func (p *part) constant(chance *rand.Rand) func() (int64, bool) {
	return p.varying(chance, func(float64) (rate, highest, until float64) {
		return p.rate.requests, p.rate.requests, float64(p.lasts)
	})
}

func (p *part) steady() func() (int64, bool) {
	i := int64(-1)
	return func() (int64, bool) {
		i++
		at := spaced(i, p.rate.per, p.rate.number)
		return at, at < p.lasts
	}
}

// bursts are number requests in each round, evenly spaced over a time, or all at
// once.
func (p *part) bursts() func() (int64, bool) {
	round, i := int64(0), int64(-1)
	return func() (int64, bool) {
		if i++; i == p.number {
			round, i = round+1, 0
		}
		at := round*p.every + spaced(i, p.over, p.number)
		return at, round < p.times()
	}
}

// edges are number requests before the edge of each window and as many after it.
func (p *part) edges() func() (int64, bool) {
	edge, i := int64(1), int64(-1)
	return func() (int64, bool) {
		if i++; i == 2*p.number {
			edge, i = edge+1, 0
		}
		at := edge*p.every - p.over + spaced(i, p.over, p.number)
		return at, edge <= p.times()
	}
}

func (p *part) listed() func() (int64, bool) {
	m, i := 0, int64(-1)
	return func() (int64, bool) {
		if i++; m < len(p.at) && i == p.at[m].requests {
			m, i = m+1, 0
		}
		if m == len(p.at) {
			return 0, false
		}
		return p.at[m].at, true
	}
}

// varying is a Poisson process whose rate changes. At each instant it is told
// the rate, and one that is not exceeded until a later instant: of a process at
// that rate, as many are kept as the rate at their instant is of it. So a rate
// that is high for a moment costs no time when it is not.
func (p *part) varying(chance *rand.Rand, rate func(at float64) (now, highest, until float64)) func() (int64, bool) {
	at := 0.0
	return func() (int64, bool) {
		for at < float64(p.lasts) {
			_, highest, until := rate(at)
			next := at + chance.ExpFloat64()/highest
			if next >= until { // nothing until then; what comes after does not depend on it
				at = until
				continue
			}
			at = next
			if now, _, _ := rate(at); now >= highest || chance.Float64()*highest < now {
				return int64(at), at < float64(p.lasts)
			}
		}
		return 0, false
	}
}
