package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

// The picture of a scene is made of what was decided: a lane a limit, a mark a
// decision, in shapes that nobody needs colours to tell apart.
const (
	pictureWidth = 720
	laneHeight   = 62
	laneLeft     = 16
	laneRight    = 84
)

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#fff"/>
<g fill="#16212b">
`

// marks are the shapes of decisions, around 0,0.
const marks = `</g>
<defs><circle id="a" r="3" fill="#0b6aa8"/><path id="d" d="M0-4.5 4.5 0 0 4.5-4.5 0z" fill="#8a5a9e"/><path id="r" d="M-3-3 3 3M-3 3 3-3" stroke="#c2410c" stroke-width="2" fill="none"/></defs>
`

// picture plays a request and draws it.
func picture(request simulate.Request) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	parsed, err := simulate.Parse(body)
	if err != nil {
		return nil, err
	}
	result, err := simulate.Run(context.Background(), parsed)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	height := laneHeight*len(result.Lanes) + 8
	fmt.Fprintf(&b, pictureHead, pictureWidth, height, pictureWidth, height)
	for i, lane := range result.Lanes {
		y := laneHeight*i + 20
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-weight="600">%s</text>`+"\n", laneLeft, y, html.EscapeString(lane.Limit))
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" fill="#0b6aa8">● %d</text><text x="%d" y="%d" text-anchor="end" fill="#c2410c">✕ %d</text>`+"\n",
			pictureWidth-14, y+12, lane.Allowed, pictureWidth-14, y+30, lane.Refused)
		fmt.Fprintf(&b, `<path d="M%d %dH%d" stroke="#d4dde4"/>`+"\n", laneLeft, y+36, pictureWidth-laneRight)
	}
	b.WriteString(marks)
	for i, lane := range result.Lanes {
		drawMarks(&b, lane, laneHeight*i+20, result.From, result.Until)
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// drawMarks draws each place once, however many decisions fell on it.
func drawMarks(b *bytes.Buffer, lane simulate.Lane, y int, from, until int64) {
	type place struct {
		mark byte
		x, y int
	}
	drawn := make(map[place]bool)
	for _, d := range lane.Decisions {
		at := place{'a', laneLeft + int((d.At-from)*int64(pictureWidth-laneRight-laneLeft)/max(1, until-from)), y + 15}
		switch {
		case !d.Allowed:
			at.mark, at.y = 'r', y+28
		case d.Delay == nil || *d.Delay > 0:
			at.mark = 'd'
		}
		if !drawn[at] {
			drawn[at] = true
			fmt.Fprintf(b, `<use href="#%c" x="%d" y="%d"/>`, at.mark, at.x, at.y)
		}
	}
	b.WriteByte('\n')
}
