package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// A run is one in progress.
type run struct {
	Results
	server   *server
	sizes    Sizes
	clients  *clients
	progress io.Writer
}

// measure carries out all measurements.
func (r *run) measure(ctx context.Context) (err error) {
	if r.clients, err = r.server.connect(); err != nil {
		return err
	}
	defer r.clients.close()
	r.Subjects = withVersions(append(subjects(), aforoUnmemorised()))
	for _, callers := range r.sizes.Callers {
		for _, keys := range []int{r.sizes.Keys, 1} {
			if err := r.workloadOf(ctx, "speed", subjects(), open, callers, keys); err != nil {
				return err
			}
		}
	}
	for _, keys := range []int{r.sizes.Keys, 1} {
		if err := r.workloadOf(ctx, "algorithms", algorithms(), open, target, keys); err != nil {
			return err
		}
	}
	if err := r.workloadOf(ctx, "refused", append(peers(), aforoUnmemorised()), shut, target, r.sizes.Keys); err != nil {
		return err
	}
	if err := r.memory(ctx); err != nil {
		return err
	}
	return r.log(ctx)
}

// keyNames are the keys of a workload.
func keyNames(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = "user:" + strconv.Itoa(i)
	}
	return keys
}

// workloadOf measures subjects in rounds, each of which begins with another one: so
// what disturbs the machine for a while disturbs all of them, and none is always
// behind the same other. Each has asked for every key before.
func (r *run) workloadOf(ctx context.Context, section string, list []subject, l limit, callers, keys int) error {
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
			measured, err := r.round(ctx, deciders[at], names, callers, max(1, list[at].Batch), l == open)
			if err != nil {
				return fmt.Errorf("%s: %w", list[at].Name, err)
			}
			w.Rows[at].Rounds = append(w.Rows[at].Rounds, measured)
		}
	}
	r.Workloads = append(r.Workloads, w)
	return nil
}
