package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// compareJSON is the form of -o json, and what the page of -o html draws.
// Numbers of time end in their unit.
type compareJSON struct {
	Scenario  string              `json:"scenario,omitempty"`
	Traffic   string              `json:"traffic"`
	Seed      uint64              `json:"seed"`
	Instances string              `json:"instances"`
	First     time.Time           `json:"first"`
	StepMS    json.Number         `json:"step_ms"` // of in and out
	Results   []compareResultJSON `json:"results"`
}

type compareResultJSON struct {
	Limit           string            `json:"limit"`
	Requests        int               `json:"requests"`
	Allowed         int               `json:"allowed"`
	Refused         int               `json:"refused"`
	AllowedUnits    int64             `json:"allowed_units"`
	RefusedUnits    int64             `json:"refused_units"`
	Clients         int               `json:"clients"` // keys
	ClientsTouched  int               `json:"clients_touched"`
	Most            *compareMost      `json:"most_in_a_window"` // null if unlimited
	LongestWaitMS   json.Number       `json:"longest_wait_ms"`
	LongestStarveMS json.Number       `json:"longest_starvation_ms"`
	MeanDelayMS     json.Number       `json:"mean_delay_ms"`
	P99DelayMS      json.Number       `json:"p99_delay_ms"`
	LongestDelayMS  *json.Number      `json:"longest_delay_ms"` // null if something is never released
	Over            int               `json:"over"`
	Under           int               `json:"under"`
	StateBytes      int               `json:"state_bytes"`
	In              []int64           `json:"in"`  // units, in each step
	Out             []int64           `json:"out"` // units
	Level           [][]float64       `json:"level,omitempty"`
	Decisions       []compareDecision `json:"decisions,omitempty"`
}

type compareMost struct {
	Units    int64       `json:"units"`
	Rate     int64       `json:"rate"`
	PeriodMS json.Number `json:"period_ms"`
	Client   string      `json:"client"`
}

type compareDecision struct {
	At       time.Time    `json:"at"`
	Client   string       `json:"client"`
	Key      string       `json:"key"`
	Cost     int64        `json:"cost"`
	Instance int          `json:"instance"`
	Allowed  bool         `json:"allowed"`
	RetryMS  *json.Number `json:"retry_after_ms"` // null is never
	DelayMS  *json.Number `json:"delay_ms"`       // null is never
	Reasons  []string     `json:"reasons"`        // of each limit
}

func (c *comparison) json() compareJSON {
	j := compareJSON{Traffic: c.Traffic, Seed: c.Seed, Instances: c.Instances.String(),
		First: time.UnixMicro(c.Results[0].Series.From).UTC(), StepMS: milliseconds(c.Results[0].Series.Step)}
	if c.Scenario != nil {
		j.Scenario = c.Scenario.Name
	}
	for _, r := range c.Results {
		one := compareResultJSON{
			Limit: heading(r.Limits), Requests: requests(r), Allowed: r.Allowed, Refused: r.Refused,
			AllowedUnits: r.AllowedUnits, RefusedUnits: r.RefusedUnits, Clients: r.Keys, ClientsTouched: r.Touched,
			LongestWaitMS: milliseconds(r.LongestWait), LongestStarveMS: milliseconds(r.LongestStarvation),
			MeanDelayMS: milliseconds(r.MeanDelay), P99DelayMS: milliseconds(r.P99Delay), LongestDelayMS: unlessNever(r.LongestDelay),
			Over: r.Over, Under: r.Under, StateBytes: r.StateBytes, In: r.Series.In, Out: r.Series.Out,
		}
		if m := r.Most; m.Period > 0 {
			one.Most = &compareMost{m.Units, m.Rate, milliseconds(m.Period), printable(m.Key)}
		}
		for _, e := range r.Events {
			one.Decisions = append(one.Decisions, decisionJSON(e))
		}
		j.Results = append(j.Results, one)
	}
	return j
}

func decisionJSON(e sim.Event) compareDecision {
	d := compareDecision{At: time.UnixMicro(e.At).UTC(), Client: printable(e.Client), Key: printable(e.Key), Cost: e.Cost,
		Instance: e.Instance, Allowed: e.Allowed, RetryMS: unlessNever(microseconds(e.Retry)), DelayMS: unlessNever(microseconds(e.Delay))}
	for _, l := range e.Limits {
		d.Reasons = append(d.Reasons, l.Reason.String())
	}
	return d
}

// microseconds is a wait of a simulation, in which -1 is never.
func microseconds(us int64) time.Duration {
	if us < 0 {
		return aforo.Never
	}
	return time.Duration(us) * time.Microsecond
}

func isNever(d time.Duration) bool { return d == aforo.Never }

func unlessNever(d time.Duration) *json.Number {
	if isNever(d) {
		return nil
	}
	ms := milliseconds(d)
	return &ms
}

func writeCompareJSON(out io.Writer, c *comparison) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(c.json())
}

func writeCompareCSV(out io.Writer, c *comparison) error {
	w := csv.NewWriter(out)
	w.Write([]string{"limit", "requests", "allowed", "refused", "allowed_units", "refused_units", "clients_touched",
		"most_in_a_window", "rate", "period_ms", "longest_wait_ms", "longest_starvation_ms",
		"mean_delay_ms", "p99_delay_ms", "longest_delay_ms", "over", "under", "state_bytes"})
	for _, r := range c.json().Results {
		most, longest := compareMost{PeriodMS: "0"}, json.Number("never")
		if r.Most != nil {
			most = *r.Most
		}
		if r.LongestDelayMS != nil {
			longest = *r.LongestDelayMS
		}
		w.Write([]string{r.Limit, strconv.Itoa(r.Requests), strconv.Itoa(r.Allowed), strconv.Itoa(r.Refused),
			strconv.FormatInt(r.AllowedUnits, 10), strconv.FormatInt(r.RefusedUnits, 10), strconv.Itoa(r.ClientsTouched),
			strconv.FormatInt(most.Units, 10), strconv.FormatInt(most.Rate, 10), most.PeriodMS.String(),
			r.LongestWaitMS.String(), r.LongestStarveMS.String(), r.MeanDelayMS.String(), r.P99DelayMS.String(), longest.String(),
			strconv.Itoa(r.Over), strconv.Itoa(r.Under), strconv.Itoa(r.StateBytes)})
	}
	w.Flush()
	return w.Error()
}
