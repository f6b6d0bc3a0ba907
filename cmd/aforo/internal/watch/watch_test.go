package watch

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func refused(policy, key string) Seen {
	return Seen{Policy: policy, Key: key, Limit: 10, Reset: time.Minute}
}

// TestRates: each second on its own, the present one left out.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New([]string{"a", "b"}, nil, time.Now)
		for second := range 100 {
			for range second {
				w.Add(Seen{Policy: "a", Key: "k", Allowed: true, Limit: 10, Remaining: 9})
			}
			w.Add(refused("a", "k"))
			time.Sleep(time.Second)
		}
		s := w.Snapshot()
		a := s.Policies[0]
		for i := range Seconds {
			if a.Allowed[i] != 40+i || a.Refused[i] != 1 {
				t.Fatalf("second %d: %d allowed, %d refused", i, a.Allowed[i], a.Refused[i])
			}
		}
		if a.AllowedTotal != 99*100/2 || a.RefusedTotal != 100 || s.Policies[1].AllowedTotal != 0 || s.Policies[2].Name != AdHoc || s.At-s.Started != 100 {
			t.Errorf("%+v", s)
		}
		time.Sleep(24 * time.Hour)
		if a := w.Snapshot().Policies[0]; a.Allowed != [Seconds]int{} || a.AllowedTotal != 99*100/2 {
			t.Errorf("a day later: %+v", a)
		}
	})
}

// TestTopIsHonest: of many more keys than there are counters, those that are
// refused often are found, and no count is wrong by more than its error.
func TestTopIsHonest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		zipf := rand.NewZipf(r, 1.3, 1, 100_000)
		w := New([]string{"a"}, nil, time.Now)
		exact := make(map[string]int64)
		for range 200_000 {
			key := fmt.Sprint("user:", zipf.Uint64())
			exact[key]++
			w.Add(refused("a", key))
		}
		check := func(top []Heavy) {
			t.Helper()
			for i, h := range top {
				if n := exact[h.Key]; n > h.Count || n < h.Count-h.Error || h.Hidden || h.Policy != "a" {
					t.Errorf("place %d: %+v was refused %d times", i, h, n)
				}
			}
			for i := range 10 {
				if want := fmt.Sprint("user:", i); top[i].Key != want {
					t.Errorf("place %d is %s, want %s", i, top[i].Key, want)
				}
			}
		}
		check(w.Snapshot().Top)
		if len(exact) < 40*counters || len(w.top.now.slots) != counters || len(w.top.now.index) != counters {
			t.Errorf("%d keys in %d counters", len(exact), len(w.top.now.slots))
		}
		time.Sleep(generation * time.Second) // what was is still shown
		for range 1000 {
			exact["user:1"]++
			w.Add(refused("a", "user:1"))
		}
		s := w.Snapshot()
		check(s.Top)
		time.Sleep(generation * time.Second)
		if top := w.Snapshot().Top; len(top) != 1 || top[0].Count-top[0].Error != 1000 && top[0].Count != 1000 {
			t.Errorf("two generations later: %+v", top)
		}
		time.Sleep(3 * generation * time.Second)
		if top := w.Snapshot().Top; len(top) != 0 {
			t.Errorf("later still: %+v", top)
		}
	})
}

// TestNear: who has a tenth left or less, until more is left or it is over.
func TestNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New([]string{"a"}, nil, time.Now)
		ask := func(key string, remaining int64) {
			w.Add(Seen{Policy: "a", Key: key, Allowed: remaining > 0, Limit: 100, Remaining: remaining, Reset: time.Minute})
		}
		ask("far", 11)
		ask("near", 10)
		ask("nearer", 3)
		near := w.Snapshot().Near
		if len(near) != 2 || near[0].Key != "nearer" || near[0].Remaining != 3 || near[1].Reset != 60 {
			t.Errorf("%+v", near)
		}
		time.Sleep(30 * time.Second)
		ask("near", 50)
		if near := w.Snapshot().Near; len(near) != 1 || near[0].Reset != 30 {
			t.Errorf("%+v", near)
		}
		time.Sleep(30 * time.Second)
		if near := w.Snapshot().Near; len(near) != 0 || w.near.order.Len() != 0 {
			t.Errorf("%+v", near)
		}
		for i := range 10 * nearest {
			ask(fmt.Sprint("flood:", i), 0)
		}
		if n := w.near.order.Len(); n != nearest || len(w.near.index) != nearest || len(w.Snapshot().Near) != shown {
			t.Errorf("%d are remembered", n)
		}
		w.Add(Seen{Policy: "a", Key: "k", Limit: 1, Reset: 1<<63 - 1}) // never
		if len(w.Snapshot().Near) == 0 {
			t.Error("one that lasts for ever is not shown")
		}
	})
}

// TestSecretsAreNotShown: neither of policies whose keys are secrets, nor what
// looks like one; the same secret is the same hash, in this process only.
func TestSecretsAreNotShown(t *testing.T) {
	secrets := []string{
		"Bearer abc", "bearer eyJhbGciOiJIUzI1NiJ9.e30.XmNK3GpH3Ys", "eyJhbGciOiJIUzI1NiJ9.e30.XmNK3GpH3Ys", "Basic dXNlcjpwYXNz",
		"sk-live4eC39HqLyjWDarjtT1", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE", "session=31d4d96e407aad42", "a=b; c=d",
		"550e8400-e29b-41d4-a716-446655440000", "key:c2VjcmV0c2VjcmV0c2VjcmV0MTIz",
	}
	w := New([]string{"open", "closed"}, map[string]bool{"closed": true}, time.Now)
	for _, key := range secrets {
		w.Add(refused("open", key))
		w.Add(refused(AdHoc, key))
	}
	w.Add(refused("closed", "pass"))
	w.Add(refused("closed", "pass"))
	text, err := json.Marshal(w.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append(secrets, "pass", "dXNlcjpwYXNz", "31d4d96e407aad42") {
		if strings.Contains(string(text), key) {
			t.Errorf("%q is shown: %s", key, text)
		}
	}
	top := w.Snapshot().Top
	if top[0].Count != 2 || !top[0].Hidden || len(top[0].Key) != 13 {
		t.Errorf("%+v", top[0])
	}
	other, _ := newHider().show("pass", true)
	if other == top[0].Key {
		t.Error("another process makes the same hash")
	}
	for _, key := range []string{"user:42", "192.0.2.1", "2001:db8:12:34::/64", "ann@example.com", "acme/task1", "", "josé", "tenant-7:export:invoices"} {
		if text, hidden := w.hide.show(key, false); hidden || text != key {
			t.Errorf("%q is shown as %q, hidden %v", key, text, hidden)
		}
	}
	if text, _ := w.hide.show("a\x00\u202e\xff"+strings.Repeat("é ", 40), false); len(text) > longest+8 || strings.ContainsAny(text, "\x00\u202e") || !utf8.ValidString(text) {
		t.Errorf("%q", text)
	}
}

// TestConcurrently is for the race detector.
func TestConcurrently(t *testing.T) {
	w := New([]string{"a"}, nil, time.Now)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				w.Add(refused("a", fmt.Sprint(g, i%500)))
				w.Add(refused("unknown", "k"))
				if i%100 == 0 {
					w.Snapshot()
				}
			}
		})
	}
	all.Wait()
	if total := w.Snapshot().Policies[0].RefusedTotal; total != 8000 {
		t.Errorf("%d were refused, want 8000", total)
	}
}

// BenchmarkAdd is what a decision costs more for being watched.
func BenchmarkAdd(b *testing.B) {
	w := New([]string{"a"}, nil, time.Now)
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = fmt.Sprint("user:", i)
	}
	for i := 0; b.Loop(); i++ {
		w.Add(Seen{Policy: "a", Key: keys[i%len(keys)], Allowed: i%4 > 0, Limit: 100, Remaining: int64(i % 100), Reset: time.Minute})
	}
}
