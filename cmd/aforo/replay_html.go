package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"
)

// The page of a replay is one file that loads nothing from anywhere.
//
//go:embed replay.html
var replayPage string

var replayTemplate = template.Must(template.New("replay.html").Funcs(template.FuncMap{
	"heading": heading, "percent": percent, "printable": printable, "stamp": stampText, "wait": waitText, "delay": delay, "worst": worst, "count": count,
	"length": func(list map[uint32]*refusals) int { return len(list) },
}).Parse(replayPage))

// chartHeight is how high the highest bar of a chart is, in its own units, and
// chartStep how wide a step of the time.
const (
	chartHeight = 100
	chartStep   = 10
)

// A chartBar is a part of the time: how many requests came and were refused.
type chartBar struct {
	X, Y, Height            int // of all requests
	RefusedY, RefusedHeight int
	From                    string
	Requests, Refused       int64
}

func writeReplayHTML(out io.Writer, r *replay) error {
	return replayTemplate.Execute(out, r)
}

// First and Last are when the requests began and ended, as the page has it.
func (r *replay) First() string { first, _ := r.Traffic.Span(); return first.Format(replayTime) }

// Last is the same for the last request.
func (r *replay) Last() string { _, last := r.Traffic.Span(); return last.Format(replayTime) }

// Notes is what a reader of the numbers should know about the log.
func (r *replay) Notes() []string { return r.Traffic.notes() }

// Rows are the clients of a column.
func (r *replay) Rows(c *column) []client { return r.clients(c, r.ClientsShown) }

// Clients is how many there are.
func (r *replay) Clients() string { return count(int64(r.Traffic.Keys()), "client") }

// Worst is the client of a column that was refused most often.
func (r *replay) Worst(c *column) *client { return r.worst(c) }

// More is how many clients of a column the page does not show.
func (r *replay) More(c *column) int { return max(0, len(c.Clients)-r.ClientsShown) }

// Neither is how many requests neither limiter refused.
func (r *replay) Neither(c *column) int64 {
	return r.Traffic.Len() - c.Both - c.OnlyHere - c.OnlyThere
}

// Several tells whether a column is several limits.
func (r *replay) Several(c *column) bool { return len(c.By) > 1 }

// Why is by which of several limits a column or one of its clients was refused.
func (r *replay) Why(c *column, counts []int64) string { return c.byText(counts) }

// Chart is the bars of a column.
func (r *replay) Chart(c *column) []chartBar {
	most := max(1, slices.Max(r.Timeline[:]))
	first, last := r.Traffic.Span()
	s := newSteps(first, last)
	bars := make([]chartBar, timelineSteps)
	for i := range bars {
		height := func(n int64) int {
			if n == 0 {
				return 0
			}
			return max(1, int(n*chartHeight/most)) // what is there is seen
		}
		b := chartBar{X: i * chartStep, Requests: r.Timeline[i], Refused: c.Timeline[i], From: stampText(s.first + int64(i)*s.each)}
		b.Height, b.RefusedHeight = height(b.Requests), height(b.Refused)
		b.Y, b.RefusedY = chartHeight-b.Height, chartHeight-b.RefusedHeight
		bars[i] = b
	}
	return bars
}

// Step is how long a part of the time is.
func (r *replay) Step() string {
	first, last := r.Traffic.Span()
	each := time.Duration(min(newSteps(first, last).each, int64(time.Hour/time.Microsecond)*24*365*100)) * time.Microsecond
	if each > time.Second {
		each = each.Round(time.Second)
	}
	return fmt.Sprint(each)
}
