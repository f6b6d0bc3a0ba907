package properties

import (
	"testing"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// twin is a key on which units were taken and later taken back, and the same
// key on which they never were. What others were granted is counted on both.
type twin struct {
	pair
	without aforo.State
}

// drawTwin takes units at an instant, of which some will be taken back.
func drawTwin(t *rapid.T, a aforo.Algorithm) (w *twin, h *hand, taken, back int64) {
	w = &twin{pair: *drawPair(t, a)}
	h = newHand(t, w.oracle.numbers)
	w.drawHistory(t, h)
	w.without = w.state.Clone()
	cost := rapid.Int64Range(1, max(1, w.limit.Capacity())).Draw(t, "taken")
	if rapid.Bool().Draw(t, "a unit") {
		cost = 1
	}
	back = rapid.SampledFrom([]int64{cost, cost, 1, cost/2 + 1}).Draw(t, "taken back")
	state, v := w.limit.Take(w.state, h.at, cost)
	if !v.Allowed {
		t.Skip("nothing was taken")
	}
	w.state, taken = state, h.at
	w.count(t, h.at, cost-back)
	return w, h, taken, back
}

// count counts units on the key on which the others were never taken.
func (w *twin) count(t *rapid.T, at, units int64) {
	var err error
	if w.without, err = w.limit.Charge(w.without, at, units); err != nil {
		t.Fatal(err)
	}
}

// others lets others ask; what they are granted counts on both keys.
func (w *twin) others(t *rapid.T, h *hand) {
	for range rapid.IntRange(0, 6).Draw(t, "others") {
		h.forward(t)
		cost := drawCost(t, w.limit.Capacity())
		var v aforo.Verdict
		if w.state, v = w.limit.Take(w.state, h.at, cost); v.Allowed {
			w.count(t, h.at, cost)
		}
		h.retry = v.Retry
	}
}

// Units that are taken back leave no more room, at any later instant, than if
// they had never been taken. With windows and logs they leave just as much.
func TestUndoNeverLeavesMoreRoomThanNotTaking(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		w, h, taken, back := drawTwin(t, a)
		w.others(t, h)
		if rapid.Bool().Draw(t, "later") {
			h.forward(t)
		}
		before := w.state.Clone()
		w.state = w.limit.Undo(w.state, h.at, taken, back)
		for range rapid.IntRange(1, 8).Draw(t, "looks") {
			cost := min(drawCost(t, w.limit.Capacity()), w.limit.Capacity())
			got, want := w.limit.Peek(w.state, h.at, cost), w.limit.Peek(w.without, h.at, cost)
			if exact := !w.oracle.bucket(); exact && got != want || got.Allowed && !want.Allowed || room(got, cost) > room(want, cost) {
				t.Fatalf("%v: %d taken at %d, undone, %d looked at %d\nbefore  %+v\nundone  %+v %+v\nwithout %+v %+v",
					w.limit, back, taken, cost, h.at, before, w.state, got, w.without, want)
			}
			h.retry = want.Retry
			h.forward(t)
		}
	})
}

// room is how much there was before the request of a verdict.
func room(v aforo.Verdict, cost int64) int64 {
	if v.Allowed {
		return v.Remaining + cost
	}
	return v.Remaining
}

// Undone at once, units are back in full under every algorithm.
func TestUndoAtOnceGivesAllBack(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		w, h, taken, back := drawTwin(t, a)
		w.state = w.limit.Undo(w.state, h.at, taken, back)
		for range 5 {
			cost := min(drawCost(t, w.limit.Capacity()), w.limit.Capacity())
			got, want := w.limit.Peek(w.state, h.at, cost), w.limit.Peek(w.without, h.at, cost)
			if got != want {
				t.Fatalf("%v: %d of %d\nundone  %+v %+v\nwithout %+v %+v", w.limit, back, cost, w.state, got, w.without, want)
			}
			h.forward(t)
		}
	})
}
