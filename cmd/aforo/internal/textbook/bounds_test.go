package textbook

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// attackLimit is what the attacks are made against: N = 10 in a minute.
const (
	attackLimit = "10/m"
	attackN     = 10
)

// attacks are traffic that is made to get as much as possible through in some
// minute: all at once after a silence and then whatever comes; twice around an
// edge; at an edge and then as the weight of the window before it falls.
var attacks = []string{
	"at 30s*20 then steady 20/s for 2m",
	"at 59.999s*20 then steady 20/s for 1m",
	"window edge 20 every 1m within 10ms for 3m",
	"burst 20 every 7s for 5m",
	"poisson 2/s for 5m",
	"sine 1/s to 5/s every 30s for 5m",
}

// A bound is the most that passed in any minute, and what no traffic exceeds.
type bound struct {
	Most, Bound int64
}

// measureBounds attacks each algorithm.
func measureBounds(t *testing.T) map[string]bound {
	proven := map[string]int64{ // of N, in a window of the period
		"token_bucket": 2 * attackN, "leaky_bucket": attackN, "fixed_window": 2 * attackN,
		"sliding_window_log": attackN, "sliding_window_counter": 2 * attackN,
	}
	bounds := map[string]bound{}
	for _, algorithm := range five {
		b := bound{Bound: proven[algorithm]}
		for _, shape := range attacks {
			b.Most = max(b.Most, run(t, shape, algorithm+" "+attackLimit, sim.Options{Seed: 1}).Most.Units)
		}
		if b.Most > b.Bound {
			t.Errorf("%s let %d pass in a minute, and its bound is %d", algorithm, b.Most, b.Bound)
		}
		bounds[algorithm] = b
	}
	return bounds
}

// measureEdge is what passes of a hundred requests just before the edge of a minute
// and a hundred just after it, at a limit of a hundred.
func measureEdge(t *testing.T) map[string]int {
	passed := map[string]int{}
	for _, algorithm := range five {
		limit := algorithm + " 100/m"
		if strings.HasSuffix(algorithm, "bucket") {
			limit += " burst 20"
		}
		r := run(t, "window edge 100 every 1m for 2m", limit, sim.Options{})
		passed[algorithm], passed["sent"] = r.Allowed, r.Allowed+r.Refused
	}
	return passed
}

// measureSpacing is the least distance between two releases of the leaky bucket
// in the traffic.
func measureSpacing(t *testing.T) time.Duration {
	apart := time.Hour
	released := passages(playLanes(t, "leaky_bucket "+trafficLimit).Lanes[0])
	for i := 1; i < len(released); i++ {
		apart = min(apart, time.Duration(released[i].at-released[i-1].at)*time.Microsecond)
	}
	return apart
}

// logBytes are what a state takes of a client that has used up its limit, for
// several limits in a minute.
type logBytes struct {
	N     int
	Bytes map[string]int
	Entry float64 // bytes of the log by its entries, in tenths
}

func measureState(t *testing.T) (list []logBytes) {
	for n := 10; n <= 10_000; n *= 10 {
		b := logBytes{N: n, Bytes: map[string]int{}}
		for _, algorithm := range five {
			limit := fmt.Sprintf("%s %d/m", algorithm, n)
			b.Bytes[algorithm] = run(t, fmt.Sprintf("poisson %d/m for 3m", 2*n), limit, sim.Options{Seed: 1}).StateBytes
		}
		b.Entry = math.Round(10*float64(b.Bytes["sliding_window_log"])/float64(n)) / 10
		list = append(list, b)
	}
	return list
}

// storeBytes is what a key takes in the store of a process, all of it counted, in
// tens of bytes, rounded up.
func storeBytes(t *testing.T, limit string) int {
	const keys = 200_000
	before := heap()
	store := aforo.NewMemory()
	limiter, err := aforo.New(limit, aforo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		if d, err := limiter.Allow(t.Context(), fmt.Sprint("user:", i)); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
	}
	each := float64(heap()-before) / keys
	runtime.KeepAlive(store)
	t.Logf("%s: %.1f bytes a key", limit, each)
	return 10 * (int(each)/10 + 1)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
