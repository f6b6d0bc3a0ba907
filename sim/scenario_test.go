package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

func TestScenariosAreWellFormed(t *testing.T) {
	for _, d := range scenarios {
		shape, err := ParseShape(d.shape)
		if err != nil || shape.String() != d.shape {
			t.Errorf("%s: %q, %v", d.name, shape, err)
		}
		if in, err := ParseInstances(d.instances); err != nil || in.String() != d.instances {
			t.Errorf("%s: %q, %v", d.name, in, err)
		}
		for _, line := range strings.Split(d.limits, "\n") {
			if _, err := Expand(line); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
		if s, err := FindScenario(d.name); err != nil || len(s.Limits) == 0 || s.Title == "" || s.Text == "" {
			t.Errorf("%s: %+v, %v", d.name, s, err)
		}
	}
	if len(Scenarios()) != len(scenarios) {
		t.Error("some are missing")
	}
	if _, err := FindScenario("edge"); err == nil || !strings.Contains(err.Error(), "there is no scenario edge: write one of window-edge, ") {
		t.Error(err)
	}
}

// played is what the limits of a scenario do, by their text.
func played(t *testing.T, name string) map[string]Result {
	t.Helper()
	s, err := FindScenario(name)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]Result{}
	for _, l := range s.Limits {
		results[l.String()] = through(t, s.Shape, l.String(), Options{Seed: 1, Instances: s.Instances, Events: 1000})
	}
	return results
}

// brief writes what a test compares.
func summary(r Result) string {
	return fmt.Sprintf("%d allowed, %d refused, %d of %d, over %d, under %d", r.Allowed, r.Refused, r.Most.Units, r.Most.Rate, r.Over, r.Under)
}

func TestWhatScenariosShow(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"window-edge": {
			"fixed_window 100/m":           "200 allowed, 0 refused, 200 of 100, over 100, under 0",
			"sliding_window_log 100/m":     "100 allowed, 100 refused, 100 of 100, over 0, under 0",
			"sliding_window_counter 100/m": "101 allowed, 99 refused, 101 of 100, over 1, under 0",
			"leaky_bucket 100/m burst 20":  "23 allowed, 177 refused, 23 of 100, over 2, under 79",
			"100/m burst 20":               "23 allowed, 177 refused, 23 of 100, over 2, under 79",
		},
		"six-a-minute": {
			"fixed_window 6/m": "6 allowed, 5 refused, 6 of 6, over 0, under 0", "sliding_window_log 6/m": "6 allowed, 5 refused, 6 of 6, over 0, under 0",
			"sliding_window_counter 6/m": "6 allowed, 5 refused, 6 of 6, over 0, under 0", "leaky_bucket 6/m": "11 allowed, 0 refused, 6 of 6, over 5, under 0",
			"6/m": "11 allowed, 0 refused, 11 of 6, over 5, under 0", "6/m burst 1": "6 allowed, 5 refused, 6 of 6, over 5, under 5",
		},
	} {
		for limit, r := range played(t, name) {
			if got := summary(r); got != want[limit] {
				t.Errorf("%s: %s: %s, want %s", name, limit, got, want[limit])
			}
		}
	}
}

func TestAFixedWindowLets200ThroughInTwoSeconds(t *testing.T) {
	r := played(t, "window-edge")["fixed_window 100/m"]
	first, last := r.Events[0], r.Events[len(r.Events)-1]
	if r.Allowed != 200 || last.At-first.At >= 2*second || r.Events[100].At-Start.UnixMicro() != 60*second {
		t.Errorf("%d allowed from %d to %d", r.Allowed, first.At, last.At)
	}
}

func TestABurstThenSustained(t *testing.T) {
	results := played(t, "burst-then-sustained")
	token, leaky := results["5/s burst 20"], results["leaky_bucket 5/s burst 20"]
	if token.Allowed != leaky.Allowed || token.Refused != leaky.Refused || token.LongestDelay != 0 {
		t.Errorf("token: %s, leaky: %s", summary(token), summary(leaky))
	}
	// 20 at once and those of 0.2, 0.4, 0.6 and 0.8 s, against one each 0.2 s
	if token.Most.Units != 24 || leaky.Most.Units != 5 {
		t.Errorf("in a second pass %d and %d", token.Most.Units, leaky.Most.Units)
	}
	for i, e := range leaky.Events {
		released := e.At + e.Delay - Start.UnixMicro()
		if e.Allowed && i > 20 && e.Delay != 4*second-second/5 || i < 20 && released != int64(i)*second/5 {
			t.Errorf("request %d: %+v", i, e)
		}
	}
}

func TestNaiveInstancesMultiplyTheLimit(t *testing.T) {
	naive, shared := played(t, "naive-instances"), played(t, "shared-store")
	one, _ := FindScenario("naive-instances")
	for limit, r := range naive {
		alone, four := through(t, one.Shape, limit, Options{}).Most.Units, shared[limit].Most.Units
		// the store may be asked up to 2 ms later or sooner than a minute ago
		if r.Most.Units != 4*alone || four < alone || four > alone+1 || four > 100 && strings.HasPrefix(limit, "sliding_window_log") {
			t.Errorf("%s: one %d, 4 alone %d, 4 with a store %d", limit, alone, r.Most.Units, four)
		}
		if strings.HasPrefix(limit, "sliding_window_log") && r.Most.Units != 400 {
			t.Errorf("%s: %d pass in a minute", limit, r.Most.Units)
		}
		if d := shared[limit].LongestDelay; !strings.HasPrefix(limit, "leaky") && (d < time.Millisecond || d > 5*time.Millisecond) {
			t.Errorf("%s: the store takes %v", limit, d)
		}
	}
}

// steps writes each decision of a scenario: yes, or the wait.
func steps(r Result) string {
	var texts []string
	for _, e := range r.Events {
		text := "yes"
		if !e.Allowed {
			text = micros(e.Retry).String()
		}
		if n := len(texts); n > 0 && strings.HasPrefix(texts[n-1], text+"*") {
			var times int
			fmt.Sscanf(texts[n-1][len(text)+1:], "%d", &times)
			texts[n-1] = fmt.Sprintf("%s*%d", text, times+1)
			continue
		}
		texts = append(texts, text+"*1")
	}
	return strings.Join(texts, " ")
}

func TestWaitsInScenarios(t *testing.T) {
	for _, test := range []struct{ scenario, limit, want string }{
		{"half-wait", "6/m", "yes*6 5s*1 1ms*1 yes*1"},
		{"window-end", "fixed_window 5/m", "yes*5 600ms*1 1ms*1 yes*1"},
		{"whole-window", "sliding_window_log 10/m", "yes*10 40s*1"},
		{"whole-window", "fixed_window 10/m", "yes*10 40s*1"},
		{"whole-window", "10/m", "yes*11"},
		{"two-instances", "10/m", "yes*10 1s*2"},
		{"two-instances", "fixed_window 10/m", "yes*10 55s*2"},
		{"two-instances", "sliding_window_log 10/m", "yes*10 55s*2"},
		{"counter-wait", "sliding_window_counter 60/m", "yes*72 1s*1 yes*1"},
	} {
		r := played(t, test.scenario)[test.limit]
		if got := steps(r); got != test.want {
			t.Errorf("%s: %s: %s, want %s", test.scenario, test.limit, got, test.want)
		}
	}
	instances := map[int]bool{}
	for _, e := range played(t, "two-instances")["10/m"].Events[10:] {
		instances[e.Instance] = true
	}
	if len(instances) != 2 {
		t.Error("the same instance answers twice")
	}
	e := played(t, "counter-wait")["sliding_window_counter 60/m"].Events[72]
	if got := e.Limits[0].Reason.String(); got != "60 x 0.8 of the previous window + 12 of this one = 60, and 1 more of at most 60: refused, it fits in 1s" {
		t.Error(got)
	}
}

// TestCountingTheRefused: a log that charges what it refuses starves a client
// that keeps asking.
func TestCountingTheRefused(t *testing.T) {
	results := played(t, "persistent-client")
	log := results["sliding_window_log 600/m"]
	if got := summary(log); got != "5770 allowed, 6815 refused, 600 of 600, over 0, under 0" {
		t.Error(got)
	}
	counting, state, allowed := limits(t, "sliding_window_log 600/m").List()[0], aforo.State{}, 0
	var last int64
	for _, r := range sent(shape(t, persistent), 1) {
		if counting.Peek(state, r.at, 1).Allowed {
			allowed, last = allowed+1, r.at
		}
		var err error
		if state, err = counting.Charge(state, r.at, 1); err != nil {
			t.Fatal(err)
		}
	}
	if allowed != 600 || last > Start.UnixMicro()+minute {
		t.Errorf("one that counts what it refuses allows %d, the last after %ds", allowed, (last-Start.UnixMicro())/second)
	}
}

// TestRetryStorms: clients that obey ask far less in vain, and with jitter less
// still.
func TestRetryStorms(t *testing.T) {
	refused := func(name string) int { return played(t, name)["10/s"].Refused }
	obey, jitter, ignore := refused("retry-obey"), refused("retry-jitter"), refused("retry-ignore")
	// of 200, 10 are allowed each second, or one each 100 ms after the first 10
	if want := 190 * 20 / 2; obey != want {
		t.Errorf("those that obey: %d refused, want %d", obey, want)
	}
	if want := 190 * 191 / 2; ignore != want {
		t.Errorf("those that ignore: %d refused, want %d", ignore, want)
	}
	if jitter != 328 {
		t.Errorf("with jitter: %d refused", jitter)
	}
}

// TestClocksFurtherApartThanAPeriod: a clock that is more than a period behind is
// taken to be set back for good, again and again.
func TestClocksFurtherApartThanAPeriod(t *testing.T) {
	s, _ := FindScenario("clock-skew")
	for skew, most := range map[time.Duration]int64{0: 100, 5 * time.Second: 105, 20 * time.Second: 224} {
		in := s.Instances
		in.Skew = skew
		r := through(t, s.Shape, "sliding_window_log 100/10s", Options{Seed: 1, Instances: in})
		if r.Most.Units != most {
			t.Errorf("%v: %d pass in 10 s, want %d", skew, r.Most.Units, most)
		}
		in.OwnClocks = false
		if r := through(t, s.Shape, "sliding_window_log 100/10s", Options{Seed: 1, Instances: in}); r.Most.Units != 100 {
			t.Errorf("%v, by the store's clock: %d pass in 10 s", skew, r.Most.Units)
		}
	}
}
