package main

import "github.com/aforo-dev/aforo/bench/internal/numbers"

// chartLarge is a bar for each subject of the large tables, on one goroutine.
func chartLarge(r *Results) string {
	var panels []*Section
	rows := 0
	for _, name := range []string{"uniform", "zipf"} {
		if s := r.section(name); s != nil && len(s.Cases) > 0 {
			panels = append(panels, s)
			rows += len(s.Cases[0].Samples)
		}
	}
	if len(panels) == 0 {
		return ""
	}
	const rowHeight, headHeight = 24, 52
	picture := &svg{width: 760, height: rows*rowHeight + len(panels)*headHeight + 8}
	y := 0.0
	for _, s := range panels {
		picture.text(8, y+24, "title", "start", s.Title)
		picture.text(8, y+42, "quiet", "start", "ns a decision, "+s.Cases[0].Name+"; less is better")
		y += headHeight
		for _, subject := range ordered(r, s) {
			picture.largeRow(r, &s.Cases[0], subject, y)
			y += rowHeight
		}
	}
	return picture.picture("ns a decision of each limiter on the large tables")
}

// largeRow is one bar with its name, figure and ratio.
func (s *svg) largeRow(r *Results, c *Case, subject string, y float64) {
	const left, right = 210.0, 620.0
	most := 0.0
	for _, x := range c.Samples {
		most = max(most, x.Median)
	}
	x, _ := c.sample(subject)
	class := ""
	switch place(r, subject) {
	case 0:
		class = "own"
	case 1:
		class = "yard"
	}
	label := numbers.Text(x.Median)
	if own, compared := c.sample(aforoName); compared && class != "own" {
		label += "  (" + ratio(x.Median, own.Median) + ")"
	}
	length := (right - left) * x.Median / most
	s.text(left-8, y+16, class, "end", subject)
	s.bar(left, y+4, max(length, 1), 16, class)
	s.text(left+length+6, y+16, "quiet", "start", label)
}
