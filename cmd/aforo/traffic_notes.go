package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/aforo-dev/aforo/trace"
)

// plainFormat is what goes without saying.
var plainFormat = trace.Combined.Title()

// notes is what a reader of the numbers should know about the log.
func (t *traffic) notes() (notes []string) {
	note := func(n int64, what, format string, args ...any) {
		if n > 0 {
			notes = append(notes, count(n, what)+fmt.Sprintf(format, args...))
		}
	}
	notes = t.formatNotes()
	late, by := t.OutOfOrder()
	note(late, "request", " out of order, by %v at most: sorted by time", by)
	note(t.Lines.NoZone, "time", " without a time zone: read as %s", t.Zone)
	note(t.Lines.Ambiguous, "time", " of these when clocks in %s were set: shown twice, or never, and so perhaps an hour off", t.Zone)
	missing := "counted together as -"
	if t.skipMissing {
		missing = "left out"
	}
	note(t.NoKey, "request", " without %s: %s", t.By, missing)
	note(t.names(), "client", " not by address but by name: counted as it stands")
	t.refusedNote(note)
	note(t.LeftOut, "request", " left out for the status")
	note(t.Lines.Other, "line", " that %s format has beside requests", map[bool]string{true: "the", false: "their"}[len(t.Files) == 1])
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

// formatNotes name each format that does not go without saying, and its files.
func (t *traffic) formatNotes() (notes []string) {
	for i, format := range t.Formats {
		if format == plainFormat || slices.Index(t.Formats, format) < i {
			continue
		}
		var files []string
		for j, other := range t.Formats {
			if other == format {
				files = append(files, t.Files[j])
			}
		}
		if more := len(files) - 3; more > 1 {
			files = append(files[:3], fmt.Sprintf("%d more", more))
		}
		notes = append(notes, fmt.Sprintf("format of %s: %s", strings.Join(files, ", "), format))
	}
	return notes
}

// hasFormats tells whether a file has a format that does not go without saying.
func (t *traffic) hasFormats() bool {
	return slices.ContainsFunc(t.Formats, func(format string) bool { return format != plainFormat })
}

// names is how many clients are no addresses, if clients are what counts.
func (t *traffic) names() (n int64) {
	if t.By.String() != "ip" {
		return 0
	}
	for i := range t.Keys() {
		key := t.Key(uint32(i))
		if _, err := netip.ParseAddr(key); err == nil || key == "-" {
			continue
		}
		if _, err := netip.ParsePrefix(key); err != nil {
			n++
		}
	}
	return n
}

// refusedNote tells of requests that another limiter refused already.
func (t *traffic) refusedNote(note func(n int64, what, format string, args ...any)) {
	var by, codes []string
	for _, s := range []struct {
		code string
		n    int64
	}{{"429", t.Refused429}, {"503", t.Refused503}} {
		if s.n > 0 {
			by, codes = append(by, fmt.Sprintf("%d with %s", s.n, s.code)), append(codes, s.code)
		}
	}
	if t.Lines.Refused > 0 {
		by = append(by, fmt.Sprintf("%d by limit_req or limit_conn of nginx", t.Lines.Refused))
	}
	what := "they are replayed like all others"
	if len(codes) > 0 {
		what += "; --exclude-status " + strings.Join(codes, ",") + " leaves them out"
	}
	if t.exclude != nil || t.only != nil {
		what = "replayed or not as --exclude-status and --only-status say"
	}
	note(t.Refused429+t.Refused503+t.Lines.Refused, "request", " refused already when the log was written (%s): %s", strings.Join(by, ", "), what)
}
