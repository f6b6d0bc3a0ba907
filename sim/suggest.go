package sim

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/aforo-dev/aforo"
)

// An Aim is how many may be touched by a limit that is suggested.
type Aim struct {
	// PPM is the share of clients that may be refused at least once, or of
	// requests that may be refused, in parts per million; 0 is nobody.
	PPM int64

	// OfRequests says that it is a share of requests.
	OfRequests bool
}

// most is how many of n that is.
func (a Aim) most(n int64) int64 {
	return n/1_000_000*a.PPM + n%1_000_000*a.PPM/1_000_000
}

// A Suggestion is the least limit of one algorithm and period that was found to
// touch no more than the aim. Numbers are round ones: 1, 2, 3, 4, 5, 6, 8, 10,
// 12, 15, 20 and so on.
type Suggestion struct {
	Limit  aforo.Limit
	Effect Effect

	// Curve is what else there is to choose, each with the whole of the rate as
	// burst, from nobody touched to a tenth of the clients, or to the aim.
	Curve []Effect

	// Touched are the clients that it would have refused, those that were
	// refused most often first.
	Touched []Touched
}

// An Effect is what a limit does to a history.
type Effect struct {
	Limit        aforo.Limit
	Clients      int           // refused at least once
	Refused      int64         // requests
	LongestDelay time.Duration // of a leaky bucket, for a request that it allowed
}

// A Touched is a client that a limit refuses.
type Touched struct {
	Key      uint32 // as in the history
	Requests int64
	Refused  int64
	Needs    int64 // the least rate of this algorithm and period that never refuses it
}

// curvePPM are the shares of clients that a curve has points for, beside the aim.
var curvePPM = []int64{0, 100, 1_000, 10_000, 50_000, 100_000}

// Suggest finds a limit of each algorithm for each period, in this order. Every
// request costs 1, and one that is refused is gone. Progress is called with how
// many of them have been found, one call at a time; it may be nil. The error is
// that of ctx.
//
// A client that is never refused by a rate is not refused by a higher one, so
// what each client needs says whom any rate touches; it is found by halving.
// Refusals are then counted by playing the clients that are touched.
func Suggest(ctx context.Context, h *History, aim Aim, periods []time.Duration, progress func(found int)) ([]Suggestion, error) {
	var searches []*search
	for _, period := range periods {
		for _, a := range aforo.Algorithms() {
			searches = append(searches, &search{ctx: ctx, history: h, aim: aim, limits: rates(a, period, h.busiest())})
		}
	}
	list := make([]Suggestion, len(searches))
	found := make(chan struct{})
	for i, s := range searches {
		go func() {
			list[i] = s.suggest()
			found <- struct{}{}
		}()
	}
	for n := range searches {
		<-found
		if progress != nil {
			progress(n + 1)
		}
	}
	return list, ctx.Err()
}

// rates are limits of an algorithm of rising rates, the last of which allows
// what the busiest client did in all the time.
func rates(a aforo.Algorithm, period time.Duration, busiest int64) (limits []aforo.Limit) {
	for _, n := range roundNumbers(busiest) {
		l := aforo.Per(n, period).Using(a)
		if l.Validate() != nil {
			break // no limit can hold so much; the one before allows plenty
		}
		limits = append(limits, l)
	}
	return limits
}

// roundNumbers are numbers that people choose, up to the first that is not less
// than n.
func roundNumbers(n int64) (list []int64) {
	list = []int64{1, 2, 3, 4, 5, 6, 8}
	for unit := int64(1); list[len(list)-1] < n; unit *= 10 {
		for _, m := range []int64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			list = append(list, m*unit)
		}
	}
	i, found := slices.BinarySearch(list, n)
	if !found {
		i = min(i, len(list)-1)
	}
	return list[:i+1]
}

// A search is for one algorithm and period.
type search struct {
	ctx     context.Context
	history *History
	aim     Aim
	limits  []aforo.Limit // each touches no more clients than the one before
	needs   []uint8       // of each client: the index of the first that never refuses it; there are fewer than 200
}

func (s *search) suggest() (found Suggestion) {
	s.findNeeds(nil)
	i := s.least()
	points := curvePPM
	if !s.aim.OfRequests {
		points = slices.Sorted(slices.Values(append(slices.Clone(curvePPM), s.aim.PPM)))
	}
	for _, ppm := range points {
		j := s.leastOfClients(Aim{PPM: ppm}.most(int64(s.history.Clients())))
		if j < len(s.limits) && (len(found.Curve) == 0 || found.Curve[len(found.Curve)-1].Limit != s.limits[j]) {
			effect, _ := s.effect(j)
			found.Curve = append(found.Curve, effect)
		}
	}
	whole := s.needs
	rated := s.limits
	if l := s.limits[i]; l.Algorithm() == aforo.TokenBucket || l.Algorithm() == aforo.LeakyBucket {
		i = s.withBurst(i)
	}
	found.Limit = s.limits[i]
	found.Effect, found.Touched = s.effect(i)
	for t := range found.Touched {
		found.Touched[t].Needs = rated[whole[found.Touched[t].Key]].Rate()
	}
	return found
}

// withBurst keeps the rate that was found, and looks for the least burst.
func (s *search) withBurst(i int) int {
	rate, needs := s.limits[i], s.needs
	s.limits = nil
	for _, burst := range roundNumbers(rate.Rate()) {
		s.limits = append(s.limits, rate.Burst(min(burst, rate.Rate())))
	}
	last := len(s.limits) - 1
	s.findNeeds(func(key int) (int, bool) { return last + 1, int(needs[key]) > i })
	return s.least()
}

// findNeeds finds what each client needs, but for those of which it is known.
func (s *search) findNeeds(known func(key int) (need int, ok bool)) {
	s.needs = make([]uint8, s.history.Clients())
	for key := range s.needs {
		if known != nil {
			if need, ok := known(key); ok {
				s.needs[key] = uint8(need)
				continue
			}
		}
		if s.ctx.Err() != nil {
			return
		}
		s.needs[key] = uint8(s.need(s.history.of(key)))
	}
}

// need is the index of the first limit that never refuses these requests, which
// one that allows as many at once does not.
func (s *search) need(times []int64) int {
	from, to := 0, len(s.limits)-1
	if i, _ := slices.BinarySearchFunc(s.limits, int64(len(times)), func(l aforo.Limit, n int64) int { return cmp.Compare(l.Capacity(), n) }); i < to {
		to = i
	}
	for from < to {
		middle := (from + to) / 2
		if neverRefuses(&s.limits[middle], times) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return from
}

func neverRefuses(l *aforo.Limit, times []int64) bool {
	if int64(len(times)) <= l.Capacity() {
		return true
	}
	var state aforo.State
	var v aforo.Verdict
	for _, at := range times {
		if state, v = l.Take(state, at, 1); !v.Allowed {
			return false
		}
	}
	return true
}

// least is the index of the first limit that meets the aim. The last touches
// nobody, so there is one.
func (s *search) least() int {
	if !s.aim.OfRequests {
		return s.leastOfClients(s.aim.most(int64(s.history.Clients())))
	}
	most, i := s.aim.most(s.history.Requests()), len(s.limits)-1
	for i > 0 && s.ctx.Err() == nil {
		if effect, _ := s.effect(i - 1); effect.Refused > most {
			break
		}
		i--
	}
	return i
}

// leastOfClients is the index of the first limit that refuses no more clients.
func (s *search) leastOfClients(most int64) int {
	var needing [256]int64 // how many clients need each
	for _, need := range s.needs {
		needing[need]++
	}
	i, refused := len(s.limits)-1, needing[len(s.limits)]
	for ; i > 0; i-- {
		if refused += needing[i]; refused > most {
			break
		}
	}
	return i
}

// effect is what a limit does.
func (s *search) effect(i int) (e Effect, touched []Touched) {
	l := &s.limits[i]
	e.Limit = *l
	delays := l.Algorithm() == aforo.LeakyBucket
	for key, need := range s.needs {
		if int(need) <= i && !delays || s.ctx.Err() != nil {
			continue
		}
		times := s.history.of(key)
		refused, delay := play(l, times)
		e.LongestDelay = max(e.LongestDelay, delay)
		if refused > 0 {
			e.Clients++
			e.Refused += refused
			touched = append(touched, Touched{Key: uint32(key), Requests: int64(len(times)), Refused: refused})
		}
	}
	slices.SortStableFunc(touched, func(a, b Touched) int { return cmp.Compare(b.Refused, a.Refused) })
	return e, touched
}

// play is how many of these requests a limit refuses, and the longest delay of
// those that it allows.
func play(l *aforo.Limit, times []int64) (refused int64, longest time.Duration) {
	var state aforo.State
	var v aforo.Verdict
	for _, at := range times {
		if state, v = l.Take(state, at, 1); !v.Allowed {
			refused++
			continue
		}
		longest = max(longest, time.Duration(v.Delay)*time.Microsecond)
	}
	return refused, longest
}
