package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// curveFrame turns a number of keys and a time into a place in the picture.
// Keys are on a logarithmic scale, times on a linear one from 0.
type curveFrame struct {
	least, most float64 // keys
	top         float64 // ns
}

const (
	curveLeft, curveRight = 60.0, 570.0
	curveTop, curveBottom = 60.0, 370.0
)

func (f curveFrame) at(keys int, ns float64) point {
	x := 0.5
	if f.most > f.least {
		x = math.Log(float64(keys)/f.least) / math.Log(f.most/f.least)
	}
	return point{curveLeft + x*(curveRight-curveLeft), curveBottom - ns/f.top*(curveBottom-curveTop)}
}

// chartCurve is a line for each subject of the curve.
func chartCurve(r *Results) string {
	s := r.section("curve")
	if s == nil || len(s.Cases) != len(r.Sizes.Curve) {
		return ""
	}
	f := frameOf(r, s)
	picture := &svg{width: 800, height: 415}
	picture.text(8, 24, "title", "start", s.Title)
	picture.text(8, 42, "quiet", "start", "ns a decision, 1 goroutine; keys on a logarithmic scale; less is better")
	picture.curveAxes(r, f)
	var labels []curveLabel
	for i, subject := range ordered(r, s) {
		if subject == loopName {
			continue // it would only lie on the axis
		}
		var points []point
		for j, keys := range r.Sizes.Curve {
			if x, ok := s.Cases[j].sample(subject); ok {
				points = append(points, f.at(keys, x.Median))
			}
		}
		class := fmt.Sprintf("s%d %s", i%6, [...]string{"own", "yard", ""}[place(r, subject)])
		picture.line(points, class)
		labels = append(labels, curveLabel{points[len(points)-1], subject, class})
	}
	picture.curveLabels(labels)
	return picture.picture(s.Title + ": ns a decision by the number of keys")
}

func frameOf(r *Results, s *Section) curveFrame {
	f := curveFrame{float64(slices.Min(r.Sizes.Curve)), float64(slices.Max(r.Sizes.Curve)), 1}
	for _, c := range s.Cases {
		for _, x := range c.Samples {
			f.top = max(f.top, x.Median)
		}
	}
	f.top = niceStep(f.top/5) * math.Ceil(f.top/niceStep(f.top/5))
	return f
}

// niceStep is the least of 1, 2, 5, 10, 20 ... that is not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= x {
			return n * power
		}
	}
	return 10 * power
}

func (s *svg) curveAxes(r *Results, f curveFrame) {
	step := niceStep(f.top / 5)
	for ns := 0.0; ns <= f.top*1.001; ns += step {
		y := f.at(int(f.least), ns).y
		s.axis(curveLeft, y, curveRight, y)
		s.text(curveLeft-8, y+4, "quiet", "end", numbers.Thousands(int64(ns)))
	}
	for _, keys := range r.Sizes.Curve {
		s.text(f.at(keys, 0).x, curveBottom+22, "quiet", "middle", short(keys)+" keys")
	}
}

// curveLabel is a subject's name at the end of its line.
type curveLabel struct {
	end            point
	subject, class string
}

// curveLabels writes the names, from the lowest line up, each far enough above
// the one below to be read.
func (s *svg) curveLabels(labels []curveLabel) {
	slices.SortFunc(labels, func(a, b curveLabel) int { return int(b.end.y - a.end.y) })
	const high = 16
	taken := curveBottom + 2*high
	for _, l := range labels {
		y := min(l.end.y+4, taken-high)
		taken = y
		s.line([]point{{curveRight + 8, y - 4}, {curveRight + 24, y - 4}}, l.class)
		s.text(curveRight+30, y, "", "start", l.subject)
	}
}
