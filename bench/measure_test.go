package main

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// tiny is just enough to go through everything.
func tiny() Sizes {
	return Sizes{Reps: 2, Hot: 500, Keys: 500, Draws: 500, Curve: []int{50, 500}, PeerKeys: 500, BigTable: 1_000, Grow: 1_000, Log: 100}
}

func TestSmokeRun(t *testing.T) {
	r, err := options{quick: true}.newRun(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r.Sizes = tiny()
	if err := r.measure(); err != nil {
		t.Fatal(err)
	}
	for _, name := range sectionNames() {
		s := r.section(name)
		if s == nil || len(s.Cases) == 0 {
			t.Errorf("nothing was measured of %s", name)
			continue
		}
		for _, c := range s.Cases {
			for _, x := range c.Samples {
				if len(x.Values) != 2 || x.Median < 0 || math.IsNaN(x.Median) || math.IsInf(x.Median, 0) {
					t.Errorf("%s, %s: %+v", name, c.Name, x)
				}
			}
		}
	}
	for _, text := range r.warnings() {
		if !strings.Contains(text, throttledName) { // it gives up in races
			t.Error(text)
		}
	}
}

func TestCommandMeasuresOneSectionAndRendersIt(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "r.json"), filepath.Join(dir, "PERFORMANCE.md")
	var out bytes.Buffer
	if err := command([]string{"-quick", "-only", "log", "-reps", "1", "-out", file}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := command([]string{"-report", "-from", file, "-page", page}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "limit 1000") || !strings.Contains(out.String(), page) {
		t.Errorf("output: %s", out.String())
	}
}

func TestCommandRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{{"-only", "hut"}, {"-frobnicate"}, {"now"}} {
		if err := command(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestDrawsAreWhatTheySay(t *testing.T) {
	counts := map[string]int{}
	for _, k := range zipf(1000, 100_000, 1) {
		counts[k]++
	}
	by := []int{}
	for _, n := range counts {
		by = append(by, n)
	}
	slices.Sort(by)
	slices.Reverse(by)
	// Of 1000 ranks the first has 1/H of all, H the sum of k^-1.1, and the
	// second 2^-1.1 of that.
	h := 0.0
	for k := 1; k <= 1000; k++ {
		h += math.Pow(float64(k), -1.1)
	}
	for i, want := range []float64{1 / h, math.Pow(2, -1.1) / h} {
		if got := float64(by[i]) / 100_000; math.Abs(got-want) > 0.01 {
			t.Errorf("rank %d came in %.3f of all draws, want %.3f", i+1, got, want)
		}
	}
	seen := map[string]bool{}
	for _, k := range uniform(1000, 100_000, 1) {
		seen[k] = true
	}
	if len(seen) != 1000 || !seen[key(0)] || !seen[key(999)] {
		t.Errorf("uniform drew %d of 1000 keys", len(seen))
	}
}

func TestHistogram(t *testing.T) {
	h := newHistogram()
	for ns := range int64(1000) {
		h.add(ns)
	}
	h.add(5_000_000)
	h.add(3_000_000_000)
	for of, want := range map[float64]int64{0.5: 501, 0.999: 5_000_000, 1: 3_000_000_000} {
		if got := h.percentile(of); got != want {
			t.Errorf("percentile %v is %d, want %d", of, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 2: {9, 1, 2}, 2.5: {3, 1, 2, 9}} {
		if got := numbers.Median(values); got != want {
			t.Errorf("median of %v is %v, want %v", values, got, want)
		}
	}
}
