package sim

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo"
)

var update = flag.Bool("update", false, "write the table of docs/ACCURACY.md anew")

// accuracies is the traffic by which the sliding window counter is measured.
var accuracies = []struct{ what, shape, limit string }{
	{"half of the limit, by chance", "poisson 50/m for 4h", "100/m"},
	{"90 % of the limit", "poisson 90/m for 4h", "100/m"},
	{"just the limit", "poisson 100/m for 4h", "100/m"},
	{"1.5 times the limit", "poisson 150/m for 4h", "100/m"},
	{"5 times the limit", "poisson 500/m for 2h", "100/m"},
	{"just the limit, a small one", "poisson 10/m for 1d", "10/m"},
	{"just the limit, a large one", "poisson 1000/m for 1h", "1000/m"},
	{"twice the limit, evenly", "steady 200/m for 4h", "100/m"},
	{"bursts of the whole limit", "burst 100 every 90s for 4h", "100/m"},
	{"rising and falling around the limit", "sine 20/m to 180/m every 10m for 4h", "100/m"},
	{"a flash crowd", "flash crowd 60/m to 1200/m at 10m fading 2m for 30m", "100/m"},
	{"many clients, few of them busy", "zipf 1.1 clients 1000 200/s for 10m", "100/m"},
	{"people on a website", "visits 3000/h clients 1000 for 1h", "100/m"},
	{"the same, a limit that few ever reach", "visits 3000/h clients 1000 for 1h", "105/m"},
	{"the same, a limit that nobody reaches", "visits 3000/h clients 1000 for 1h", "120/m"},
	{"the same, a tight limit", "visits 3000/h clients 1000 for 1h", "20/m"},
	{"with crawlers among them", "visits 3000/h clients 1000 for 1h and poisson 3/s as crawler clients 2 for 1h", "60/m"},
	{"around the edges of windows", "window edge 100 every 1m for 4h", "100/m"},
	{"the worst there is", "at 59.999s*100 then steady 2/s for 1m", "100/m"},
}

// accuracy is how a counter decides beside a log.
type accuracy struct {
	requests, refused, otherwise int // refused by the log
	allowed                      float64
	most                         Most
}

func measureAccuracy(t *testing.T, shaped, limit string) (a accuracy) {
	s := shape(t, shaped)
	r := through(t, s, "sliding_window_counter "+limit, Options{Seed: 1})
	logAllowed := r.Allowed - r.Over + r.Under
	a.requests = r.Allowed + r.Refused
	a.refused = a.requests - logAllowed
	a.otherwise = r.Over + r.Under
	a.allowed = float64(r.Allowed) / float64(logAllowed)
	a.most = r.Most
	return a
}

// countingAll lets a log and a counter judge by all requests, also those that
// they refuse, so that both always know the same; it counts how often they
// differ.
func countingAll(t *testing.T, s Shape, limit string) (otherwise int) {
	log, counter := limits(t, "sliding_window_log "+limit).List()[0], limits(t, "sliding_window_counter "+limit).List()[0]
	logs, counters := make([]aforo.State, s.names()), make([]aforo.State, s.names())
	for _, r := range sent(s, 1) {
		if log.Peek(logs[r.key], r.at, 1).Allowed != counter.Peek(counters[r.key], r.at, 1).Allowed {
			otherwise++
		}
		var errs [2]error
		logs[r.key], errs[0] = log.Charge(logs[r.key], r.at, 1)
		counters[r.key], errs[1] = counter.Charge(counters[r.key], r.at, 1)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
	}
	return otherwise
}

func share(part, whole int) string {
	text := strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " %"
}

// TestAccuracy: the table of docs/ACCURACY.md is what is measured here.
func TestAccuracy(t *testing.T) {
	var table strings.Builder
	table.WriteString("| traffic | as a shape | limit | requests | the log refuses | decided otherwise | allowed, of what the log allows | most in a window | counting all, otherwise |\n")
	table.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	measured := map[string]accuracy{}
	for _, row := range accuracies {
		a := measureAccuracy(t, row.shape, row.limit)
		measured[row.what] = a
		fmt.Fprintf(&table, "| %s | `%s` | %s | %d | %s | %s | %.2f %% | %d of %d | %s |\n", row.what, row.shape, row.limit,
			a.requests, share(a.refused, a.requests), share(a.otherwise, a.requests), 100*a.allowed, a.most.Units, a.most.Rate, share(countingAll(t, shape(t, row.shape), row.limit), a.requests))
	}
	const path = "../docs/ACCURACY.md"
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(document), "| traffic | as a shape |")
	end := begin + strings.Index(string(document)[max(0, begin):], "\n\n") + 1
	if begin < 0 || end <= begin {
		t.Fatal("there is no table")
	}
	text := string(document[:begin]) + table.String() + string(document[end:])
	keep(t, path, text)
	says(t, text, accuracyInWords(measured)...)
}

// accuracyInWords is what the text beside the table says of it.
func accuracyInWords(m map[string]accuracy) []string {
	off := 0.0 // by how much the sum is
	for what, a := range m {
		if strings.Contains(what, "the limit") && !strings.Contains(what, "bursts") && a.most.Rate >= 100 {
			off = math.Max(off, math.Abs(a.allowed-1))
		}
	}
	otherwise := func(what string) string {
		return share(m[what].otherwise, m[what].requests)
	}
	rounded := func(what string) string {
		return fmt.Sprintf("%.0f %%", 100*float64(m[what].otherwise)/float64(m[what].requests))
	}
	worst, bursts := m["the worst there is"], m["bursts of the whole limit"]
	return []string{
		fmt.Sprintf("from 20/m to 120/m, give anything from %s to nothing, and %s on the way", rounded("the same, a tight limit"), otherwise("the same, a limit that few ever reach")),
		fmt.Sprintf("%s of them at 1.5 times the limit", rounded("1.5 times the limit")),
		fmt.Sprintf("within %.1f %% of what the log allows", 100*off),
		fmt.Sprintf("lose %.0f %% of their requests", 100*(1-bursts.allowed)),
		fmt.Sprintf("get through %d of %d in a minute", worst.most.Units, worst.most.Rate),
	}
}

// says tells whether a text has phrases, wherever its lines end.
func says(t *testing.T, text string, phrases ...string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, phrase := range phrases {
		if !strings.Contains(text, phrase) {
			t.Errorf("it is true, and nowhere said: %s", phrase)
		}
	}
}

// keep compares what was measured with what a file says of it, or writes it.
func keep(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != text {
		t.Errorf("%s is not what is measured (go test ./sim -update writes it): %v", path, err)
	}
}

// TestAccuracyPicture: docs/accuracy.svg is what is measured here, by chance
// alone at more and more of the limit.
func TestAccuracyPicture(t *testing.T) {
	var curves []curve
	for _, rate := range []int{10, 100, 1000} {
		c := curve{name: fmt.Sprintf("%d/m", rate)}
		for percent := 50; percent <= 200; percent += 10 {
			a := measureAccuracy(t, fmt.Sprintf("poisson %d/100m for 2h", rate*percent), fmt.Sprintf("%d/m", rate))
			c.points = append(c.points, [2]float64{float64(percent), 100 * float64(a.otherwise) / float64(a.requests)})
		}
		curves = append(curves, c)
	}
	document, err := os.ReadFile("../docs/ACCURACY.md")
	if err != nil {
		t.Fatal(err)
	}
	at := func(percent int) (low, high float64) { // of all curves
		low = 100
		for _, c := range curves {
			v := c.points[(percent-50)/10][1]
			low, high = math.Min(low, v), math.Max(high, v)
		}
		return low, high
	}
	low, high := at(100)
	lower, higher := at(200)
	says(t, string(document), fmt.Sprintf("at the limit %.0f to %.0f %%, and at twice the limit %.0f to %.0f %%", low, high, lower, higher))
	if v := max(curves[1].points[2][1], curves[2].points[2][1]); v > 0.1 {
		t.Errorf("%v %% at 70 %% of the limit", v)
	}
	keep(t, "../docs/accuracy.svg", drawSVG("Requests that the counter decides otherwise than the log, in %", "traffic, in % of the limit", curves))
}

// TestTheCounterNeverExceedsItsBound: N*(1 + L/p) in any stretch L of up to a
// period p, whatever the traffic; and traffic that is made for it comes near.
func TestTheCounterNeverExceedsItsBound(t *testing.T) {
	worst := through(t, shape(t, "at 59.999s*100 then steady 2/s for 1m"), "sliding_window_counter 100/m", Options{})
	if worst.Most.Units != 199 {
		t.Errorf("the worst that is known passes %d", worst.Most.Units)
	}
	chance := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		text := fmt.Sprintf("at %ds*%d %ds*%d %ds*%d then burst %d every %dms for 3m and poisson %d/s for 3m",
			chance.IntN(20), 1+chance.IntN(10), 20+chance.IntN(20), 1+chance.IntN(10), 40+chance.IntN(20), 1+chance.IntN(10), 1+chance.IntN(20), 1000+chance.IntN(20000), 1+chance.IntN(3))
		s := shape(t, text)
		r := through(t, s, "sliding_window_counter 10/10s", Options{Seed: chance.Uint64(), Events: MaxEvents})
		var passed []passage
		for _, e := range r.Events {
			if e.Allowed {
				passed = append(passed, passage{at: e.At, cost: uint32(e.Cost)})
			}
		}
		for _, stretch := range []int64{1, 2, 5, 10} { // of 10 s
			if most := mostOf(passed, stretch*second); most > 10+stretch {
				t.Errorf("%s: %d in %d s", text, most, stretch)
			}
		}
	}
}
