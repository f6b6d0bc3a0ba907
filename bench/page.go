package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// pageOf is the Markdown page of a run. The pictures are file names by the
// section before whose table they stand.
func pageOf(r *Results, pictures map[string]string, source string) string {
	var b strings.Builder
	pageHead(&b, r, source)
	for i := range r.Sections {
		s := &r.Sections[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.Title, s.Note)
		if name := pictures[s.Name]; name != "" {
			fmt.Fprintf(&b, "\n![%s](%s)\n", s.Title, name)
		}
		pageTable(&b, r, s)
	}
	pagePeers(&b, r)
	return b.String()
}

func pageHead(b *strings.Builder, r *Results, source string) {
	m := r.Machine
	fmt.Fprintf(b, "# Performance\n\nAforo's in-process store beside other limiters for Go, all measured in one run. "+
		"Written by `go run . -report` in `bench/` from `bench/results/%s`; do not edit.\n\n", source)
	fmt.Fprintf(b, "%s: %s, %d cores, %s MB of memory, %s, Linux kernel %s, %s %s; load average %s before and %s after; %.0f minutes.\n",
		r.Date.Format(time.DateOnly), m.CPU, m.Cores, numbers.Thousands(int64(m.MemoryMB)), m.OS, m.Kernel, m.Go, m.Arch, m.LoadBefore, m.LoadAfter, r.Seconds/60)
	if r.Quick {
		b.WriteString("\n**This was a quick run, which only shows that the measurement works. Its figures say nothing.**\n")
	}
	fmt.Fprintf(b, "\nEach cell has the median of %d repetitions, beside it in small the least and the greatest, and how many times as much as "+
		"Aforo it is. Less is better everywhere; **bold** is where a peer costs less than Aforo. Figures belong to the machine, "+
		"ratios travel better. The floor and the loop alone are no limiters: the floor is the least that a decision by key can "+
		"cost (a hash, a clock read, a compare-and-swap, and no key kept), that of 32 bytes the same in as much memory as a state "+
		"takes that can be told from others, the loop is what measuring costs.\n", r.Sizes.Reps)
	pageCheaper(b, r)
	for _, text := range r.Warnings {
		fmt.Fprintf(b, "\n> Wrong answers: %s.\n", text)
	}
}

// pageCheaper says first of all where Aforo loses.
func pageCheaper(b *strings.Builder, r *Results) {
	list := whereCheaper(r)
	if len(list) == 0 {
		b.WriteString("\nNo peer costs less than Aforo in any of these measurements.\n")
		return
	}
	b.WriteString("\nWhere peers cost less than Aforo:\n\n")
	for i, c := range list {
		if i == 0 || list[i-1].section != c.section || list[i-1].caseName != c.caseName {
			fmt.Fprintf(b, "%s- %s, %s: ", newLine(i), c.section, c.caseName)
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s %s", c.subject, c.times)
	}
	b.WriteString("\n")
}

func newLine(i int) string {
	if i == 0 {
		return ""
	}
	return "\n"
}

func pageTable(b *strings.Builder, r *Results, s *Section) {
	b.WriteString("\n| |")
	for _, c := range s.Cases {
		fmt.Fprintf(b, " %s |", unitOf(&c))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(s.Cases)) + "\n")
	for _, subject := range ordered(r, s) {
		fmt.Fprintf(b, "| %s |", nameInPage(r, subject))
		for _, c := range s.Cases {
			fmt.Fprintf(b, " %s |", pageCell(r, &c, subject))
		}
		b.WriteString("\n")
	}
	if lines := aboveFloor(s); len(lines) > 0 {
		fmt.Fprintf(b, "\n%s.\n", strings.Join(lines, "; "))
	}
}

func pageCell(r *Results, c *Case, subject string) string {
	x, ok := c.sample(subject)
	if !ok {
		return ""
	}
	text := numbers.Text(x.Median) + " <sub>" + spread(x) + "</sub>"
	own, compared := c.sample(aforoName)
	switch {
	case !compared || subject == aforoName:
		return text
	case isLess(x.Median, own.Median) && !r.isYardstick(subject):
		return text + " **" + ratio(x.Median, own.Median) + "**"
	}
	return text + " " + ratio(x.Median, own.Median)
}

func nameInPage(r *Results, subject string) string {
	switch place(r, subject) {
	case 0:
		return "**" + subject + "**"
	case 1:
		return "*" + subject + "*"
	}
	return subject
}

func pagePeers(b *strings.Builder, r *Results) {
	b.WriteString("\n## What was measured\n\n| | version | what it is | what differs |\n|---|---|---|---|\n")
	for _, p := range r.Peers {
		module := "this module"
		if p.Module != "" {
			module = "`" + p.Module + "` " + p.Version
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", nameInPage(r, p.Name), module, p.What, p.Differs)
	}
	b.WriteString("\nAll get the same limit, one that refuses nothing: 10 an hour with a burst of 10,000,000; where requests are refused, 1 an hour. " +
		"Windows have the burst as their limit. All keys are `user:` and a number.\n")
}
