package main

import (
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// replayJSON is the form of -o json. Numbers of time end in their unit; a
// client's bytes that are not UTF-8 are escaped as in Go.
type replayJSON struct {
	Files      []string           `json:"files"`
	Key        string             `json:"key"`
	Requests   int64              `json:"requests"`
	Clients    int                `json:"clients"`
	First      time.Time          `json:"first"`
	Last       time.Time          `json:"last"`
	OutOfOrder int64              `json:"out_of_order"`
	NoKey      int64              `json:"requests_without_key"`
	NoZone     int64              `json:"times_without_zone"`
	BadLines   int64              `json:"bad_lines"`
	FirstBad   []string           `json:"first_bad_lines"`
	Formats    []string           `json:"formats,omitempty"` // of each file, unless all are common or combined
	Ambiguous  int64              `json:"ambiguous_times,omitempty"`
	LeftOut    int64              `json:"left_out_for_status,omitempty"`
	Other      int64              `json:"other_lines,omitempty"`
	Before     *replayBeforeJSON  `json:"refused_before,omitempty"`
	Timeline   []int64            `json:"requests_over_time,omitempty"` // with clients
	Results    []replayResultJSON `json:"results"`
}

type replayResultJSON struct {
	Limit          string       `json:"limit"`
	Allowed        int64        `json:"allowed"`
	Refused        int64        `json:"refused"`
	ClientsTouched int          `json:"clients_touched"`
	Worst          *replayWorst `json:"worst_client"`     // null if nobody was refused
	LongestDelayMS *json.Number `json:"longest_delay_ms"` // null: something is never released

	By         map[string]int64   `json:"refused_by,omitempty"` // each of several limits
	Comparison *replayComparison  `json:"comparison,omitempty"` // with --status
	Timeline   []int64            `json:"refused_over_time,omitempty"`
	Clients    []replayClientJSON `json:"clients,omitempty"`
}

// replayBeforeJSON is what a limiter did that was there when the log was
// written.
type replayBeforeJSON struct {
	Status429 int64 `json:"status_429"`
	Status503 int64 `json:"status_503"`
	Lines     int64 `json:"lines_of_refusals"`
}

// replayComparison is how many requests were refused here, there, or in both.
type replayComparison struct {
	Both      int64 `json:"both"`
	OnlyHere  int64 `json:"only_here"`
	OnlyThere int64 `json:"only_there"`
	Neither   int64 `json:"neither"`
}

type replayClientJSON struct {
	Client         string           `json:"client"`
	Requests       int64            `json:"requests"`
	Refused        int64            `json:"refused"`
	First          time.Time        `json:"first"`
	FirstRetryMS   *json.Number     `json:"first_retry_ms"` // null: waiting would not have helped
	Last           time.Time        `json:"last"`
	LongestRetryMS *json.Number     `json:"longest_retry_ms"`
	By             map[string]int64 `json:"refused_by,omitempty"`
}

type replayWorst struct {
	Client   string `json:"client"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"`
}

func writeReplayJSON(out io.Writer, r *replay) error {
	t := r.Traffic
	j := replayJSON{
		Files: t.Files, Key: t.By.String(), Requests: t.Len(), Clients: t.Keys(),
		NoKey: t.NoKey, NoZone: t.Lines.NoZone, BadLines: t.Lines.Bad, FirstBad: []string{},
	}
	j.First, j.Last = t.Span()
	j.OutOfOrder, _ = t.OutOfOrder()
	j.Ambiguous, j.LeftOut, j.Other = t.Lines.Ambiguous, t.LeftOut, t.Lines.Other
	if t.hasFormats() {
		j.Formats = t.Formats
	}
	if t.Refused429+t.Refused503+t.Lines.Refused > 0 {
		j.Before = &replayBeforeJSON{t.Refused429, t.Refused503, t.Lines.Refused}
	}
	if r.ClientsShown > 0 {
		j.Timeline = r.Timeline[:]
	}
	for _, bad := range t.Lines.FirstBad {
		j.FirstBad = append(j.FirstBad, bad.String())
	}
	for _, c := range r.Columns {
		one := replayResultJSON{Limit: heading(c.Limits), Allowed: c.Allowed, Refused: c.Refused,
			ClientsTouched: len(c.Clients), LongestDelayMS: unlessNever(c.LongestDelay)}
		if w := r.worst(c); w != nil {
			one.Worst = &replayWorst{printable(w.Key), w.Requests, w.Count}
		}
		r.addDetails(&one, c)
		j.Results = append(j.Results, one)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}

// addDetails adds what was asked for besides.
func (r *replay) addDetails(one *replayResultJSON, c *column) {
	if len(r.There) > 0 {
		one.Comparison = &replayComparison{c.Both, c.OnlyHere, c.OnlyThere, r.Traffic.Len() - c.Both - c.OnlyHere - c.OnlyThere}
	}
	if r.ClientsShown == 0 {
		return
	}
	one.By, one.Timeline = c.byLimit(c.By), c.Timeline[:]
	for _, k := range r.clients(c, r.ClientsShown) {
		one.Clients = append(one.Clients, replayClientJSON{
			Client: printable(k.Key), Requests: k.Requests, Refused: k.Count,
			First: time.UnixMicro(k.First).UTC(), FirstRetryMS: unlessNever(k.FirstRetry),
			Last: time.UnixMicro(k.Last).UTC(), LongestRetryMS: unlessNever(k.Longest), By: c.byLimit(k.By),
		})
	}
}

// byLimit names counts by the limits, if there are several.
func (c *column) byLimit(counts []int64) map[string]int64 {
	if len(counts) < 2 {
		return nil
	}
	by := make(map[string]int64)
	for i, limit := range c.Limits.List() {
		by[limit.String()] = counts[i]
	}
	return by
}

func milliseconds(d time.Duration) json.Number {
	return json.Number(strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64))
}
