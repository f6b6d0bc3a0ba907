package main

import (
	"fmt"
	"html"
	"strings"
)

// svg is a picture in the making. It stands alone: no fonts, scripts or files
// besides it, and colours for light and dark.
type svg struct {
	width, height int
	body          strings.Builder
}

// The classes s0 to s5 are the colours of series, told apart in both modes.
const svgStyle = `<style>
text{font:13px system-ui,sans-serif;fill:#24292f}
.title{font-weight:600;font-size:15px}
.quiet{fill:#6a737d}.own{font-weight:600}
.axis{stroke:#d0d7de;stroke-width:1}
.bar{fill:#8c96a0}.bar.own{fill:#0b6bcb}.bar.yard{fill:#c9d1d9}
.line{fill:none;stroke-width:2}.line.own{stroke-width:3}.line.yard{stroke-dasharray:5 4}
.s0{stroke:#0b6bcb}.s1{stroke:#6a737d}.s2{stroke:#c2410c}.s3{stroke:#15803d}.s4{stroke:#a21caf}.s5{stroke:#a16207}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.quiet{fill:#9da7b3}.axis{stroke:#3d444d}
.bar{fill:#7d8793}.bar.own{fill:#4aa3ff}.bar.yard{fill:#3d444d}
.s0{stroke:#4aa3ff}.s1{stroke:#9da7b3}.s2{stroke:#fb923c}.s3{stroke:#4ade80}.s4{stroke:#e879f9}.s5{stroke:#facc15}
}
</style>`

func (s *svg) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(&s.body, `<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`+"\n", x, y, class, anchor, html.EscapeString(text))
}

func (s *svg) bar(x, y, width, height float64, class string) {
	fmt.Fprintf(&s.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2" class="bar %s"/>`+"\n", x, y, width, height, class)
}

func (s *svg) axis(x1, y1, x2, y2 float64) {
	fmt.Fprintf(&s.body, `<path d="M%.1f %.1fL%.1f %.1f" class="axis"/>`+"\n", x1, y1, x2, y2)
}

// point is a place in a picture.
type point struct{ x, y float64 }

func (s *svg) line(points []point, class string) {
	var path strings.Builder
	for i, p := range points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], p.x, p.y)
	}
	fmt.Fprintf(&s.body, `<path d="%s" class="line %s"/>`+"\n", path.String(), class)
}

// picture is the whole, with words for those who cannot see it.
func (s *svg) picture(title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" role="img" aria-label="%s">`+"\n%s\n%s</svg>\n",
		s.width, s.height, s.width, html.EscapeString(title), svgStyle, s.body.String())
}
