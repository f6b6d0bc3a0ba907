package aforo_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// What the README says of the five algorithms is found out here: each meets
// the same traffic at 100 per minute, and the table must hold the answers.

// edge is 100 requests in the second before a minute's edge and 100 in the
// second after.
func edge(t *testing.T, limiter *aforo.Limiter, c *clock) (allowed int, lastRelease time.Duration) {
	t.Helper()
	for i := range 200 {
		at := 59*time.Second + time.Duration(i)*10*time.Millisecond
		c.set(at)
		d, err := limiter.Allow(context.Background(), "key")
		if err != nil {
			t.Fatal(err)
		}
		if d.Allowed {
			allowed++
			lastRelease = at + d.Delay
		}
	}
	return allowed, lastRelease - 59*time.Second
}

func TestTheTableInTheReadmeIsTrue(t *testing.T) {
	for _, limit := range compared() {
		c := newClock()
		allowed, over := edge(t, aforo.Must(limit, aforo.WithClock(c.now)), c)
		passed := fmt.Sprintf("| %d ", allowed)
		if limit.Algorithm() == aforo.LeakyBucket {
			passed = fmt.Sprintf("| %d, ", allowed)
			if over != time.Duration(allowed-1)*600*time.Millisecond {
				t.Errorf("%v releases the last after %v", limit, over)
			}
		}
		inBothReadmes(t, limit.Algorithm(), passed, passed)
	}
}

// compared is the five limits of the table.
func compared() []aforo.Limit {
	return []aforo.Limit{
		aforo.PerMinute(100).Using(aforo.FixedWindow),
		aforo.PerMinute(100).Using(aforo.SlidingWindowLog),
		aforo.PerMinute(100).Using(aforo.SlidingWindowCounter),
		aforo.PerMinute(100).Burst(20).Using(aforo.LeakyBucket),
		aforo.PerMinute(100).Burst(20),
	}
}

func TestALeakyBucketReleasesOneAfterTheOther(t *testing.T) {
	limiter := aforo.Must(aforo.PerMinute(100).Burst(20).Using(aforo.LeakyBucket), aforo.WithClock(newClock().now))
	var apart time.Duration
	for i := range 20 {
		d, err := limiter.Allow(context.Background(), "key")
		if i == 1 {
			apart = d.Delay
		}
		if err != nil || !d.Allowed || d.Delay != time.Duration(i)*apart {
			t.Errorf("request %d: %+v, %v", i, d, err)
		}
	}
	seconds := fmt.Sprint(apart.Seconds())
	inBothReadmes(t, aforo.LeakyBucket, "released one every "+seconds+" s", "sale una cada "+strings.Replace(seconds, ".", ",", 1)+" s")
	inBothReadmes(t, aforo.LeakyBucket, "| queued, not passed on |", "| se encola, no pasa de golpe |")
}

func TestHowManyPassAtOnce(t *testing.T) {
	for _, limit := range compared() {
		n := take(t, aforo.Must(limit, aforo.WithClock(newClock().now)), 150)
		switch limit.Algorithm() {
		case aforo.LeakyBucket: // they are delayed: see above
		case aforo.TokenBucket:
			inBothReadmes(t, limit.Algorithm(), fmt.Sprintf("| %d at once, ", n), fmt.Sprintf("| %d de golpe ", n))
		default:
			if n != 100 {
				t.Errorf("%v: %d pass at once", limit, n)
			}
			inBothReadmes(t, limit.Algorithm(), "| the whole limit", "| todo el límite")
		}
	}
}

// TestWhatAKeyTakes counts what a state holds in the end, of traffic around the
// edge of a window.
func TestWhatAKeyTakes(t *testing.T) {
	for _, limit := range compared() {
		var s aforo.State
		allowed := 0
		for i := range 200 {
			at := start.Add(59*time.Second + time.Duration(i)*10*time.Millisecond)
			var v aforo.Verdict
			if s, v = limit.Take(s, at.UnixMicro(), 1); v.Allowed {
				allowed++
			}
		}
		if limit.Algorithm() == aforo.SlidingWindowLog {
			if entries := s.Log.Entries(); len(entries) != allowed {
				t.Errorf("%v: %d entries for %d admitted requests", limit, len(entries), allowed)
			}
			inBothReadmes(t, limit.Algorithm(), "| 1 entry per admitted request |", "| 1 entrada por petición admitida |")
			continue
		}
		numbers := 0
		for _, n := range []int64{s.At, s.Used, s.Prev} {
			if n != 0 {
				numbers++
			}
		}
		if s.Log.Entries() != nil {
			t.Errorf("%v keeps a log", limit)
		}
		inBothReadmes(t, limit.Algorithm(), fmt.Sprintf("| %d numbers |", numbers), fmt.Sprintf("| %d números |", numbers))
	}
}

// inBothReadmes looks for a text in the algorithm's rows.
func inBothReadmes(t *testing.T, a aforo.Algorithm, english, spanish string) {
	t.Helper()
	for name, text := range map[string]string{"README.md": english, "README.es.md": spanish} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if row := rowOf(string(data), a.String()); !strings.Contains(row, text) {
			t.Errorf("%s: %q is true, and not in the row %q", name, text, row)
		}
	}
}

// rowOf is the row of a table that begins with a name in code.
func rowOf(text, name string) string {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "| `"+name+"`") {
			return line
		}
	}
	return ""
}
