package main

import (
	"runtime"
	"time"
)

// percentiles are what is told of the latencies.
var percentiles = []struct {
	name string
	of   float64
}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}, {"max", 1}}

// growth measures each decision by itself while the table grows: whether some
// request pays for a table that is laid anew.
func (r *run) growth() error {
	s := &Section{
		Name: "growth", Title: "While the table grows from 0 to " + short(r.Sizes.Grow) + " keys",
		Note: "ns of each single decision on a new key, 1 goroutine, with the clock read that measures it. The loop alone shows the machine's own stalls.",
	}
	list := those(aforoName, floorName, loopName, xtimeMutexName, sethvargoName)
	err := r.rounds(s.Name, len(list), func(i int) error {
		found, err := inChild(job{Kind: "growth", Peer: list[i].Name, Keys: r.Sizes.Grow})
		if err != nil {
			return err
		}
		for _, p := range percentiles {
			s.add(p.name, "ns", list[i].Name, found[p.name])
		}
		return nil
	})
	r.keep(s)
	return err
}

// measureGrowth runs in a process of its own. The keys are made in batches
// outside of what is timed.
func measureGrowth(j job) (map[string]float64, error) {
	p, err := peerNamed(j.Peer)
	if err != nil {
		return nil, err
	}
	l, err := p.New(open(j.Keys))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	h := newHistogram()
	batch := make([]string, 0, 4096)
	runtime.GC()
	for made := 0; made < j.Keys; {
		for batch = batch[:0]; len(batch) < cap(batch) && made < j.Keys; made++ {
			batch = append(batch, key(made))
		}
		timeEach(l, batch, h)
	}
	found := figures{}
	for _, p := range percentiles {
		found[p.name] = float64(h.percentile(p.of))
	}
	return found, nil
}

// timeEach times one decision after the other. The end of one is the start of
// the next: a single clock read for each.
func timeEach(l Limiter, keys []string, h *histogram) {
	began := time.Now()
	var last time.Duration
	for _, key := range keys {
		l.Allow(key)
		now := time.Since(began)
		h.add(int64(now - last))
		last = now
	}
}
