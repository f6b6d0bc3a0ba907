package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// render writes the page from a file of results.
func (o options) render(stdout io.Writer) error {
	from := o.from
	if from == "" {
		var err error
		if from, err = newest(); err != nil {
			return err
		}
	}
	r, err := load(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.page, []byte(r.page(filepath.Base(from))), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(stdout, o.page)
	return nil
}

// page is the Markdown page of a run.
func (r *Results) page(source string) string {
	var b strings.Builder
	r.pageHead(&b, source)
	for _, t := range r.tables() {
		t.page(&b, r)
	}
	b.WriteString("\n## What was measured\n\n| | version | what it does |\n|---|---|---|\n")
	for _, s := range r.Subjects {
		fmt.Fprintf(&b, "| %s | `%s` %s | %s |\n", r.inPage(s.Name), s.Module, s.Version, s.What)
	}
	return b.String()
}

func (r *Results) pageHead(b *strings.Builder, source string) {
	m := r.Machine
	fmt.Fprintf(b, "# Performance of the Redis store\n\nAforo's Redis store beside other limiters for Go, all measured in one run with one server. "+
		"Written by `go run ./redis -report` in `bench/` from `bench/redis/results/%s`; do not edit.\n\n", source)
	fmt.Fprintf(b, "%s: %s, %d cores, which client and server share, %s MB of memory, %s, Linux kernel %s, %s %s, %s without a disk; load average %s before and %s after; %.0f minutes.\n",
		r.Date.Format(time.DateOnly), m.CPU, m.Cores, numbers.Thousands(int64(m.MemoryMB)), m.OS, m.Kernel, m.Go, m.Arch, r.Server, m.LoadBefore, m.LoadAfter, r.Seconds/60)
	if r.Quick {
		b.WriteString("\n**This was a quick run, which only shows that the measurement works. Its figures say nothing.**\n")
	}
	fmt.Fprintf(b, "\nCallers are goroutines of one process, of which each asks again when it has its answer. Figures are medians of %d rounds of %v; in each round all "+
		"are measured one after the other, and *times Aforo* is the median of the rounds' ratios. **Bold** is a peer that is faster than Aforo. "+
		"CPU is in seconds a million decisions, of the client's process and of the server's. *Script* is the time that a decision takes in the "+
		"server's scripts, *p50* and *p99* are of a call as the caller sees it, all in microseconds. *Errors* are calls that made no decision. "+
		"Ceilings, in italics, limit nothing: they are what the clients can do at best. All get the same limit: 1,000,000 a second; for the algorithms and their memory, 10 an hour with a burst of 10,000,000, which the windows "+
		"have as their limit, so that each decision lengthens the life of its key, which costs most; where requests are refused, 1 an hour.\n", r.Sizes.Repetitions, r.Sizes.Slice)
	b.WriteString("\n## What was to be reached\n\n| | found | reached |\n|---|---|---|\n")
	for _, g := range r.goals() {
		met := "yes"
		if !g.met {
			met = "**no**"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", g.text, g.found, met)
	}
}

// page writes the table, with names and with what is faster as a page has them.
func (t *table) page(b *strings.Builder, r *Results) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| %s |\n|%s\n", t.title, t.note, strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		fmt.Fprintf(b, "| %s |", r.inPage(row[0]))
		for _, text := range row[1:] {
			if times, ok := strings.CutSuffix(text, faster); ok {
				text = "**" + times + "**"
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
}

// inPage is a subject's name: Aforo's in bold, ceilings in italics.
func (r *Results) inPage(name string) string {
	switch {
	case name == aforoName:
		return "**" + name + "**"
	case r.isCeiling(name):
		return "*" + name + "*"
	}
	return name
}
