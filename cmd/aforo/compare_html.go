package main

import (
	_ "embed"
	"html/template"
	"io"
	"strconv"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/uplot"
	"github.com/aforo-dev/aforo/sim"
)

//go:embed compare.html
var comparePage string

var compareTemplate = template.Must(template.New("compare").Funcs(template.FuncMap{
	"heading": heading, "most": mostIn, "time": brief, "longest": longest, "requests": requests,
	"percent": func(r sim.Result) string { return percent(int64(r.Refused), int64(requests(r))) },
}).Parse(comparePage))

// writeCompareHTML writes one file that needs no other, and no network.
func writeCompareHTML(out io.Writer, c *comparison) error {
	title := "Limits side by side"
	if c.Scenario != nil {
		title = c.Scenario.Title
	}
	data := c.json()
	for i, r := range c.Results {
		data.Results[i].Level = r.Series.Level
	}
	return compareTemplate.Execute(out, map[string]any{
		"Title": title, "Scenario": c.Scenario, "Size": c.howMuch(), "Traffic": c.Traffic, "Seed": strconv.FormatUint(c.Seed, 10),
		"Drawn": c.Shape != nil && c.drawn(), "Instances": c.Instances.String(), "Notes": c.Notes, "Results": c.Results,
		"Varies": c.varies(), "Delays": c.delays(),
		"Data": data, "Shaped": c.Shape != nil, "Script": template.JS(uplot.Script), "Style": template.CSS(uplot.Style),
		"Licence": uplot.Licence,
	})
}
