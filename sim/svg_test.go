package sim

import (
	"fmt"
	"math"
	"strings"
)

// curve is a line of a picture.
type curve struct {
	name   string
	points [][2]float64
}

// drawSVG draws curves over one x, from 0 up, with their names at their ends. It
// is as readable on a dark page as on a light one.
func drawSVG(title, below string, curves []curve) string {
	const width, height, left, top, right, bottom = 720, 360, 50, 40, 90, 50
	first := curves[0].points
	low, high, most := first[0][0], first[len(first)-1][0], 0.0
	for _, c := range curves {
		for _, p := range c.points {
			most = math.Max(most, p[1])
		}
	}
	most = 10 * math.Ceil(most/10)
	x := func(v float64) float64 { return left + (v-low)/(high-low)*(width-left-right) }
	y := func(v float64) float64 { return height - bottom - v/most*(height-top-bottom) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" role="img" aria-label="%s">`+"\n", width, height, title)
	b.WriteString("<style>text{fill:#1b1b1b}.grid{stroke:#ddd}.paper{fill:#fff}@media (prefers-color-scheme:dark){text{fill:#e8e8e8}.grid{stroke:#363a40}.paper{fill:#16181b}}</style>\n")
	fmt.Fprintf(&b, `<rect class="paper" width="%d" height="%d"/><text x="%d" y="22" font-weight="600">%s</text>`+"\n", width, height, left, title)
	for v := 0.0; v <= most; v += 10 {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n", left, width-right, y(v), y(v), left-8, y(v)+4, v)
	}
	for v := low; v <= high; v += 25 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.0f</text>`+"\n", x(v), height-bottom+20, v)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (width-right+left)/2, height-10, below)
	strokes := []string{`stroke="#0072b2"`, `stroke="#d55e00" stroke-dasharray="7 4"`, `stroke="#009e73" stroke-dasharray="2 3"`}
	for i, c := range curves {
		var points []string
		for _, p := range c.points {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(p[0]), y(p[1])))
		}
		end := c.points[len(c.points)-1]
		fmt.Fprintf(&b, `<polyline fill="none" stroke-width="2.5" %s points="%s"/><text x="%.1f" y="%.1f">%s</text>`+"\n",
			strokes[i%len(strokes)], strings.Join(points, " "), x(end[0])+8, y(end[1])+4, c.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
