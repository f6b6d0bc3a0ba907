package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A run is one in progress.
type run struct {
	Results
	server   *server
	sizes    Sizes
	clients  *clients
	only     []string // sections to measure; none for all
	progress io.Writer
}

// measure carries out all measurements.
func (r *run) measure(ctx context.Context) (err error) {
	if r.clients, err = r.server.connect(r.sizes.Budget); err != nil {
		return err
	}
	defer r.clients.close()
	r.Subjects = withVersions(append(subjects(), aforoUnmemorised()))
	for _, section := range sections {
		if len(r.only) > 0 && !slices.Contains(r.only, section.name) {
			continue
		}
		if err := section.measure(r, ctx); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

// sections are all measurements, by the names that -only knows.
var sections = []struct {
	name    string
	measure func(*run, context.Context) error
}{
	{"speed", func(r *run, ctx context.Context) error {
		for _, callers := range r.sizes.Callers {
			if err := r.workloads(ctx, "speed", subjects(), steady, callers, r.sizes.Keys, 1); err != nil {
				return err
			}
		}
		return nil
	}},
	{"algorithms", func(r *run, ctx context.Context) error {
		return r.workloads(ctx, "algorithms", algorithms(), open, target, r.sizes.Keys, 1)
	}},
	{"refused", func(r *run, ctx context.Context) error {
		return r.workloads(ctx, "refused", append(peers(), aforoUnmemorised()), shut, target, r.sizes.Keys)
	}},
	{"memory", (*run).memory},
	{"log", (*run).log},
}

func sectionNames() (names []string) {
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

// workloads measures the same with several numbers of keys.
func (r *run) workloads(ctx context.Context, section string, list []subject, l limit, callers int, keys ...int) error {
	for _, n := range keys {
		if err := r.workload(ctx, section, list, l, callers, n); err != nil {
			return err
		}
	}
	return nil
}

// keyNames are the keys of a workload.
func keyNames(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = "user:" + strconv.Itoa(i)
	}
	return keys
}

// workload measures subjects in rounds, each of which begins with another one: so
// what disturbs the machine for a while disturbs all of them, and none is always
// behind the same other. Each has asked for every key before.
func (r *run) workload(ctx context.Context, section string, list []subject, l limit, callers, keys int) error {
	names := keyNames(keys)
	if err := r.server.admin.FlushAll(ctx).Err(); err != nil {
		return err
	}
	w := Workload{Section: section, Callers: callers, Keys: keys}
	var deciders []decider
	for _, s := range list {
		decide, err := s.new(r.clients, l)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		ask(ctx, decide, names, callers, len(names))
		deciders, w.Rows = append(deciders, decide), append(w.Rows, Row{Subject: s.Name})
	}
	for round := range r.sizes.Repetitions {
		fmt.Fprintf(r.progress, "%s: %d callers, %d keys: round %d of %d\n", section, callers, keys, round+1, r.sizes.Repetitions)
		for i := range list {
			at := (i + round) % len(list)
			measured, err := r.round(ctx, deciders[at], names, callers, max(1, list[at].Batch), l != shut)
			if err != nil {
				return fmt.Errorf("%s: %w", list[at].Name, err)
			}
			w.Rows[at].Rounds = append(w.Rows[at].Rounds, measured)
		}
	}
	r.Workloads = append(r.Workloads, w)
	return nil
}
