package redisstore_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

const processes = 4

// forEver are limits of 1,000 of which no unit comes back during a test.
var forEver = []string{"1000/52w", "leaky_bucket 1000/52w", "fixed_window 1000/52w", "sliding_window_log 1000/52w",
	"sliding_window_counter 1000/52w", "1000/52w, sliding_window_log 1500/52w, fixed_window 2000/52w"}

// Four processes that ask for twice what there is get what there is, to the unit.
func TestProcessesShareALimit(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	decided := inProcesses(t, processes, job{Addr: s.Addr(), Limits: forEver, Callers: 4, Requests: 125})
	for i, limits := range forEver {
		if n := admitted(decided[i]); n != 1000 {
			t.Errorf("%s: %d admitted", limits, n)
		}
	}
	noImmortal(t, s)
}

// The same four processes, each with its own memory, admit the limit each.
func TestProcessesWithoutAStoreMultiplyALimit(t *testing.T) {
	t.Parallel()
	decided := inProcesses(t, processes, job{Limits: forEver, Callers: 4, Requests: 500})
	for i, limits := range forEver {
		if n := admitted(decided[i]); n != processes*1000 {
			t.Errorf("%s: %d admitted", limits, n)
		}
	}
}

func admitted(decided []int64) (n int) {
	for _, at := range decided {
		if at > 0 {
			n++
		}
	}
	return n
}

// While units come back and are taken again, every single decision, of four
// processes, is the one that the rules give at the instant at which the server made
// it.
func TestProcessesDecideAsTheRulesDo(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	texts := []string{"1/1900ms", "1/500us", "fixed_window 30/100ms", "sliding_window_log 2/1500us", "200/s burst 50", "leaky_bucket 200/s burst 50", "fixed_window 40/200ms", "sliding_window_log 40/200ms",
		"sliding_window_counter 40/200ms", "300/s burst 30, sliding_window_log 20/100ms, fixed_window 50/300ms"}
	decided := inProcesses(t, processes, job{Addr: s.Addr(), Limits: texts, Callers: 2, For: 2 * time.Second})
	for i, text := range texts {
		limits, err := aforo.ParseLimits(text)
		if err != nil {
			t.Fatal(err)
		}
		replay(t, text, limits.List(), decided[i])
	}
	noImmortal(t, s)
}

// Processes and a server in three time zones count in the same windows: those of UTC.
func TestTimeZonesChangeNothing(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.Environment("TZ", "America/St_Johns"))
	texts := []string{"fixed_window 2/d", "fixed_window 2/10s", "sliding_window_counter 2/d"}
	var decided result
	for _, zone := range []string{"Asia/Kolkata", "UTC", "Pacific/Apia"} {
		if _, err := time.LoadLocation(zone); err != nil {
			t.Fatal(err)
		}
		decided = append(decided, inProcesses(t, 1, job{Addr: s.Addr(), Zone: zone, Limits: texts, Callers: 1, Requests: 3})...)
	}
	for i, text := range texts {
		limits, err := aforo.ParseLimits(text)
		if err != nil {
			t.Fatal(err)
		}
		replay(t, text, limits.List(), slices.Concat(decided[i], decided[i+len(texts)], decided[i+2*len(texts)]))
	}
	const day, second = 24 * 60 * 60 * 1000, 1000
	for key := range s.TTLs() {
		if dies := diesAt(s, key); dies > 0 && strings.Contains(key, "86400000000") && dies%day > 2*second {
			t.Errorf("%q dies %dms after midnight", key, dies%day)
		}
	}
}

// replay holds decisions on equal requests to the rules, in the order of their
// instants. Of those of the same microsecond only how many were admitted is known.
func replay(t *testing.T, text string, limits []aforo.Limit, decided []int64) {
	t.Helper()
	instant := func(at int64) int64 { return max(at, -at) }
	slices.SortFunc(decided, func(a, b int64) int { return cmp.Compare(instant(a), instant(b)) })
	states := make([]aforo.State, len(limits))
	total := 0
	for len(decided) > 0 {
		now, same, got, want := instant(decided[0]), 0, 0, 0
		for same < len(decided) && instant(decided[same]) == now {
			if decided[same] > 0 {
				got++
			}
			if takeAll(limits, states, now) {
				want++
			}
			same++
		}
		if got != want {
			t.Errorf("%s: %d of %d admitted at %d, the rules admit %d", text, got, same, now, want)
			return
		}
		decided, total = decided[same:], total+got
	}
	if total == 0 {
		t.Errorf("%s: none admitted", text)
	}
	t.Logf("%s: %d admitted", text, total)
}

// takeAll takes one unit of all limits or of none.
func takeAll(limits []aforo.Limit, states []aforo.State, now int64) bool {
	for i := range limits {
		if !limits[i].Peek(states[i], now, 1).Allowed {
			return false
		}
	}
	for i := range limits {
		states[i], _ = limits[i].Take(states[i], now, 1)
	}
	return true
}
