package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aforo-dev/aforo"
)

// A client is a key that was refused at least once.
type client struct {
	Key      string
	Requests int64
	*refusals
}

// worst is the client that was refused most often, nil if nobody was. Of several
// it is the one that the log has first.
func (r *replay) worst(c *column) *client {
	if clients := r.clients(c, 1); len(clients) > 0 {
		return &clients[0]
	}
	return nil
}

// clients are the n that were refused most often, most of all first.
func (r *replay) clients(c *column, n int) (list []client) {
	keys := make([]uint32, 0, len(c.Clients))
	for k := range c.Clients {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(c.Clients[b].Count, c.Clients[a].Count), cmp.Compare(a, b))
	})
	for _, k := range keys[:min(n, len(keys))] {
		list = append(list, client{r.Traffic.Key(k), r.Requests[k], c.Clients[k]})
	}
	return list
}

// writeComparison says how far the limits agree with the limiter that was there
// when the log was written.
func (r *replay) writeComparison(b *strings.Builder) {
	if len(r.There) == 0 {
		return
	}
	fmt.Fprintf(b, "\nThe limiter that was there refused %s (status %s), %s of all:\n",
		count(r.RefusedThere, "request"), r.There, percent(r.RefusedThere, r.Traffic.Len()))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "LIMIT\tREFUSED BY BOTH\tONLY HERE\tONLY THERE\tBY NEITHER\n")
	for _, c := range r.Columns {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", heading(c.Limits), c.Both, c.OnlyHere, c.OnlyThere,
			r.Traffic.Len()-c.Both-c.OnlyHere-c.OnlyThere)
	}
	w.Flush()
}

// writeClients says who was refused by each limit, when, and why.
func (r *replay) writeClients(b *strings.Builder) {
	if r.ClientsShown == 0 {
		return
	}
	for _, c := range r.Columns {
		fmt.Fprintf(b, "\n%s: %s refused%s\n", heading(c.Limits), count(c.Refused, "request"), c.reason())
		if c.Refused == 0 {
			continue
		}
		fmt.Fprintf(b, "over time |%s|\n", sparkline(c.Timeline[:]))
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		head := "CLIENT\tREFUSED\tFIRST\tWAIT THEN\tLAST\tLONGEST WAIT"
		if len(c.By) > 1 {
			head += "\tBY"
		}
		fmt.Fprintln(w, head)
		for _, k := range r.clients(c, r.ClientsShown) {
			fmt.Fprintf(w, "%s\t%d of %d\t%s\t%s\t%s\t%s\t%s\n", printable(k.Key), k.Count, k.Requests,
				stampText(k.First), waitText(k.FirstRetry), stampText(k.Last), waitText(k.Longest), c.byText(k.By))
		}
		w.Flush()
		if more := len(c.Clients) - r.ClientsShown; more > 0 {
			fmt.Fprintf(b, "and %s more\n", count(int64(more), "client"))
		}
	}
}

// reason says by which of several limits.
func (c *column) reason() string {
	if text := c.byText(c.By); text != "" && c.Refused > 0 {
		return ", " + text
	}
	return ""
}

// byText is how many each of several limits refused.
func (c *column) byText(counts []int64) string {
	if len(counts) < 2 {
		return ""
	}
	var parts []string
	for i, limit := range c.Limits.List() {
		if counts[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", counts[i], limit))
		}
	}
	return strings.Join(parts, ", ")
}

func stampText(micros int64) string { return time.UnixMicro(micros).UTC().Format(replayTime) }

// waitText is how long a wait was, to the millisecond.
func waitText(d time.Duration) string {
	if d == aforo.Never {
		return "for ever"
	}
	return d.Round(time.Millisecond).String()
}

// sparkline is numbers as a row of small bars, the largest of which is full;
// nothing is a space.
func sparkline(numbers []int64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	most := max(1, slices.Max(numbers))
	line := make([]rune, len(numbers))
	for i, n := range numbers {
		if line[i] = ' '; n > 0 {
			line[i] = bars[(n*int64(len(bars))-1)/most]
		}
	}
	return string(line)
}
