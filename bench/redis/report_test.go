package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo"
)

// TestAQuickRunAndItsPage measures everything with a real server, a little of it.
func TestAQuickRunAndItsPage(t *testing.T) {
	folder := t.TempDir()
	results, page := filepath.Join(folder, "results.json"), filepath.Join(folder, "page.md")
	var shown strings.Builder
	if err := command(context.Background(), []string{"-quick", "-out", results}, &shown, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := command(context.Background(), []string{"-report", "-from", results, "-page", page}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	r, err := load(results)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"**Aforo**", "*rueidis INCR*", "redis_rate", "`github.com/throttled/throttled/v2` v2", "quick run", r.Server, "log of 2,000"}
	for _, a := range aforo.Algorithms() {
		names = append(names, a.String())
	}
	for _, name := range names {
		if !strings.Contains(string(text), name) {
			t.Errorf("the page does not have %q", name)
		}
		if plain := strings.Trim(name, "*"); !strings.Contains(shown.String(), plain) && !strings.Contains(name, "`") && name != "quick run" && name != r.Server {
			t.Errorf("the table does not have %q", plain)
		}
	}
	for _, w := range r.Workloads {
		for _, row := range w.Rows {
			if len(row.Rounds) != r.Sizes.Repetitions || row.Rounds[0].PerSecond <= 0 {
				t.Errorf("%s, %d callers, %d keys, %s: %+v", w.Section, w.Callers, w.Keys, row.Subject, row.Rounds)
			}
		}
	}
	for _, f := range r.Memory {
		if f.Key < 20 || f.Key > 1000 || f.Value > 64 {
			t.Errorf("memory: %+v", f)
		}
	}
	for _, c := range r.Log {
		if c.Held < 1 || c.Held > c.Limit || c.Bytes < 7 || len(c.Allowed) == 0 || len(c.Refused) == 0 {
			t.Errorf("log: %+v", c)
		}
	}
}

// TestGoals: what is not reached is said.
func TestGoals(t *testing.T) {
	row := func(name string, perSecond, script float64) Row {
		return Row{Subject: name, Rounds: []Round{{PerSecond: perSecond / 2, Script: script}, {PerSecond: perSecond, Script: script}, {PerSecond: 1, Script: script}}}
	}
	r := &Results{Sizes: Sizes{Keys: 100}, Subjects: subjects()}
	r.Workloads = []Workload{{Section: "speed", Callers: target, Keys: 100, Rows: []Row{
		row(aforoName, 100, 5), row(plainName, 80, 5), row(redisRateName, 40, 10),
		row(rueidisScriptName, 110, 2), row(tunedScriptName, 250, 2),
	}}}
	r.Log = []LogCost{{Limit: 10, Allowed: []float64{10}, Refused: []float64{5}}, {Limit: 1000, Allowed: []float64{20}, Refused: []float64{16}, Bytes: 13}}
	want := map[string]bool{"2.50": true, "0.91": true, "0.73": false, "0.40": false, "0.50": true, "13.0": true, "2.00": true, "3.20": false}
	goals := r.goals()
	for _, g := range goals {
		if g.text == "" {
			t.Error("a goal without a text")
		}
		if met, ok := want[g.found]; !ok || met != g.met {
			t.Errorf("%s: %s, met %v", g.text, g.found, g.met)
		}
	}
	if len(goals) != 8 {
		t.Errorf("%d goals, want 8", len(goals))
	}
}

func TestWrongArguments(t *testing.T) {
	for _, arguments := range [][]string{{"-only", "nothing"}, {"-repetitions", "-1"}, {"extra"}, {"-report", "-from", "nowhere.json"}} {
		if err := command(context.Background(), arguments, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", arguments)
		}
	}
}
