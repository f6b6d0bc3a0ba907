package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/trace"
)

// TestExampleLines: the lines that docs/TRACES.md shows are read completely, as
// the format that it names, which --format knows by the name beside it; and it
// shows all formats.
func TestExampleLines(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(checkout, "docs", "TRACES.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)\n\\*\\*([^*]+)\\*\\*, `([a-z0-9-]+)`(?:[^*]*?)\n```log\n(.*?)```").FindAllStringSubmatch(string(data), -1)
	shown := map[string]bool{}
	for _, m := range examples {
		title, name, lines := m[1], m[2], m[3]
		shown[name] = true
		format, err := trace.ParseFormat(name)
		if err != nil {
			t.Error(err)
		}
		for _, f := range []trace.Format{{}, format} {
			r := trace.NewReader(name, strings.NewReader(lines), trace.Options{Format: f})
			var e trace.Entry
			for r.Next(&e) {
			}
			if report := r.Report(); report.Entries == 0 || report.Bad > 0 {
				t.Errorf("%s: %+v", title, report)
			}
			if f.String() == "auto" && r.Format() != title {
				t.Errorf("%s is read as %s", title, r.Format())
			}
		}
	}
	for _, name := range trace.FormatNames() {
		if !shown[name] {
			t.Errorf("there is no line of %s", name)
		}
	}
}
