package sim

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestInstancesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `aforo: instances "": number "" (at byte 0): the number is missing; for example: 4 shared latency 1ms..5ms`,
		"0":                         `number 0 (at byte 0): the smallest is 1`,
		"2000":                      `number 2000 (at byte 0): the largest is 1000`,
		"4 sharde":                  `word sharde (at byte 2): there are random, shared, latency, skew and own clocks`,
		"4 shared own":              `word "" (at byte 12): write own clocks`,
		"4 shared latency":          `time "" (at byte 16): the time is missing`,
		"4 shared latency 5ms..1ms": `time 5ms..1ms (at byte 17): the first of the two is the shorter`,
		"4 shared latency 2h":       `time 2h (at byte 17): the longest is 1m`,
		"4 skew 1x":                 `time 1x (at byte 7): units are us, ms`,
		"4 latency 5ms":             `store "4 latency 5ms" (at byte 0): latency and own clocks are of a shared store`,
		"4 own clocks":              `latency and own clocks are of a shared store`,
	} {
		_, err := ParseInstances(text)
		var bad *TextError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzParseInstances(f *testing.F) {
	f.Add("4 random shared latency 1ms..5ms skew 2s own clocks")
	f.Add("1")
	f.Fuzz(func(t *testing.T, text string) {
		in, err := ParseInstances(text)
		if err != nil {
			var bad *TextError
			if !errors.As(err, &bad) || bad.Place < 0 || bad.Place > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		again, err := ParseInstances(in.String())
		if err != nil || again != in {
			t.Fatalf("%q is %+v is %+v: %v", text, in, again, err)
		}
	})
}

// TestWhoIsAsked: in turns, or evenly by chance.
func TestWhoIsAsked(t *testing.T) {
	var asked [2][4]int
	for i, random := range []bool{false, true} {
		r := through(t, shape(t, "steady 1000/s for 4s"), "100/s", Options{Events: MaxEvents, Instances: Instances{N: 4, Random: random}})
		for n, e := range r.Events {
			asked[i][e.Instance]++
			if !random && e.Instance != n%4 {
				t.Fatalf("request %d asks %d", n, e.Instance)
			}
		}
	}
	for n := range 4 {
		if asked[0][n] != 1000 || asked[1][n] == 1000 || !near(asked[1][n], 1000) {
			t.Errorf("%v", asked)
		}
	}
}

// TestLatencyChangesTheOrder: who is asked later may be decided sooner, and the
// store decides in the order in which questions come to it.
func TestLatencyChangesTheOrder(t *testing.T) {
	r := through(t, shape(t, "poisson 1000/s for 10s"), "100/s", Options{Events: MaxEvents, Instances: Instances{N: 2, Shared: true, Latency: [2]time.Duration{time.Millisecond, 9 * time.Millisecond}}})
	overtaken, last := 0, Event{}
	for _, e := range r.Events {
		if took := e.Decided - e.At; took < 500 || took > 4500 || e.Decided < last.Decided {
			t.Fatalf("%+v after %+v", e, last)
		}
		if e.At < last.At {
			overtaken++
		}
		last = e
	}
	if overtaken < len(r.Events)/10 {
		t.Errorf("%d of %d were overtaken", overtaken, len(r.Events))
	}
}

// TestSkewIsSpread: the first clock is right, the last is ahead by all of it.
func TestSkewIsSpread(t *testing.T) {
	b := newBalancer(Instances{N: 5, Skew: 2 * time.Second}, 1)
	for i := range 5 {
		if got, want := b.clock(i, 10*second), 10*second+int64(i)*second/2; got != want {
			t.Errorf("clock %d: %d, want %d", i, got, want)
		}
	}
}
