package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aforo-dev/aforo"
)

// replayWriters are the forms in which a replay is printed.
var replayWriters = map[string]func(io.Writer, *replay) error{
	"text": writeReplayText, "json": writeReplayJSON, "csv": writeReplayCSV, "html": writeReplayHTML,
}

const (
	replayTime = "2006-01-02 15:04:05"
	bestKey    = 48 // of a longer key, the beginning is shown
)

func writeReplayText(out io.Writer, r *replay) error {
	t := r.Traffic
	first, last := t.Span()
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %s to %s UTC, by %s: %s\n", count(t.Len(), "request"), count(int64(t.Keys()), "client"),
		first.Format(replayTime), last.Format(replayTime), t.By, strings.Join(t.Files, ", "))
	for _, note := range t.notes() {
		fmt.Fprintf(&b, "%s\n", note)
	}
	b.WriteByte('\n')
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "LIMIT\tALLOWED\tREFUSED\t\tCLIENTS TOUCHED\tWORST CLIENT\tLONGEST DELAY\n")
	for _, c := range r.Columns {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d of %d\t%s\t%s\n", heading(c.Limits), c.Allowed, c.Refused,
			percent(c.Refused, t.Len()), len(c.Clients), t.Keys(), worst(r.worst(c)), delay(c.LongestDelay))
	}
	w.Flush()
	r.writeComparison(&b)
	r.writeClients(&b)
	_, err := io.WriteString(out, trimLines(b.String()))
	return err
}

// heading is limits as a row is headed: among other algorithms, a token bucket
// should say that it is one.
func heading(limits aforo.Limits) string {
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

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

func percent(part, whole int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(1, whole)), 'f', 1, 64) + " %"
}

func worst(c *client) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%d of %d)", printable(c.Key), c.Count, c.Requests)
}

func delay(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case isNever(d):
		return "never"
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
