// Package uplot holds uPlot 1.6.32, which draws charts in a browser: its own
// files, unchanged, and its licence.
package uplot

import _ "embed"

// Script defines uPlot in a page; Style is its style sheet. Both are under the
// MIT licence, as Licence says.
var (
	//go:embed uPlot.iife.min.js
	Script string
	//go:embed uPlot.min.css
	Style string
	//go:embed LICENSE
	Licence string
)
