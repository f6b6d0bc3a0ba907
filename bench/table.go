package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// printSection writes a section as a table for a terminal. Each case has three
// columns: the median, the spread, and how many times as much as Aforo it is.
func printSection(w io.Writer, r *Results, s *Section) {
	fmt.Fprintf(w, "\n== %s (-only %s)\n%s\n\n", s.Title, s.Name, s.Note)
	subjects := ordered(r, s)
	lines := make([]string, len(subjects)+1)
	width := 0
	for i, subject := range subjects {
		lines[i+1] = subject
		width = max(width, utf8.RuneCountInString(subject))
	}
	pad(lines, width)
	for _, c := range s.Cases {
		for i, text := range block(r, &c, subjects) {
			lines[i] += "  | " + text
		}
	}
	for _, line := range lines {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, line := range aboveFloor(s) {
		fmt.Fprintln(w, line)
	}
}

// block is the lines of a case, its name first, all of one width.
func block(r *Results, c *Case, subjects []string) []string {
	lines := []string{unitOf(c)}
	medians, spreads, ratios := []string{}, []string{}, []string{}
	for _, subject := range subjects {
		m, s, x := cell(r, c, subject)
		medians, spreads, ratios = append(medians, m), append(spreads, s), append(ratios, x)
	}
	m, s, x := widest(medians), widest(spreads), widest(ratios)
	for i := range subjects {
		lines = append(lines, fmt.Sprintf("%*s  %-*s  %-*s", m, medians[i], s, spreads[i], x, ratios[i]))
	}
	pad(lines, widest(lines))
	return lines
}

// cell is the median, the spread, and the ratio to Aforo if it is compared.
func cell(r *Results, c *Case, subject string) (middle, around, times string) {
	x, ok := c.sample(subject)
	if !ok {
		return "-", "", ""
	}
	middle, around = numbers.Text(x.Median), spread(x)
	if own, compared := c.sample(aforoName); compared {
		times = ratio(x.Median, own.Median)
		if isLess(x.Median, own.Median) && !r.isYardstick(subject) {
			times += " LESS"
		}
	}
	return middle, around, times
}

func widest(texts []string) (n int) {
	for _, text := range texts {
		n = max(n, utf8.RuneCountInString(text))
	}
	return n
}

func pad(lines []string, width int) {
	for i, line := range lines {
		lines[i] += strings.Repeat(" ", width-utf8.RuneCountInString(line))
	}
}

func unitOf(c *Case) string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

// aboveFloor says how far Aforo's decisions are above what any must cost. While
// a table grows the floor is no measure, because its table does not.
func aboveFloor(s *Section) (lines []string) {
	if s.Name == "growth" {
		return nil
	}
	for _, c := range s.Cases {
		own, a := c.sample(aforoName)
		floor, b := c.sample(floorName)
		if a && b && c.Unit == "ns" && floor.Median > 0 {
			line := fmt.Sprintf("%s: Aforo is %s the floor", c.Name, ratio(own.Median, floor.Median))
			if wide, ok := c.sample(wideFloorName); ok && wide.Median > 0 {
				line += fmt.Sprintf(" and %s that of 32 bytes", ratio(own.Median, wide.Median))
			}
			lines = append(lines, line)
		}
	}
	return lines
}
