package aforo

import (
	"math"
	"math/rand"
	"testing"
	"time"
)

// TestTableIsAMap: whatever is inserted, written over and removed, a table has
// what a map has; with many tags that would like to stand in the same place.
func TestTableIsAMap(t *testing.T) {
	for k, width := range widths {
		r := rand.New(rand.NewSource(int64(width)))
		var p partition
		model := make(map[hashed]slot)
		for i := range 50_000 {
			w := slot{
				tag:    uint64(1+r.Intn(40)) << (58 + r.Intn(2)*-3),
				first:  neverLife, // so that nothing is swept
				second: r.Uint64()&^(1<<9-1) | uint64(r.Intn(3)),
			}
			if width == wide {
				w.third = r.Uint64()
			}
			id := hashed{w.tag, w.second & (1<<9 - 1)}
			was, ok := model[id]
			table := p.held(k)
			place := table.find(table.home(id.tag), id)
			switch {
			case ok != (place >= 0):
				t.Fatalf("width %d, step %d: found at %d, in the map: %t", width, i, place, ok)
			case ok && table.read(place) != was:
				t.Fatalf("width %d, step %d: %+v, want %+v", width, i, table.read(place), was)
			case !ok || r.Intn(3) == 0:
				if more := p.setSlot(k, id, w, 0); ok != (more == 0) {
					t.Fatalf("width %d, step %d: %d more", width, i, more)
				}
				model[id] = w
			default:
				if fewer := p.dropSlot(k, id); fewer != 1 {
					t.Fatalf("width %d, step %d: %d fewer", width, i, fewer)
				}
				delete(model, id)
				p.sweepTable(k, 0, 1) // which makes a sparse table smaller
			}
			if int(p.used[k]) != len(model) {
				t.Fatalf("width %d, step %d: %d slots, want %d", width, i, p.used[k], len(model))
			}
		}
	}
}

// TestSlotsHoldStatesExactly: what a slot takes it gives back, to the unit and
// the tick, and it expires when the rules say, or a little later.
func TestSlotsHoldStatesExactly(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limits := []Limit{PerMinute(100).Burst(20), Per(10, 13*time.Second), Per(1, 30*24*time.Hour).Burst(10000),
		PerSecond(7).Using(FixedWindow), PerHour(1000).Using(SlidingWindowCounter), PerSecond(3).Using(LeakyBucket),
		Per(4503599627370495, time.Second), PerSecond(0).Burst(3)}
	for range 20_000 {
		l := limits[r.Intn(len(limits))]
		at := r.Int63n(4e15)
		var s State
		for range 1 + r.Intn(3) {
			s, _ = l.Charge(s, at, 1+r.Int63n(max(1, l.Capacity())))
			at += r.Int63n(3 * l.Period().Microseconds())
		}
		id := hashed{tag: 1 + r.Uint64()>>1, rest: uint64(r.Intn(1 << 9))}
		if !s.fits() {
			t.Fatalf("%v: %+v does not fit", l, s)
		}
		w := l.pack(id, &s)
		table := newTable(wide, 8)
		place := table.insert(w)
		var got State
		table.read(place).unpack(&got)
		if found := table.find(table.home(id.tag), id); found != place {
			t.Fatalf("%v: what was put at %d is found at %d", l, place, found)
		}
		if got.At != s.At || got.Used != s.Used || got.Prev != s.Prev {
			t.Fatalf("%v: %+v came back as %+v", l, s, got)
		}
		expires := expiry(w.first, w.second)
		if v := l.Peek(s, expires, 0); expires != math.MaxInt64 && v.Reset != 0 {
			t.Fatalf("%v: %+v expires at %d, %dus too early", l, s, expires, v.Reset)
		}
		if l.rate == 0 && expires != math.MaxInt64 {
			t.Fatalf("%v: %+v expires at %d", l, s, expires)
		}
	}
	for _, at := range []int64{-1, 1<<52 - 1, 1 << 52, math.MinInt64, math.MaxInt64} {
		if s := (State{At: at}); s.fits() {
			t.Errorf("the instant %d fits in a slot", at)
		}
	}
}

func TestLifeIsRoundedUpALittle(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 100_000 {
		ticks := r.Int63n(1 << (1 + r.Intn(54)))
		if i < 70_000 {
			ticks = int64(i)
		}
		life := roundLife(ticks)
		rounded := unroundLife(life)
		if rounded < ticks || float64(rounded) > float64(ticks)*(1+1.0/64) || life >= neverLife {
			t.Fatalf("%d ticks are rounded to %d (%d)", ticks, rounded, life)
		}
	}
}

// FuzzDivisor: a divisor divides as a division does.
func FuzzDivisor(f *testing.F) {
	for _, by := range []int64{1, 2, 3, 7, 60_000_000, 1 << 32, 1<<52 - 1, 1 << 52} {
		for _, n := range []int64{0, 1, by - 1, by, by + 1, 1<<53 - 1, 1<<61 - 1, 1 << 61} {
			f.Add(n, by)
		}
	}
	f.Fuzz(func(t *testing.T, n, by int64) {
		if by < 1 || by > 1<<60 || n < 0 || n > 1<<61-by {
			return
		}
		d := newDivisor(by)
		ceil := n / by
		if n%by > 0 {
			ceil++
		}
		if d.floor(n) != n/by || d.ceil(n) != ceil {
			t.Errorf("%d / %d is %d to %d, want %d to %d", n, by, d.floor(n), d.ceil(n), n/by, ceil)
		}
	})
}

func TestDivisorOfManyNumbers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2_000_000 {
		by := 1 + r.Int63n(1<<(1+r.Intn(53)))
		n := r.Int63n(1 << (1 + r.Intn(60)))
		if r.Intn(2) == 0 { // near a multiple, where it matters
			n = max(0, n/by*by+int64(r.Intn(3))-1)
		}
		if d := newDivisor(by); d.floor(n) != n/by {
			t.Fatalf("%d / %d is %d, want %d", n, by, d.floor(n), n/by)
		}
	}
}
