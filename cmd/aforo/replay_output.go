package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// replayWriters are the forms in which a replay is printed.
var replayWriters = map[string]func(io.Writer, *replay) error{
	"text": writeReplayText, "json": writeReplayJSON, "csv": writeReplayCSV,
}

const (
	replayTime = "2006-01-02 15:04:05"
	bestKey    = 48 // of a longer key, the beginning is shown
)

func writeReplayText(out io.Writer, r *replay) error {
	first, last := r.Traffic.Span()
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %s to %s UTC, by %s: %s\n", count(r.Traffic.Len(), "request"), count(r.Traffic.Keys(), "client"),
		first.Format(replayTime), last.Format(replayTime), r.Key, strings.Join(r.Files, ", "))
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "%s\n", note)
	}
	b.WriteByte('\n')
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "LIMIT\tALLOWED\tREFUSED\t\tCLIENTS TOUCHED\tWORST CLIENT\tLONGEST DELAY\n")
	for _, result := range r.Results {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d of %d\t%s\t%s\n", column(result.Limits), result.Allowed, result.Refused,
			percent(result.Refused, r.Traffic.Len()), result.Touched, r.Traffic.Keys(), worst(result.Worst), delay(result.LongestDelay))
	}
	w.Flush()
	_, err := io.WriteString(out, trimLines(b.String()))
	return err
}

// column is limits as a row is headed: among other algorithms, a token bucket
// should say that it is one.
func column(limits aforo.Limits) string {
	if list := limits.List(); len(list) == 1 && list[0].Algorithm() == aforo.TokenBucket {
		return aforo.TokenBucket.String() + " " + limits.String()
	}
	return limits.String()
}

// trimLines takes away the spaces that a table leaves at the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// notes is what a reader of the numbers should know about the log.
func (r *replay) notes() (notes []string) {
	if n, by := r.Traffic.OutOfOrder(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s out of order, by %v at most: sorted by time", count(n, "request"), by))
	}
	if r.Lines.NoZone > 0 {
		notes = append(notes, fmt.Sprintf("%s without a time zone: read as %s", count(int(r.Lines.NoZone), "time"), r.Zone))
	}
	if r.NoKey > 0 {
		notes = append(notes, fmt.Sprintf("%s without %s: counted together as -", count(int(r.NoKey), "request"), r.Key))
	}
	if r.Lines.Bad > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, not requests:", count(int(r.Lines.Bad), "line")))
		for _, bad := range r.Lines.FirstBad {
			notes = append(notes, "  "+bad.String())
		}
		if more := int(r.Lines.Bad) - len(r.Lines.FirstBad); more > 0 {
			notes = append(notes, fmt.Sprintf("  and %d more", more))
		}
	}
	return notes
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func percent(part, whole int) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(1, whole)), 'f', 1, 64) + " %"
}

func worst(k sim.KeyResult) string {
	if k.Refused == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%d of %d)", printable(k.Key), k.Refused, k.Requests)
}

func delay(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.Round(time.Millisecond).String()
}

// printable is a key as it may be shown on a terminal: what is not printable is
// escaped as in Go, and only the beginning of a long one is shown.
func printable(key string) string {
	quoted := strconv.Quote(key)
	shown := quoted[1 : len(quoted)-1]
	if runes := []rune(shown); len(runes) > bestKey {
		return string(runes[:bestKey]) + "..."
	}
	return shown
}

// replayJSON is the form of -o json. Numbers of time end in their unit; a
// client's bytes that are not UTF-8 are escaped as in Go.
type replayJSON struct {
	Files      []string           `json:"files"`
	Key        string             `json:"key"`
	Requests   int                `json:"requests"`
	Clients    int                `json:"clients"`
	First      time.Time          `json:"first"`
	Last       time.Time          `json:"last"`
	OutOfOrder int                `json:"out_of_order"`
	NoKey      int64              `json:"requests_without_key"`
	NoZone     int64              `json:"times_without_zone"`
	BadLines   int64              `json:"bad_lines"`
	FirstBad   []string           `json:"first_bad_lines"`
	Results    []replayResultJSON `json:"results"`
}

type replayResultJSON struct {
	Limit          string       `json:"limit"`
	Allowed        int          `json:"allowed"`
	Refused        int          `json:"refused"`
	ClientsTouched int          `json:"clients_touched"`
	Worst          *replayWorst `json:"worst_client"` // null if nobody was refused
	LongestDelayMS json.Number  `json:"longest_delay_ms"`
}

type replayWorst struct {
	Client   string `json:"client"`
	Requests int    `json:"requests"`
	Refused  int    `json:"refused"`
}

func writeReplayJSON(out io.Writer, r *replay) error {
	j := replayJSON{
		Files: r.Files, Key: r.Key, Requests: r.Traffic.Len(), Clients: r.Traffic.Keys(),
		NoKey: r.NoKey, NoZone: r.Lines.NoZone, BadLines: r.Lines.Bad, FirstBad: []string{},
	}
	j.First, j.Last = r.Traffic.Span()
	j.OutOfOrder, _ = r.Traffic.OutOfOrder()
	for _, bad := range r.Lines.FirstBad {
		j.FirstBad = append(j.FirstBad, bad.String())
	}
	for _, result := range r.Results {
		one := replayResultJSON{Limit: column(result.Limits), Allowed: result.Allowed, Refused: result.Refused,
			ClientsTouched: result.Touched, LongestDelayMS: milliseconds(result.LongestDelay)}
		if w := result.Worst; w.Refused > 0 {
			one.Worst = &replayWorst{printable(w.Key), w.Requests, w.Refused}
		}
		j.Results = append(j.Results, one)
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}

func milliseconds(d time.Duration) json.Number {
	return json.Number(strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64))
}

func writeReplayCSV(out io.Writer, r *replay) error {
	w := csv.NewWriter(out)
	w.Write([]string{"limit", "allowed", "refused", "clients_touched", "clients", "worst_client", "worst_requests", "worst_refused", "longest_delay_ms"})
	for _, result := range r.Results {
		w.Write([]string{
			column(result.Limits), strconv.Itoa(result.Allowed), strconv.Itoa(result.Refused),
			strconv.Itoa(result.Touched), strconv.Itoa(r.Traffic.Keys()),
			printable(result.Worst.Key), strconv.Itoa(result.Worst.Requests), strconv.Itoa(result.Worst.Refused),
			milliseconds(result.LongestDelay).String(),
		})
	}
	w.Flush()
	return w.Error()
}
