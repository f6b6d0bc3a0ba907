package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// testAllOrNothing: what one limit refuses, no other counts, in any order; and
// those that would have allowed it say what remains.
func testAllOrNothing(t *testing.T, newStore New) {
	for _, text := range []string{"2/m, fixed_window 100/h", "fixed_window 100/h, 2/m"} {
		s := newSubject(t, newStore)
		limits := parse(text)
		for i := range 5 {
			if allowed := s.take(limits, "k", 1); allowed != (i < 2) {
				t.Errorf("%s: request %d: allowed is %t", text, i, allowed)
			}
		}
		for i, left := range s.remaining(limits, "k") {
			if want := limits[i].Capacity() - 2; left != want {
				t.Errorf("%s: %d remain of %v after 2 were counted", text, left, limits[i])
			}
		}
	}
}

// testChargeAllOrNothing: a charge that one limit cannot hold charges none.
func testChargeAllOrNothing(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	limits := parse("5/m, fixed_window 1000/h")
	call := aforo.Call{Op: aforo.OpCharge, Key: "k", Limits: limits, Cost: math.MaxInt64}
	var debt *aforo.DebtError
	if err := s.store.Do(context.Background(), call, nil); !errors.As(err, &debt) {
		t.Fatalf("a charge of the largest int64 gave the error %v", err)
	}
	if left := s.remaining(limits, "k"); left[0] != 5 || left[1] != 1000 {
		t.Errorf("after a charge that failed %v remain", left)
	}
	call.Cost = debt.Largest
	s.do(call)
	if left := s.remaining(limits, "k"); left[0] != 0 || left[1] != 0 {
		t.Errorf("in debt %v remain", left)
	}
}

// testUndo: undoing takes back what was taken at that instant, and nothing of
// what others have used since.
func testUndo(t *testing.T, newStore New) {
	for _, a := range aforo.Algorithms() {
		s := newSubject(t, newStore)
		limits := []aforo.Limit{aforo.PerHour(10).Using(a)}
		taken := s.do(aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 3})[0].At
		s.clock.pass(time.Millisecond)
		s.take(limits, "k", 2)
		s.do(aforo.Call{Op: aforo.OpUndo, Key: "k", Limits: limits, Cost: 3, At: taken})
		if left := s.remaining(limits, "k")[0]; left != 8 && !(left == 7 && limits[0].Algorithm() < aforo.FixedWindow) {
			t.Errorf("%v: 3 taken, 2 taken, 3 undone, %d remain of 10", a, left)
		}
		s.do(aforo.Call{Op: aforo.OpUndo, Key: "nobody", Limits: limits, Cost: 3, At: taken})
		if left := s.remaining(limits, "nobody")[0]; left != 10 {
			t.Errorf("%v: undone on a key that was never used: %d remain of 10", a, left)
		}
	}
}

// testLateTurn: a turn that had come some time ago is dated to when it came;
// one that lies in the future, to now.
func testLateTurn(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	limits := parse("1/s burst 1")
	s.take(limits, "k", 1)
	due := s.clock.micros.Load() + 1_000_000
	s.clock.pass(1300 * time.Millisecond)
	late := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 1, At: due}
	if v := s.do(late)[0]; !v.Allowed || v.At != due {
		t.Errorf("a turn 300ms ago: %+v, want it at %d", v, due)
	}
	s.clock.pass(700 * time.Millisecond)
	if !s.take(limits, "k", 1) {
		t.Error("the next turn, a second after the last, was refused")
	}
	late.At = s.clock.micros.Load() + 5_000_000
	if v := s.do(late)[0]; v.Allowed || v.At != s.clock.micros.Load() {
		t.Errorf("a turn in the future: %+v, want it refused now", v)
	}
}

// testPrompt: what a leaky bucket would delay is refused for that long.
func testPrompt(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	limits := parse("leaky_bucket 2/s burst 10")
	call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 3, Prompt: true}
	if v := s.do(call)[0]; !v.Allowed || v.Delay != 0 {
		t.Errorf("into an empty queue: %+v", v)
	}
	if v := s.do(call)[0]; v.Allowed || v.Retry != 1_500_000 || v.Remaining != 7 {
		t.Errorf("behind 3 units at 2/s: %+v, want it refused for 1.5s", v)
	}
	s.clock.pass(1500 * time.Millisecond)
	if v := s.do(call)[0]; !v.Allowed {
		t.Errorf("1.5s later: %+v", v)
	}
}

func testReset(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	limits := parse("3/h, fixed_window 5/h, sliding_window_log 4/h")
	s.take(limits, "k", 3)
	s.take(limits, "other", 1)
	s.do(aforo.Call{Op: aforo.OpReset, Key: "k", Limits: limits})
	if left := s.remaining(limits, "k"); !reflect.DeepEqual(left, []int64{3, 5, 4}) {
		t.Errorf("after a reset %v remain", left)
	}
	if left := s.remaining(limits, "other"); !reflect.DeepEqual(left, []int64{2, 4, 3}) {
		t.Errorf("a reset of another key left %v", left)
	}
}

// testKeys: names and keys are any bytes, and no two share state.
func testKeys(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	parts := []string{"", " ", "a", "b", "ab", "a b", "a\tb", "a\nb", "a|b", "a:b", "{a}", "}{", "\x00", "\x00\x00", "\xff",
		"\u00e9", "e\u0301", "\U0001d7d9", "\u200f", "2001:db8::1", "*", "%s", "$1", "'", `"`, strings.Repeat("k", 255), strings.Repeat("k", 256)}
	limits := parse("fixed_window 1/h, sliding_window_log 2/h")
	for _, name := range parts {
		for _, key := range parts {
			call := aforo.Call{Op: aforo.OpTake, Name: name, Key: key, Limits: limits, Cost: 1}
			if !s.do(call)[0].Allowed {
				t.Fatalf("name %q key %q shares its state with another", name, key)
			}
			if s.do(call)[0].Allowed {
				t.Fatalf("name %q key %q was forgotten at once", name, key)
			}
		}
	}
}

// testStates: a store that shows its states shows those that the rules would
// keep, as copies.
func testStates(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	reader, ok := s.store.(aforo.StateReader)
	if !ok {
		t.Skip("the store is no StateReader")
	}
	limits := parse("sliding_window_log 3/h, 5/h, fixed_window 9/h, sliding_window_counter 7/h, leaky_bucket 6/h")
	call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 1}
	s.do(call)
	kept := make([]aforo.State, len(limits))
	for i := range limits {
		kept[i], _ = limits[i].Take(aforo.State{}, s.clock.micros.Load(), 1)
	}
	for range 2 {
		states := make([]aforo.State, len(limits))
		now, err := reader.States(context.Background(), call, states)
		if err != nil || now != s.clock.micros.Load() {
			t.Fatalf("States: now %d, error %v", now, err)
		}
		for i := range limits {
			if got, want := states[i], kept[i]; got.At != want.At || got.Used != want.Used || got.Prev != want.Prev ||
				!reflect.DeepEqual(got.Log.Entries(), want.Log.Entries()) {
				t.Errorf("the state of %v is %+v after 1 was taken, want %+v", limits[i], got, want)
			}
			states[i], _ = limits[i].Charge(states[i], now, 2) // a copy, so nothing happens
		}
	}
}

func testBadCalls(t *testing.T, newStore New) {
	s := newSubject(t, newStore)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	limits := parse("3/h")
	call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 1}
	if err := s.store.Do(ctx, call, make([]aforo.Verdict, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended the error is %v", err)
	}
	call.Cost = -1
	if err := s.store.Do(context.Background(), call, make([]aforo.Verdict, 1)); err == nil {
		t.Error("a negative cost was carried out")
	}
	if left := s.remaining(limits, "k")[0]; left != 3 {
		t.Errorf("calls that failed left %d of 3", left)
	}
}

// testConcurrent: with the clock standing still, many at once get exactly what
// there is.
func testConcurrent(t *testing.T, newStore New) {
	const capacity, callers, each = 100, 16, 25
	for _, a := range aforo.Algorithms() {
		s := newSubject(t, newStore)
		limits := []aforo.Limit{aforo.PerHour(capacity).Using(a)}
		for round := range 5 {
			key := fmt.Sprint("round ", round)
			var admitted atomic.Int64
			var wg sync.WaitGroup
			for range callers {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for range each {
						var v [1]aforo.Verdict
						call := aforo.Call{Op: aforo.OpTake, Key: key, Limits: limits, Cost: 1}
						if err := s.store.Do(context.Background(), call, v[:]); err != nil {
							t.Error(err)
						} else if v[0].Allowed {
							admitted.Add(1)
						}
					}
				}()
			}
			wg.Wait()
			if admitted.Load() != capacity {
				t.Errorf("%v: %d of %d admitted", a, admitted.Load(), capacity)
			}
		}
	}
}
