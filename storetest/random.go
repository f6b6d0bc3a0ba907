package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// Random carries out random calls on a store and compares every answer with
// the rules in package aforo. The same seed gives the same calls. Run does a
// few thousand; a store in another language deserves millions, now and then.
//
// Stretches on several keys, with a clock that never steps back, take turns
// with stretches on one key whose clock does: a store may drop what has
// expired, and would miss it if time went back to before. All begin at one instant,
// since scripts that calculate in doubles know no microseconds after the year 2255.
func Random(t *testing.T, newStore New, seed int64, calls int) {
	s := newSubject(t, newStore)
	r := &random{Rand: rand.New(rand.NewSource(seed))}
	model := make(model)
	for i := range calls {
		if i%stretch == 0 {
			r.begin(i / stretch)
			s.clock.set(epoch)
			s.store = newStore(t, s.clock.now)
			clear(model)
		}
		s.clock.set(r.instant(s.clock.micros.Load()))
		call := r.call()
		got := make([]aforo.Verdict, len(call.Limits))
		want := make([]aforo.Verdict, len(call.Limits))
		err := s.store.Do(context.Background(), call, got)
		wantErr := model.do(call, s.clock.micros.Load(), want)
		if !sameError(err, wantErr) {
			t.Fatalf("seed %d, call %d, %s:\n got error %v\nwant error %v", seed, i, show(call), err, wantErr)
		}
		anySource(got)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, call %d, %s at %d:\n got %+v\nwant %+v", seed, i, show(call), s.clock.micros.Load(), got, want)
		}
		if call.Op == aforo.OpTake && r.Intn(3) == 0 {
			r.taken = got[0].At
		}
	}
}

// anySource forgets who has answered: it does not matter, if the answer is right.
func anySource(verdicts []aforo.Verdict) {
	for i := range verdicts {
		verdicts[i].Source = aforo.SourceStore
	}
}

func show(call aforo.Call) string {
	return fmt.Sprintf("%v of %d on %q %v (at %d, prompt %t)", call.Op, call.Cost, call.Key, call.Limits, call.At, call.Prompt)
}

func sameError(a, b error) bool {
	var da, db *aforo.DebtError
	if errors.As(a, &da) && errors.As(b, &db) {
		return *da == *db
	}
	return a == nil && b == nil
}

// stretch is how many calls in a row are made on one store.
const stretch = 500

// random makes the calls.
type random struct {
	*rand.Rand
	taken     int64 // an instant at which something may have been taken
	keys      []string
	sets      [][]aforo.Limit
	backwards bool
}

// begin chooses what the n-th stretch is made of.
func (r *random) begin(n int) {
	r.keys, r.sets, r.backwards, r.taken = []string{"a", "b", "c"}, sets, false, epoch
	if n%2 == 1 {
		i := r.Intn(len(sets))
		r.keys, r.sets, r.backwards = r.keys[:1], sets[i:i+1], true
	}
}

// sets are limits that are hard to hold exactly, and some that are not.
var sets = [][]aforo.Limit{
	parse("100/minute burst 20"), parse("10/13s burst 1"), parse("leaky_bucket 7/11s burst 4"),
	parse("fixed_window 5/s"), parse("sliding_window_log 3/s"), parse("sliding_window_counter 10/13s"),
	parse("sliding_window_counter 64/7777us"), parse("1/us"), parse("1/30d burst 10000"), parse("0/s burst 2"),
	parse("4294967295/s"), parse("10/s burst 20, 1000/h"),
	parse("fixed_window 3/s, sliding_window_log 4/2s, leaky_bucket 2/s burst 3"),
	parse("sliding_window_counter 5/s, 3/s burst 6"),
	parse("sliding_window_log 60/20s"), parse("sliding_window_log 400/h, 1000/h"),
}

func (r *random) call() aforo.Call {
	limits := r.sets[r.Intn(len(r.sets))]
	call := aforo.Call{
		Op:     aforo.OpTake,
		Key:    r.keys[r.Intn(len(r.keys))],
		Limits: limits,
		Cost:   r.cost(limits[0].Capacity()),
	}
	switch r.Intn(10) {
	case 0, 1:
		call.Op = aforo.OpPeek
	case 2:
		call.Op = aforo.OpCharge
	case 3:
		call.Op = aforo.OpRefund
	case 4:
		if r.Intn(4) == 0 {
			call.Op = aforo.OpReset
		}
	case 5:
		call.Prompt = true
	case 6:
		call.Op, call.At = aforo.OpUndo, r.taken
	case 7:
		if !r.backwards {
			break
		}
		call.At = r.taken + r.Int63n(1_000_000)
	}
	return call
}

func (r *random) cost(capacity int64) int64 {
	switch r.Intn(12) {
	case 0:
		return 0
	case 1:
		return max(capacity-1, 0)
	case 2:
		return capacity
	case 3:
		return capacity + 1
	case 4:
		return capacity/2 + 1
	case 5:
		if r.Intn(8) == 0 {
			return math.MaxInt64
		}
	}
	return 1 + r.Int63n(3)
}

// instant is the next instant: mostly a little later, sometimes at the edge of
// a window, much later, or earlier.
func (r *random) instant(now int64) int64 {
	choice := r.Intn(16)
	if !r.backwards && (choice == 6 || choice == 7) {
		choice = 5
	}
	switch choice {
	case 0, 1, 2, 3:
		return now
	case 4:
		edge := (now/1_000_000 + 1) * 1_000_000
		return edge - 1 + r.Int63n(3)
	case 5:
		return now + r.Int63n(int64(40*24*time.Hour/time.Microsecond))
	case 6:
		return now - r.Int63n(3_000_000)
	case 7:
		return now - r.Int63n(40_000_000)
	}
	return now + r.Int63n(700_000)
}
