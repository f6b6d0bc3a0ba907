package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportOfTheFixture(t *testing.T) {
	page := filepath.Join(t.TempDir(), "PERFORMANCE.md")
	if err := (options{from: "testdata/results.json", page: page}).render(io.Discard); err != nil {
		t.Fatal(err)
	}
	text := read(t, page)
	for _, want := range []string{
		"AMD EPYC, 2 cores",
		"![1M keys, each as likely as the other](performance-large.svg)",
		"![From few keys to many](performance-curve.svg)",
		"- 1M keys, each as likely as the other, 1 goroutine: quick peer 0.75x\n",
		"| **Aforo** | 400 <sub>390-410</sub> |",
		"| quick peer | 300 <sub>290-310</sub> **0.75x** |",
		"| slow peer | 1,200 <sub>1,100-1,300</sub> 3.00x |",
		"1 goroutine: Aforo is 4.00x the floor.",
		"| quick peer | `example.org/quick` v1.2.3 |",
		"> Wrong answers: here: quick peer gave up to 1 % wrong answers.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for _, name := range []string{"performance-large.svg", "performance-curve.svg"} {
		picture := read(t, filepath.Join(filepath.Dir(page), name))
		wellFormed(t, picture)
		for _, want := range []string{"prefers-color-scheme:dark", ">Aforo<", ">slow peer<"} {
			if !strings.Contains(picture, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := (options{}).render(io.Discard); err == nil || !strings.Contains(err.Error(), "measure first") {
		t.Errorf("error: %v", err)
	}
}
