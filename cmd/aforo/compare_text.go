package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/guptarohit/asciigraph"

	"github.com/aforo-dev/aforo/sim"
)

// compareWriters are the forms in which a comparison is printed.
var compareWriters = map[string]func(io.Writer, *comparison) error{
	"text": writeCompareText, "json": writeCompareJSON, "csv": writeCompareCSV, "html": writeCompareHTML,
}

func writeCompareText(out io.Writer, c *comparison) error {
	var b strings.Builder
	for _, line := range c.heading() {
		fmt.Fprintln(&b, line)
	}
	b.WriteByte('\n')
	c.writeTable(&b)
	for _, r := range c.Results {
		writeDecisions(&b, r, c.Shape != nil)
	}
	if c.plot {
		c.writePlots(&b)
	}
	_, err := io.WriteString(out, trimLines(b.String()))
	return err
}

// heading is what was compared, and what a reader should know about it.
func (c *comparison) heading() (text []string) {
	if c.Scenario != nil {
		text = append(text, c.Scenario.Title+".")
		text = append(text, wrap(c.Scenario.Text, 80)...)
		text = append(text, "")
	}
	text = append(text, c.howMuch()+c.Traffic)
	if c.Shape != nil && c.drawn() {
		text[len(text)-1] += fmt.Sprintf(" (seed %d)", c.Seed)
	}
	if who := c.Instances.String(); who != "1" {
		text = append(text, "instances: "+who)
	}
	return append(text, c.Notes...)
}

// drawn tells whether another seed would change anything that is said.
func (c *comparison) drawn() bool { return c.Shape.Drawn() || c.Instances.Drawn() }

// howMuch is how many requests there are, and how long they take.
func (c *comparison) howMuch() string {
	lasts, _ := c.size()
	clients := count(int64(c.Results[0].Keys), "key")
	if c.varies() {
		return fmt.Sprintf("%s, %s: ", shortTime(lasts), clients)
	}
	return fmt.Sprintf("%s of %s in %s: ", count(int64(requests(c.Results[0])), "request"), clients, shortTime(lasts))
}

// wrap breaks a text into lines.
func wrap(text string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

// writeTable leaves out the columns that say nothing: how many requests there
// are if all limits had the same, and delays if there are none.
func (c *comparison) writeTable(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	varies, delays := c.varies(), c.delays()
	row := func(requests string, cells []string, delay []string, rest []string) {
		if varies {
			cells = append(cells[:1:1], append([]string{requests}, cells[1:]...)...)
		}
		if delays {
			cells = append(cells, delay...)
		}
		fmt.Fprintln(w, strings.Join(append(cells, rest...), "\t"))
	}
	row("REQUESTS", []string{"LIMIT", "ALLOWED", "REFUSED", "", "MOST IN A WINDOW", "LONGEST WAIT", "STARVED"},
		[]string{"DELAY", "99 %", "LONGEST"}, []string{"OVER", "UNDER", "BYTES"})
	for _, r := range c.Results {
		row(strconv.Itoa(requests(r)), []string{heading(r.Limits), strconv.Itoa(r.Allowed), strconv.Itoa(r.Refused),
			percent(int64(r.Refused), int64(requests(r))), mostIn(r.Most), brief(r.LongestWait), brief(r.LongestStarvation)},
			[]string{brief(r.MeanDelay), brief(r.P99Delay), longest(r.LongestDelay)},
			[]string{strconv.Itoa(r.Over), strconv.Itoa(r.Under), strconv.Itoa(r.StateBytes)})
	}
	w.Flush()
}

// mostIn is the most in a window against what the limit says.
func mostIn(m sim.Most) string {
	if m.Period == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d in %s", m.Units, m.Rate, shortTime(m.Period))
}

func longest(d time.Duration) string {
	if isNever(d) {
		return "never"
	}
	return brief(d)
}

// brief is a time to the millisecond, - if there is none.
func brief(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return shortTime(max(time.Millisecond, d.Round(time.Millisecond)))
}

// shortTime is a time without the zeros at its end: 1m, not 1m0s.
func shortTime(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// writeDecisions prints those that were kept, in seconds from the beginning of a
// shape, or by the clock of a log.
func writeDecisions(b *strings.Builder, r sim.Result, shaped bool) {
	if len(r.Events) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", heading(r.Limits))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, e := range r.Events {
		at := time.UnixMicro(e.At).UTC().Format(replayTime)
		if shaped {
			at = strconv.FormatFloat(float64(e.At-sim.Start.UnixMicro())/1e6, 'f', -1, 64) + "s"
		}
		var reasons []string
		for _, l := range e.Limits {
			reasons = append(reasons, l.Reason.String())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", at, printable(e.Client), verdict(e), strings.Join(reasons, "; "))
	}
	w.Flush()
	if more := requests(r) - len(r.Events); more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
}

func verdict(e sim.Event) string {
	if e.Allowed {
		return "allowed"
	}
	return "refused"
}

// writePlots draws what comes in and what goes out, all on one scale.
func (c *comparison) writePlots(b *strings.Builder) {
	most := int64(0)
	for _, r := range c.Results {
		most = max(most, slices.Max(r.Series.In), slices.Max(r.Series.Out))
	}
	if most == 0 {
		return
	}
	p := newPlot(c.Results[0].Series.Step, most)
	if !c.varies() {
		p.write(b, "in, units per "+p.unit, c.Results[0].Series.In)
	}
	for _, r := range c.Results {
		if c.varies() {
			p.write(b, "in, units per "+p.unit+", "+heading(r.Limits), r.Series.In)
		}
		p.write(b, "out, "+heading(r.Limits), r.Series.Out)
	}
}

// plot is a scale: units in the shortest time in which there are some.
type plot struct {
	unit    string
	factor  float64 // of the units in a step
	highest float64
}

func newPlot(step time.Duration, most int64) (p plot) {
	for _, unit := range []struct {
		name  string
		lasts time.Duration
	}{{"second", time.Second}, {"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour}} {
		p.unit, p.factor = unit.name, float64(unit.lasts)/float64(step)
		if p.highest = float64(most) * p.factor; p.highest >= 5 {
			break
		}
	}
	return p
}

const plotWidth = 60 // columns; what is narrower is drawn wider, in whole columns

func (p plot) write(b *strings.Builder, caption string, units []int64) {
	wide := max(1, plotWidth/len(units)) // of a step
	var rates []float64
	for _, n := range units {
		rates = append(rates, slices.Repeat([]float64{float64(n) * p.factor}, wide)...)
	}
	precision := uint(0)
	if p.highest < 10 {
		precision = 1
	}
	fmt.Fprintf(b, "\n%s\n%s\n", caption, asciigraph.Plot(rates, asciigraph.Height(4), asciigraph.LowerBound(0),
		asciigraph.UpperBound(p.highest), asciigraph.Precision(precision)))
}
