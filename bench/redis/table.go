package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// faster marks a peer that is faster than Aforo.
const faster = " FASTER"

// A table has a title, a line of names, and rows; it is written for a terminal or
// for a page.
type table struct {
	title string
	note  string
	head  []string
	rows  [][]string
}

func keysText(keys int) string {
	if keys == 1 {
		return "one hot key"
	}
	return numbers.Thousands(int64(keys)) + " keys"
}

// tables are all that was found.
func (r *Results) tables() (list []table) {
	notes := map[string]string{
		"speed":      "All are allowed.",
		"algorithms": "Aforo by rueidis, under each algorithm and with three limits of which each has a key; all are allowed. A log of the hot key grows while it is measured.",
		"refused":    "All are refused. Aforo remembers refusals in the process until they have run out, and so asks the server once.",
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		name := map[string]string{"speed": "Allowed", "algorithms": "Aforo's algorithms", "refused": "Refused"}[w.Section]
		t := table{title: fmt.Sprintf("%s, %d %s, %s", name, w.Callers, plural(w.Callers, "caller"), keysText(w.Keys)), note: notes[w.Section]}
		t.head = []string{"", "decisions/s", "least-most", "times Aforo", "client CPU s/M", "server CPU s/M", "script us", "p50 us", "p99 us", "errors"}
		for j := range w.Rows {
			t.rows = append(t.rows, r.line(w, &w.Rows[j]))
		}
		list = append(list, t)
	}
	if len(r.Memory) > 0 {
		list = append(list, r.memoryTable())
	}
	if len(r.Log) > 0 {
		list = append(list, r.logTable())
	}
	return list
}

func plural(n int, of string) string {
	if n == 1 {
		return of
	}
	return of + "s"
}

func (r *Results) line(w *Workload, row *Row) []string {
	least, most := row.Rounds[0].PerSecond, row.Rounds[0].PerSecond
	for _, round := range row.Rounds {
		least, most = min(least, round.PerSecond), max(most, round.PerSecond)
	}
	times := ""
	if own := w.row(aforoName); own != nil && own != row {
		x := row.times(own, perSecond)
		times = numbers.Text(x) + "x"
		if x > 1.005 && !r.isCeiling(row.Subject) && !strings.HasPrefix(row.Subject, aforoName) {
			times += faster
		}
	}
	text := func(of func(Round) float64) string { return numbers.Text(row.median(of)) }
	return []string{
		row.Subject, text(perSecond), numbers.Text(least) + "-" + numbers.Text(most), times,
		text(func(r Round) float64 { return r.ClientCPU }), text(func(r Round) float64 { return r.ServerCPU }),
		text(script), text(func(r Round) float64 { return r.P50 }), text(func(r Round) float64 { return r.P99 }),
		row.faults(),
	}
}

// faults are the largest part of calls that made no decision, and of decisions that
// were not what the workload needs.
func (r *Row) faults() string {
	var errors, wrong float64
	for _, round := range r.Rounds {
		errors, wrong = max(errors, round.Errors), max(wrong, round.Wrong)
	}
	var list []string
	if errors > 0 {
		list = append(list, fmt.Sprintf("%.2g %%", 100*errors))
	}
	if wrong > 0 {
		list = append(list, fmt.Sprintf("%.2g %% wrong", 100*wrong))
	}
	return strings.Join(list, ", ")
}

func (r *Results) isCeiling(name string) bool {
	for _, s := range r.Subjects {
		if s.Name == name {
			return s.Ceiling
		}
	}
	return false
}

func (r *Results) memoryTable() table {
	t := table{
		title: fmt.Sprintf("Memory of %s keys", numbers.Thousands(int64(r.Sizes.Stored))),
		note:  "Bytes a key in the server, each after two hits: by MEMORY USAGE, by the growth of used_memory, which has the share of the tables of keys and of ends of keys, and the length of the value. A log is a list.",
		head:  []string{"", "MEMORY USAGE", "used_memory", "value"},
	}
	for _, f := range r.Memory {
		value := "list"
		if f.Value > 0 {
			value = fmt.Sprint(f.Value)
		}
		t.rows = append(t.rows, []string{f.Subject, numbers.Text(f.Key), numbers.Text(f.Total), value})
	}
	return t
}

func (r *Results) logTable() table {
	t := table{
		title: "The sliding window log",
		note:  "Microseconds of a decision in the server's script: steadily allowed, so that for each request one leaves the log and one enters it, and refused by a full log; and bytes of a request in a full one, with its key's own.",
		head:  []string{"limit", "allowed us", "in the log", "refused us", "bytes a request"},
	}
	for _, c := range r.Log {
		allowed := numbers.Text(numbers.Median(c.Allowed))
		if c.Refusals > 0 {
			allowed += fmt.Sprintf(" (%.2g %% were refused)", 100*c.Refusals)
		}
		t.rows = append(t.rows, []string{numbers.Thousands(int64(c.Limit)), allowed, numbers.Thousands(int64(c.Held)),
			numbers.Text(numbers.Median(c.Refused)), numbers.Text(c.Bytes)})
	}
	return t
}

// print writes the table for a terminal.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n== %s\n%s\n\n", t.title, t.note)
	widths := make([]int, len(t.head))
	lines := append([][]string{t.head}, t.rows...)
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, text := range line {
			if i == 0 {
				fmt.Fprintf(&b, "%-*s", widths[i], text)
			} else {
				fmt.Fprintf(&b, "  %*s", widths[i], text)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// writeReport writes everything for a terminal.
func writeReport(w io.Writer, r *Results) {
	for _, t := range r.tables() {
		t.print(w)
	}
	fmt.Fprintln(w, "\n== What was to be reached")
	for _, g := range r.goals() {
		met := "yes"
		if !g.met {
			met = "NO "
		}
		fmt.Fprintf(w, "%s  %s: %s\n", met, g.text, g.found)
	}
	if r.Quick {
		fmt.Fprintln(w, "\nThis was a quick run: its figures say nothing.")
	}
}
