package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// suggestWriters are the forms in which advice is printed.
var suggestWriters = map[string]func(io.Writer, *advice) error{
	"text": writeSuggestText, "json": writeSuggestJSON, "yaml": writeSuggestYAML,
}

func writeSuggestText(out io.Writer, a *advice) error {
	t := a.Traffic
	first, last := t.Span()
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %s to %s UTC, by %s: %s\n", count(t.Len(), "request"), count(int64(t.Keys()), "client"),
		first.Format(replayTime), last.Format(replayTime), t.By, strings.Join(t.Files, ", "))
	for _, note := range t.notes() {
		fmt.Fprintf(&b, "%s\n", note)
	}
	fmt.Fprintf(&b, "\nThe least limits that touch at most %s of %s:\n", a.Target, a.what())
	for period := range a.Periods {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, "\nLIMIT\tCLIENTS TOUCHED\t\tREQUESTS REFUSED\t\tLONGEST DELAY\n")
		for _, s := range a.of(period) {
			e := s.Effect
			fmt.Fprintf(w, "%s\t%d of %d\t%s\t%d\t%s\t%s\n", limitHeading(s.Limit), e.Clients, t.Keys(), percent(int64(e.Clients), int64(t.Keys())),
				e.Refused, percent(e.Refused, t.Len()), delay(e.LongestDelay))
		}
		w.Flush()
	}
	for _, s := range a.chosen() {
		a.writeTouched(&b, s)
	}
	a.writeCurve(&b)
	if len(a.Doubts) > 0 {
		b.WriteString("\nToo thin to tell:\n")
		for _, doubt := range a.Doubts {
			fmt.Fprintf(&b, "- %s\n", doubt)
		}
	}
	b.WriteString("\nFor aforo serve; each alone meets the target:\n\n")
	b.WriteString(a.policy())
	_, err := io.WriteString(out, trimLines(b.String()))
	return err
}

func (a *advice) what() string {
	if a.Aim.OfRequests {
		return "requests"
	}
	return "clients"
}

// limitHeading is a limit that says its algorithm.
func limitHeading(l aforo.Limit) string {
	if l.Algorithm() == aforo.TokenBucket {
		return aforo.TokenBucket.String() + " " + l.String()
	}
	return l.String()
}

// writeTouched says whom a suggestion would touch.
func (a *advice) writeTouched(b *strings.Builder, s sim.Suggestion) {
	if a.Shown == 0 || len(s.Touched) == 0 {
		return
	}
	fmt.Fprintf(b, "\nTouched by %s:\n", limitHeading(s.Limit))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "CLIENT\tREFUSED\tWOULD NEED\n")
	for _, c := range s.Touched[:min(a.Shown, len(s.Touched))] {
		fmt.Fprintf(w, "%s\t%d of %d\t%s\n", printable(a.Traffic.Key(c.Key)), c.Refused, c.Requests, needText(s, c))
	}
	w.Flush()
	if more := len(s.Touched) - a.Shown; more > 0 {
		fmt.Fprintf(b, "and %s more\n", count(int64(more), "client"))
	}
}

func needText(s sim.Suggestion, c sim.Touched) string {
	return aforo.Per(c.Needs, s.Limit.Period()).String()
}

// writeCurve says what tighter and looser limits of the policy's algorithm do.
func (a *advice) writeCurve(b *strings.Builder) {
	for i, s := range a.chosen() {
		fmt.Fprintf(b, "\nWhat else there is to choose, by %s per %s:\n", a.Algorithm, a.PeriodNames[i])
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		fmt.Fprint(w, "LIMIT\tCLIENTS TOUCHED\t\tREQUESTS REFUSED\n")
		for _, e := range s.Curve {
			fmt.Fprintf(w, "%s\t%d of %d\t%s\t%d\t%s\n", e.Limit, e.Clients, a.Traffic.Keys(), percent(int64(e.Clients), int64(a.Traffic.Keys())),
				e.Refused, percent(e.Refused, a.Traffic.Len()))
		}
		w.Flush()
	}
}

// policy is the configuration of what is suggested, for aforo serve: a policy for
// each period, as several limits that hold together may touch more than each.
func (a *advice) policy() string {
	var b strings.Builder
	b.WriteString("policies:\n")
	for i, s := range a.chosen() {
		fmt.Fprintf(&b, "  suggested-%s:\n    limit: %s\n", a.PeriodNames[i], s.Limit)
	}
	return b.String()
}

func writeSuggestYAML(out io.Writer, a *advice) error {
	t := a.Traffic
	first, last := t.Span()
	var b strings.Builder
	fmt.Fprintf(&b, "# Found by aforo suggest: at most %s of %s of a log are touched,\n# %s of %s by %s,\n# %s to %s UTC.\n",
		a.Target, a.what(), count(t.Len(), "request"), count(int64(t.Keys()), "client"), t.By, first.Format(replayTime), last.Format(replayTime))
	for _, doubt := range a.Doubts {
		fmt.Fprintf(&b, "# Too thin to tell: %s.\n", doubt)
	}
	b.WriteString(a.policy())
	_, err := io.WriteString(out, b.String())
	return err
}

// suggestJSON is the form of -o json. Shares are parts per million.
type suggestJSON struct {
	Files       []string         `json:"files"`
	Key         string           `json:"key"`
	Requests    int64            `json:"requests"`
	Clients     int              `json:"clients"`
	TargetPPM   int64            `json:"target_ppm"`
	TargetOf    string           `json:"target_of"`
	Doubts      []string         `json:"too_thin"`
	Suggestions []suggestionJSON `json:"suggestions"`
	Policy      string           `json:"policy"` // YAML
}

type suggestionJSON struct {
	effectJSON
	Touched []touchedJSON `json:"touched"`
	Curve   []effectJSON  `json:"curve"`
}

type effectJSON struct {
	Limit          string      `json:"limit"`
	ClientsTouched int         `json:"clients_touched"`
	Refused        int64       `json:"refused"`
	LongestDelayMS json.Number `json:"longest_delay_ms"`
}

type touchedJSON struct {
	Client   string `json:"client"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"`
	Needs    string `json:"needs"`
}

func writeSuggestJSON(out io.Writer, a *advice) error {
	t := a.Traffic
	j := suggestJSON{Files: t.Files, Key: t.By.String(), Requests: t.Len(), Clients: t.Keys(),
		TargetPPM: a.Aim.PPM, TargetOf: a.what(), Doubts: append([]string{}, a.Doubts...), Policy: a.policy()}
	for _, s := range a.Suggestions {
		one := suggestionJSON{effectJSON: effectOf(s.Effect), Touched: []touchedJSON{}}
		for _, c := range s.Touched[:min(a.Shown, len(s.Touched))] {
			one.Touched = append(one.Touched, touchedJSON{printable(t.Key(c.Key)), c.Requests, c.Refused, needText(s, c)})
		}
		for _, e := range s.Curve {
			one.Curve = append(one.Curve, effectOf(e))
		}
		j.Suggestions = append(j.Suggestions, one)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}

func effectOf(e sim.Effect) effectJSON {
	return effectJSON{limitHeading(e.Limit), e.Clients, e.Refused, milliseconds(e.LongestDelay)}
}
