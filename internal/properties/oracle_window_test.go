package properties

import "math/big"

// windows remembers how many units each aligned window counted, by the number
// of the window since the epoch. It stands for the fixed window and, if
// sliding, for the counter that weighs the window before.
type windows struct {
	capacity, per *big.Int
	sliding       bool

	known  bool
	latest int64 // the latest window that counted something
	counts map[int64]*big.Int
}

// number is which window an instant lies in.
func (w *windows) number(at *big.Int) int64 {
	k, _ := new(big.Int).DivMod(at, w.per, new(big.Int))
	return k.Int64()
}

func (w *windows) start(number int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(number), w.per)
}

func (w *windows) count(number int64) *big.Int {
	if c := w.counts[number]; c != nil {
		return c
	}
	return new(big.Int)
}

func (w *windows) copy() *windows {
	c := *w
	c.counts = make(map[int64]*big.Int, len(w.counts))
	for number, units := range w.counts {
		c.counts[number] = units
	}
	return &c
}

func (w *windows) seen(now *big.Int) usage {
	c := w.copy()
	ahead := new(big.Int).Sub(w.start(w.latest), now)
	if w.known && ahead.Cmp(w.per) > 0 {
		k := w.number(now)
		c.latest = k
		c.counts = map[int64]*big.Int{k: w.count(w.latest), k - 1: w.count(w.latest - 1)}
	}
	return c
}

// instant is the later of an instant and the start of the latest window, and
// the window that it lies in.
func (w *windows) instant(at *big.Int) (*big.Int, int64) {
	if w.known {
		at = bigMax(at, w.start(w.latest))
	}
	return at, w.number(at)
}

// weight is what counts at an instant: the window, and of the one before it the
// part that a window of the same length, ending now, would still cover.
func (w *windows) weight(at *big.Int) *big.Rat {
	at, k := w.instant(at)
	total := new(big.Rat).SetInt(w.count(k))
	if w.sliding {
		covered := new(big.Int).Sub(w.start(k+1), at)
		before := new(big.Rat).SetFrac(covered, w.per)
		total.Add(total, before.Mul(before, new(big.Rat).SetInt(w.count(k-1))))
	}
	return total
}

func (w *windows) fits(at, cost *big.Int) bool {
	total := new(big.Rat).SetInt(cost)
	return total.Add(total, w.weight(at)).Cmp(new(big.Rat).SetInt(w.capacity)) <= 0
}

func (w *windows) blank(at *big.Int) bool {
	_, k := w.instant(at)
	return w.count(k).Sign() == 0 && (!w.sliding || w.count(k-1).Sign() == 0)
}

func (w *windows) add(now, units *big.Int) usage {
	c := w.copy()
	_, k := w.instant(now)
	c.counts[k] = new(big.Int).Add(w.count(k), units)
	c.latest, c.known = k, true
	return c
}

func (w *windows) giveBack(now, units *big.Int) usage {
	c := w.copy()
	if !w.known {
		return c
	}
	_, k := w.instant(now)
	c.latest = k
	left := new(big.Int).Sub(w.count(k), units)
	c.counts[k] = bigMax(left, new(big.Int))
	if w.sliding && left.Sign() < 0 {
		before := left.Add(w.count(k-1), left)
		c.counts[k-1] = bigMax(before, new(big.Int))
	}
	return c
}

func (w *windows) room(now *big.Int) *big.Int {
	_, k := w.instant(now)
	most := exact
	if w.sliding {
		most = new(big.Int).Div(exact, w.per)
	}
	return new(big.Int).Sub(most, w.count(k))
}

// journal is what the sliding window log remembers: every request by itself.
type journal struct {
	capacity, per *big.Int
	entries       []entry // oldest first
}

type entry struct{ at, units *big.Int }

// instant is the later of an instant and the newest entry.
func (j *journal) instant(at *big.Int) *big.Int {
	if n := len(j.entries); n > 0 {
		return bigMax(at, j.entries[n-1].at)
	}
	return at
}

func (j *journal) copy() *journal {
	c := *j
	c.entries = append([]entry(nil), j.entries...)
	return &c
}

func (j *journal) seen(now *big.Int) usage {
	c := j.copy()
	if new(big.Int).Sub(j.instant(now), now).Cmp(j.per) <= 0 {
		return c
	}
	for i, e := range c.entries {
		if e.at.Cmp(now) > 0 {
			c.entries[i].at = now
		}
	}
	return c
}

// young is the entries that count at an instant.
func (j *journal) young(at *big.Int) (entries []entry) {
	at = j.instant(at)
	for _, e := range j.entries {
		if new(big.Int).Sub(at, e.at).Cmp(j.per) < 0 {
			entries = append(entries, e)
		}
	}
	return entries
}

func (j *journal) sum(at *big.Int) *big.Int {
	total := new(big.Int)
	for _, e := range j.young(at) {
		total.Add(total, e.units)
	}
	return total
}

func (j *journal) fits(at, cost *big.Int) bool {
	total := j.sum(at)
	return total.Add(total, cost).Cmp(j.capacity) <= 0
}

func (j *journal) blank(at *big.Int) bool { return len(j.young(at)) == 0 }

func (j *journal) add(now, units *big.Int) usage {
	c := *j
	c.entries = append(j.young(now), entry{j.instant(now), units})
	return &c
}

func (j *journal) giveBack(now, units *big.Int) usage {
	c := *j
	c.entries = j.young(now)
	left := new(big.Int).Set(units)
	for n := len(c.entries) - 1; n >= 0 && left.Sign() > 0; n-- {
		if c.entries[n].units.Cmp(left) > 0 {
			c.entries[n].units = new(big.Int).Sub(c.entries[n].units, left)
			return &c
		}
		left.Sub(left, c.entries[n].units)
		c.entries = c.entries[:n]
	}
	return &c
}

func (j *journal) room(now *big.Int) *big.Int { return new(big.Int).Sub(exact, j.sum(now)) }
