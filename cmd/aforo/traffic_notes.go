package main

import "fmt"

// notes is what a reader of the numbers should know about the log.
func (t *traffic) notes() (notes []string) {
	if n, by := t.OutOfOrder(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s out of order, by %v at most: sorted by time", count(n, "request"), by))
	}
	if t.Lines.NoZone > 0 {
		notes = append(notes, fmt.Sprintf("%s without a time zone: read as %s", count(t.Lines.NoZone, "time"), t.Zone))
	}
	if t.NoKey > 0 {
		notes = append(notes, fmt.Sprintf("%s without %s: counted together as -", count(t.NoKey, "request"), t.By))
	}
	if t.Lines.Bad > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, not requests:", count(t.Lines.Bad, "line")))
		for _, bad := range t.Lines.FirstBad {
			notes = append(notes, "  "+bad.String())
		}
		if more := int(t.Lines.Bad) - len(t.Lines.FirstBad); more > 0 {
			notes = append(notes, fmt.Sprintf("  and %d more", more))
		}
	}
	return notes
}
