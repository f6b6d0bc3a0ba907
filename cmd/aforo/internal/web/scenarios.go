package web

import (
	"encoding/json"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
	"github.com/aforo-dev/aforo/sim"
)

// A Story is something that people should have seen once, in one scene or
// several to compare. Its words are in the languages' files, under its name.
type Story struct {
	Name   string  `json:"name"`
	Scenes []Scene `json:"scenes"`
}

// A Scene is a simulation that is shown.
type Scene struct {
	Name    string           `json:"name"`
	Request simulate.Request `json:"request"`
}

// A Question is one of the quiz: what is asked is a field of the first lane.
type Question struct {
	Name    string           `json:"name"`
	Request simulate.Request `json:"request"`
	Asks    string           `json:"asks"`
	Options []int64          `json:"options"`
}

// A Preset is traffic to begin with.
type Preset struct {
	Name    string `json:"name"`
	Traffic string `json:"traffic"`
}

// Stories are the eight, simplest first.
var Stories = []Story{
	{"edge-burst", []Scene{
		{"scene", play("window edge 100 every 1m within 10s for 2m", "1", five("100/m burst 20")...)},
	}},
	{"burst-or-smooth", []Scene{
		{"scene", play("burst 20 then steady 5/s for 15s", "1", "5/s burst 20", "leaky_bucket 5/s burst 20")},
	}},
	{"retry-storm", []Scene{
		{"ignore", play("retry storm clients 40 ignore retry 500ms every 1m for 30s", "1", five("4/s burst 8")...)},
		{"obey", play("retry storm clients 40 obey every 1m for 30s", "1", five("4/s burst 8")...)},
		{"jitter", play("retry storm clients 40 obey jitter 10s every 1m for 30s", "1", five("4/s burst 8")...)},
	}},
	{"costs", []Scene{
		{"scene", play("poisson 3/s cost 1..20 for 30s", "1", five("20/s burst 40")...)},
	}},
	{"instances", []Scene{
		{"own", play("steady 4/s for 1m", "4", five("20/m")...)},
		{"shared", play("steady 4/s for 1m", "4 shared", five("20/m")...)},
	}},
	{"clock-skew", []Scene{
		{"instance", play("steady 5/s for 40s", "2 shared skew 6s own clocks", five("20/10s")...)},
		{"store", play("steady 5/s for 40s", "2 shared skew 6s", five("20/10s")...)},
	}},
	{"one-address", []Scene{
		{"address", play("poisson 5/s clients 20 one key for 30s", "1", five("60/m burst 10")...)},
		{"user", play("poisson 5/s clients 20 for 30s", "1", five("60/m burst 10")...)},
	}},
	{"exact-or-cheap", []Scene{
		{"scene", play("burst 60 over 10s every 70s for 100s", "1", "sliding_window_log 60/m", "sliding_window_counter 60/m")},
	}},
}

// Questions are the quiz. No answer is written down: the page plays them.
var Questions = []Question{
	{"edge", play("window edge 100 every 1m for 2m", "1", "fixed_window 100/m"), "allowed", []int64{100, 120, 200}},
	{"burst", play("burst 30", "1", "10/s burst 20"), "allowed", []int64{10, 20, 30}},
	{"queue", play("burst 10", "1", "leaky_bucket 2/s burst 10"), "longest_delay_us", []int64{0, 4_500_000, 5_000_000}},
	{"instances", play("burst 80", "4", "fixed_window 10/m"), "allowed", []int64{10, 40, 80}},
	{"persistent", play("steady 1/s for 2m", "1", "sliding_window_log 5/m"), "allowed", []int64{5, 10, 120}},
}

// Presets are shapes of traffic, one of each kind.
var Presets = []Preset{
	{"steady", "steady 3/s for 2m"},
	{"poisson", "poisson 2/s for 2m"},
	{"burst", "burst 60 every 30s for 2m"},
	{"sine", "sine 1/s to 5/s every 40s for 2m"},
	{"flash", "flash crowd 1/s to 20/s at 30s fading 15s for 2m"},
	{"edge", "window edge 100 every 1m within 10s for 2m"},
	{"zipf", "zipf 1.2 clients 30 4/s for 2m"},
	{"storm", "retry storm clients 40 ignore every 1m for 2m"},
}

func play(traffic, instances string, limits ...string) simulate.Request {
	if instances == "1" {
		instances = ""
	}
	return simulate.Request{Limits: limits, Traffic: traffic, Instances: instances}
}

// five is a limit under all five algorithms.
func five(limit string) (texts []string) {
	lanes, _ := sim.Expand(limit) // a test plays them all
	for _, l := range lanes {
		texts = append(texts, l.String())
	}
	return texts
}

func scenariosJSON() ([]byte, error) {
	return json.Marshal(struct {
		Stories   []Story    `json:"stories"`
		Presets   []Preset   `json:"presets"`
		Questions []Question `json:"questions"`
	}{Stories, Presets, Questions})
}
