package trace

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what is read into testdata/*.want, to be looked at")

// readAll reads a log of testdata, and writes down what was read.
func readAll(t *testing.T, path string, o Options) string {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r := NewReader(filepath.Base(path), bytes.NewReader(log), o)
	var e Entry
	for r.Next(&e) {
		fmt.Fprintf(&b, "%s client %q user %q host %q: %q %q %d, referer %q, agent %q", time.UnixMicro(e.Time).UTC().Format("2006-01-02T15:04:05.000000"),
			e.Client, e.User, e.Host, e.Method, e.Target, e.Status, e.Referer, e.UserAgent)
		if e.NoZone {
			b.WriteString(", no zone")
		}
		if e.Refused {
			b.WriteString(", refused")
		}
		b.WriteByte('\n')
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	report := r.Report()
	fmt.Fprintf(&b, "%s: %d lines, %d requests, %d empty, %d other, %d bad\n", r.Format(), report.Lines, report.Entries, report.Empty, report.Other, report.Bad)
	for _, bad := range report.FirstBad {
		fmt.Fprintln(&b, bad)
	}
	return b.String()
}

// TestFormats reads small logs of all formats, each of which is recognised, and
// compares with what stands in the .want beside it.
func TestFormats(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.*")
	if err != nil || len(paths) < 17 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, ".want") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			got := readAll(t, path, Options{})
			if *update {
				if err := os.WriteFile(path+".want", []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
