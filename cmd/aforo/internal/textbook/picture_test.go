package textbook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

// A picture shows what a limit makes of the traffic, from top to bottom: a mark
// for each request, in shapes that nobody needs colours to tell apart, then what
// passes, when it passes, then the curve of the state.
const (
	pictureWidth = 720
	plotLeft     = 34
	plotRight    = 706
	markStep     = 9  // between requests of one instant
	marksHeight  = 94 // title and marks
	passedHeight = 46 // what passes
	passedStep   = 6  // a unit that passes
	curveHeight  = 88
	axisHeight   = 22
)

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="13">
<title>%[3]s</title>
<style>
text{fill:#16212b}.paper{fill:#fff}.quiet{fill:#5c6a76}.line{stroke:#c3ced6;fill:none}.edge{stroke:#c3ced6;stroke-dasharray:2 4}
.a{fill:#0b6aa8}.d{fill:#8a4fa3}.r{stroke:#c2410c;stroke-width:2;fill:none}.rt{fill:#c2410c}
.curve{stroke:#0b6aa8;stroke-width:2;fill:none}.under{fill:#0b6aa8;fill-opacity:.13}.full{stroke:#5c6a76;stroke-dasharray:6 4}
@media (prefers-color-scheme:dark){
text{fill:#e8edf2}.paper{fill:#14181c}.quiet{fill:#a3b0bb}.line,.edge{stroke:#3d4852}
.a{fill:#58b2f0}.d{fill:#cf9be6}.r{stroke:#ff8a4c}.rt{fill:#ff8a4c}
.curve{stroke:#58b2f0}.under{fill:#58b2f0}.full{stroke:#a3b0bb}}
</style>
<defs><circle id="a" r="3.4" class="a"/><path id="d" d="M0-4.6 4.6 0 0 4.6-4.6 0z" class="d"/><path id="r" d="M-3-3 3 3M-3 3 3-3" class="r"/></defs>
<rect class="paper" width="100%%" height="100%%"/>
`

// canvas is a picture while it is drawn.
type canvas struct {
	bytes.Buffer
	from, until int64
}

// x is where an instant is.
func (c *canvas) x(at int64) float64 {
	return plotLeft + float64(at-c.from)*(plotRight-plotLeft)/float64(c.until-c.from)
}

// playLanes plays the traffic through limits, each in a lane.
func playLanes(t *testing.T, limits ...string) *simulate.Result {
	t.Helper()
	until := trafficEnd.UnixMicro()
	samples := simulate.MaxSamples
	body, err := json.Marshal(simulate.Request{Limits: limits, Traffic: trafficShape, Until: &until, Samples: &samples})
	if err != nil {
		t.Fatal(err)
	}
	request, err := simulate.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	result, err := simulate.Run(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	for i := range result.Lanes {
		result.Lanes[i].Limit = limits[i] // as it is written here: with its algorithm
	}
	return result
}

// picture draws lanes one below the other, with curves or without.
func picture(title string, result *simulate.Result, curves bool) []byte {
	lane := marksHeight + passedHeight
	if curves {
		lane += curveHeight
	}
	height := lane*len(result.Lanes) + axisHeight
	c := &canvas{from: result.From, until: result.Until}
	fmt.Fprintf(c, pictureHead, pictureWidth, height, html.EscapeString(title))
	for at := c.from; at <= c.until; at += trafficPeriod {
		fmt.Fprintf(c, `<path class="edge" d="M%.1f 26V%d"/><text class="quiet" x="%.1f" y="%d" text-anchor="middle">%d s</text>`+"\n",
			c.x(at), height-axisHeight, c.x(at), height-6, (at-c.from)/second)
	}
	for i, l := range result.Lanes {
		c.lane(l, lane*i, curves)
	}
	c.WriteString("</svg>\n")
	return c.Bytes()
}

// lane draws one limit, below y.
func (c *canvas) lane(l simulate.Lane, y int, curve bool) {
	s := sum(l)
	fmt.Fprintf(c, `<text x="8" y="%d" font-weight="600">%s</text>`, y+18, html.EscapeString(l.Limit))
	fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="end"><tspan class="a">● %d</tspan>  <tspan class="d">◆ %d</tspan>  <tspan class="rt">✕ %d</tspan></text>`+"\n",
		plotRight, y+18, s.AtOnce, s.Delayed, s.Refused)
	c.marks(l, y+marksHeight-6)
	c.passed(l, y+marksHeight+passedHeight-8)
	if curve {
		c.curve(l.Curves[0], y+marksHeight+passedHeight+curveHeight-8)
	}
}

// marks draws the requests, those of one instant on top of each other.
func (c *canvas) marks(l simulate.Lane, base int) {
	fmt.Fprintf(c, `<path class="line" d="M%d %dH%d"/>`, plotLeft, base+6, plotRight)
	together := map[int64]int{}
	for _, d := range l.Decisions {
		fmt.Fprintf(c, `<use href="#%s" x="%.1f" y="%d"/>`, markOf(d), c.x(d.At), base-markStep*together[d.At])
		together[d.At]++
	}
	c.WriteByte('\n')
}

func markOf(d simulate.Decision) string {
	switch {
	case !d.Allowed:
		return "r"
	case *d.Delay > 0:
		return "d"
	}
	return "a"
}

// passed draws a bar for what passes at an instant, as high as it is much.
func (c *canvas) passed(l simulate.Lane, base int) {
	fmt.Fprintf(c, `<path class="line" d="M%d %dH%d"/>`, plotLeft, base, plotRight)
	for _, p := range passages(l) {
		fmt.Fprintf(c, `<rect class="%s" x="%.1f" y="%d" width="4" height="%d"/>`, p.mark, c.x(p.at)-2, base-passedStep*p.units, passedStep*p.units)
	}
	c.WriteByte('\n')
}

// curve draws the state from none to full.
func (c *canvas) curve(curve simulate.Curve, base int) {
	const top = 12 // above the curve
	y := func(v float64) float64 { return float64(base) - v/float64(curve.Capacity)*(curveHeight-2*top) }
	fmt.Fprintf(c, `<path class="full" d="M%d %.1fH%d"/><path class="line" d="M%d %dH%d"/>`, plotLeft, y(float64(curve.Capacity)), plotRight, plotLeft, base, plotRight)
	fmt.Fprintf(c, `<text class="quiet" x="%d" y="%.1f" text-anchor="end">%d</text><text class="quiet" x="%d" y="%d" text-anchor="end">0</text>`+"\n",
		plotLeft-8, y(float64(curve.Capacity))+4, curve.Capacity, plotLeft-8, base+4)
	var line bytes.Buffer
	last := curve.Points[0] // that is drawn
	for i, p := range curve.Points {
		if i > 0 && i+1 < len(curve.Points) && straight(last, p, curve.Points[i+1]) {
			continue
		}
		last = p
		fmt.Fprintf(&line, "L%.1f %.1f", c.x(int64(p[0])), y(p[1]))
	}
	path := line.Bytes()
	path[0] = 'M'
	fmt.Fprintf(c, `<path class="under" d="%sV%dH%.1fz"/><path class="curve" d="%s"/>`+"\n", path, base, c.x(int64(curve.Points[0][0])), path)
}

// straight tells whether a point b lies on the line from a to c.
func straight(a, b, c [2]float64) bool {
	const thousandth = 1e-3 // of a unit, at an instant between them
	at := (b[0] - a[0]) / max(1, c[0]-a[0])
	return c[0] > a[0] && math.Abs(a[1]+at*(c[1]-a[1])-b[1]) < thousandth
}

// TestPictures: the pictures of the documents are what the rules decide.
func TestPictures(t *testing.T) {
	for _, limit := range fiveLimits() {
		result := playLanes(t, limit)
		keep(t, imagePath(result.Lanes[0].Limit), picture(result.Lanes[0].Limit, result, true))
	}
	keep(t, imagePath("side-by-side"), picture(trafficShape, playLanes(t, fiveLimits()...), false))
}
