package main

import (
	"context"
	"fmt"
	"strconv"
)

// sampled is how many keys are asked for their sizes one by one.
const sampled = 200

// memory measures what keys take in the server, each of which has had two hits.
func (r *run) memory(ctx context.Context) error {
	list := append(algorithms()[:5], redisRate(), throttledStore(), ululeStore())
	for _, s := range list {
		fmt.Fprintf(r.progress, "memory: %d keys: %s\n", r.sizes.Stored, s.Name)
		f, err := r.footprint(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r.Memory = append(r.Memory, f)
	}
	return r.server.admin.FlushAll(ctx).Err()
}

func (r *run) footprint(ctx context.Context, s subject) (f Footprint, err error) {
	if err := r.server.admin.FlushAll(ctx).Err(); err != nil {
		return f, err
	}
	decide, err := s.new(r.clients, open)
	if err != nil {
		return f, err
	}
	ask(ctx, decide, keyNames(1), target, target) // connections and scripts
	before, err := r.used(ctx)
	if err != nil {
		return f, err
	}
	if t := ask(ctx, decide, keyNames(r.sizes.Stored), target, 2*r.sizes.Stored); t.errors > t.calls/100 {
		return f, fmt.Errorf("%d of %d calls failed: %w", t.errors, t.calls, t.err)
	}
	after, err := r.used(ctx)
	if err != nil {
		return f, err
	}
	f = Footprint{Subject: s.Name, Total: float64(after-before) / float64(r.sizes.Stored)}
	for range sampled {
		key, err := r.server.admin.RandomKey(ctx).Result()
		if err != nil {
			return f, err
		}
		size, err := r.server.admin.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			return f, err
		}
		f.Key += float64(size) / sampled
		length, err := r.server.admin.StrLen(ctx, key).Result()
		if err == nil { // a log is a list
			f.Value = max(f.Value, int(length))
		}
	}
	return f, nil
}

// used is the memory that the server has in use.
func (r *run) used(ctx context.Context) (int, error) {
	info, err := r.server.info(ctx, "memory")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(info["used_memory"])
}
