package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/host"
	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// resultsFolder is where results are kept, as seen from the module's folder.
const resultsFolder = "redis/results"

// Results is what a run found, as it is written to a file.
type Results struct {
	Date      time.Time
	Quick     bool `json:",omitempty"` // sizes so small that the figures say nothing
	Seconds   float64
	Machine   host.Machine
	Server    string // such as redis-server 7.0.15
	Sizes     Sizes
	Subjects  []subject
	Workloads []Workload
	Memory    []Footprint
	Log       []LogCost
}

// A Workload is one table: subjects down.
type Workload struct {
	Section string // speed, algorithms, or refused
	Callers int
	Keys    int
	Rows    []Row
}

// A Row is what a subject did in a workload, round by round.
type Row struct {
	Subject string
	Rounds  []Round
}

// A Round is what a subject did in one round.
type Round struct {
	PerSecond float64 // decisions
	ClientCPU float64 // of this program, in seconds a million decisions
	ServerCPU float64 // of the server, in seconds a million decisions
	Script    float64 // in the server's scripts, in microseconds a decision
	P50, P99  float64 // of a call, in microseconds
	Errors    float64 // part of the calls that made no decision
	Wrong     float64 // part of the decisions that were not what the workload needs
}

// A Footprint is what 100,000 keys of a subject take in the server.
type Footprint struct {
	Subject string
	Key     float64 // bytes a key by MEMORY USAGE
	Total   float64 // bytes a key by used_memory: with the table's share
	Value   int     // bytes of the longest value
}

// A LogCost is what a decision by a log of one length costs.
type LogCost struct {
	Limit            int
	Allowed, Refused []float64 // in the server's script, in microseconds a decision, by rounds
	Refusals         float64   // part of the former that were refused
	Held             int       // requests in the log of one key then
	Bytes            float64   // a request of a full log, with its key's share
}

// row finds a subject's.
func (w *Workload) row(name string) *Row {
	for i := range w.Rows {
		if w.Rows[i].Subject == name {
			return &w.Rows[i]
		}
	}
	return nil
}

// median is that of one measure over the rounds.
func (r *Row) median(of func(Round) float64) float64 {
	var values []float64
	for _, round := range r.Rounds {
		values = append(values, of(round))
	}
	return numbers.Median(values)
}

// times is how many times as much as another's a measure is: the median of the
// rounds' ratios, since what disturbs the machine disturbs who is measured side by
// side alike.
func (r *Row) times(other *Row, of func(Round) float64) float64 {
	var ratios []float64
	for i := range min(len(r.Rounds), len(other.Rounds)) {
		if base := of(other.Rounds[i]); base > 0 {
			ratios = append(ratios, of(r.Rounds[i])/base)
		}
	}
	return numbers.Median(ratios)
}

func perSecond(r Round) float64 { return r.PerSecond }
func script(r Round) float64    { return r.Script }

// find finds a workload; nil if it was not measured.
func (r *Results) find(section string, callers, keys int) *Workload {
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Section == section && w.Callers == callers && w.Keys == keys {
			return w
		}
	}
	return nil
}

func (r *Results) save(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func load(path string) (*Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// newest is the newest file of results, whose names begin with the date.
func newest() (string, error) {
	files, err := filepath.Glob(filepath.Join(resultsFolder, "*.json"))
	if err == nil && len(files) == 0 {
		err = errors.New("there are no results to render; measure first, or name a file by -from")
	}
	if err != nil {
		return "", err
	}
	return slices.Max(files), nil
}
