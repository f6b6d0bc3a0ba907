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
		return p.varying(chance, p.peak.requests, func(at float64) float64 {
			middle, swing := (p.peak.requests+p.rate.requests)/2, (p.peak.requests-p.rate.requests)/2
			return middle - swing*math.Cos(2*math.Pi*at/float64(p.every))
		})
	case "flash crowd":
		return p.varying(chance, p.peak.requests, func(at float64) float64 {
			if at < float64(p.rises) {
				return p.rate.requests
			}
			return p.rate.requests + (p.peak.requests-p.rate.requests)*math.Exp((float64(p.rises)-at)/float64(p.fading))
		})
	}
	return p.varying(chance, p.rate.requests, func(float64) float64 { return p.rate.requests })
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

// varying is a Poisson process whose rate changes: of one at the highest rate,
// as many are kept as the rate at their instant is of the highest.
func (p *part) varying(chance *rand.Rand, highest float64, rate func(at float64) float64) func() (int64, bool) {
	at := 0.0
	return func() (int64, bool) {
		for {
			at += chance.ExpFloat64() / highest
			if at >= float64(p.lasts) {
				return 0, false
			}
			if now := rate(at); now >= highest || chance.Float64()*highest < now {
				return int64(at), true
			}
		}
	}
}
