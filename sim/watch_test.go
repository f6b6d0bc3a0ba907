package sim

import (
	"context"
	"testing"

	"github.com/aforo-dev/aforo"
)

// TestWatch: the states that are shown before a decision are those by which it
// is made, by the clock that is shown; those after it are what is kept.
func TestWatch(t *testing.T) {
	shape, err := ParseShape("retry storm clients 5 ignore for 30s and steady 3/s as other for 30s")
	if err != nil {
		t.Fatal(err)
	}
	instances, err := ParseInstances("3 skew 2s")
	if err != nil {
		t.Fatal(err)
	}
	limits, err := aforo.ParseLimits("leaky_bucket 1/s burst 3, fixed_window 4/5s")
	if err != nil {
		t.Fatal(err)
	}
	var looks []Look
	kept := make(map[string]int64) // of a store and key: what the first limit has used
	r, err := Run(context.Background(), shape, limits, Options{Instances: instances, Events: MaxEvents, Watch: func(l Look) {
		name := l.Key + string(rune('0'+l.Store))
		if !l.After && l.States[0].Used != kept[name] {
			t.Fatalf("decision %d: %d is used, it was %d", len(looks), l.States[0].Used, kept[name])
		}
		kept[name] = l.States[0].Used
		if !l.After {
			l.States = []aforo.State{l.States[0].Clone(), l.States[1].Clone()}
			looks = append(looks, l)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(looks) != r.Allowed+r.Refused || len(looks) < 100 {
		t.Fatalf("%d looks at %d decisions", len(looks), r.Allowed+r.Refused)
	}
	for i, l := range looks {
		allowed := l.Limits[0].Peek(l.States[0], l.Clock, l.Cost).Allowed && l.Limits[1].Peek(l.States[1], l.Clock, l.Cost).Allowed
		if e := r.Events[i]; e.Allowed != allowed || e.Key != l.Key || e.Instance != l.Store || l.Clock-e.Decided != int64(e.Instance)*1e6 {
			t.Fatalf("decision %d: %+v of %+v", i, e, l)
		}
	}
}
