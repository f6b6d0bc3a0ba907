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
	texts := map[string]string{}
	for _, name := range []string{"README.md", "README.es.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	for _, limit := range []aforo.Limit{
		aforo.PerMinute(100).Using(aforo.FixedWindow),
		aforo.PerMinute(100).Using(aforo.SlidingWindowLog),
		aforo.PerMinute(100).Using(aforo.SlidingWindowCounter),
		aforo.PerMinute(100).Burst(20).Using(aforo.LeakyBucket),
		aforo.PerMinute(100).Burst(20),
	} {
		c := newClock()
		allowed, over := edge(t, aforo.Must(limit, aforo.WithClock(c.now)), c)
		passed := fmt.Sprintf("| %d ", allowed)
		if limit.Algorithm() == aforo.LeakyBucket {
			passed = fmt.Sprintf("| %d, ", allowed)
		}
		for name, text := range texts {
			row := rowOf(text, limit.Algorithm().String())
			if !strings.Contains(row, passed) {
				t.Errorf("%s: %v lets %d through, the last of them after %v; the row is %q", name, limit, allowed, over, row)
			}
		}
		if limit.Algorithm() == aforo.LeakyBucket && over.Round(time.Second) != 13*time.Second {
			t.Errorf("%v releases the last after %v", limit, over)
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
