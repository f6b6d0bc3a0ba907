package main

import (
	"context"
	"sync"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/trace"
)

// timelineSteps is into how many equal parts the time of a log is cut, to show
// when requests were refused.
const timelineSteps = 60

// A column is limits, all of which hold at once, and what they did to the
// requests. Every request costs 1, and one that is refused is gone.
type column struct {
	Limits  aforo.Limits
	Allowed int64
	Refused int64

	// LongestDelay is the longest for which a leaky bucket held back a request
	// that it allowed.
	LongestDelay time.Duration

	By       []int64              // refused by each limit; one request may be by several
	Clients  map[uint32]*refusals // of the keys that were refused
	Timeline [timelineSteps]int64 // refused in each part of the time

	// Both were refused here and by the limiter that was there when the log
	// was written, OnlyHere and OnlyThere by one of them.
	Both, OnlyHere, OnlyThere int64

	limiter *aforo.Limiter
	now     time.Time
	each    []aforo.Decision
}

// refusals are those of one key.
type refusals struct {
	Count       int64
	First, Last int64         // when, in microseconds since the Unix epoch
	FirstRetry  time.Duration // how long the first would have had to wait
	Longest     time.Duration // and the one that would have had to wait longest
	By          []int64       // by each limit
}

func newColumn(limits aforo.Limits) (*column, error) {
	c := &column{Limits: limits, By: make([]int64, limits.Len()), Clients: make(map[uint32]*refusals)}
	var err error
	c.limiter, err = aforo.NewLimiter(limits, aforo.WithClock(func() time.Time { return c.now }))
	return c, err
}

// decide lets the limits decide about a request.
func (c *column) decide(ctx context.Context, r *trace.Request, key string, step int, there bool) (err error) {
	c.now = time.UnixMicro(r.Time)
	var d aforo.Decision
	if len(c.By) == 1 {
		d, err = c.limiter.Allow(ctx, key)
	} else {
		d, c.each, err = c.limiter.AllowEach(ctx, key, 1, c.each[:0])
	}
	switch {
	case err != nil:
		return err
	case d.Allowed:
		c.Allowed++
		c.LongestDelay = max(c.LongestDelay, d.Delay)
		if there {
			c.OnlyThere++
		}
		return nil
	case there:
		c.Both++
	default:
		c.OnlyHere++
	}
	c.Refused++
	c.Timeline[step]++
	c.refuse(r, d.RetryAfter)
	return nil
}

// refuse writes down who was refused, when, and by which limits.
func (c *column) refuse(r *trace.Request, retry time.Duration) {
	client := c.Clients[r.Key]
	if client == nil {
		client = &refusals{First: r.Time, FirstRetry: retry, By: make([]int64, len(c.By))}
		c.Clients[r.Key] = client
	}
	client.Count++
	client.Last = r.Time
	client.Longest = max(client.Longest, retry)
	if len(c.By) == 1 {
		c.By[0]++
		client.By[0]++
		return
	}
	for i := range c.each {
		if !c.each[i].Allowed {
			c.By[i]++
			client.By[i]++
		}
	}
}

// play plays the requests through all columns, each request at its instant.
// Columns work side by side, on one stretch of requests at a time, so that what
// is in memory is bounded by the number of keys.
func (r *replay) play(ctx context.Context, limits []aforo.Limits, p *progress) error {
	for _, one := range limits {
		c, err := newColumn(one)
		if err != nil {
			return err
		}
		r.Columns = append(r.Columns, c)
	}
	r.Requests = make([]int64, r.Traffic.Keys())
	bar := p.playing(count(int64(len(limits)), "limit"), r.Traffic.Len())
	defer bar.done()
	stretch, done := make([]trace.Request, 0, 1<<13), int64(0)
	flush := func() error {
		err := r.playStretch(ctx, stretch)
		done += int64(len(stretch))
		stretch = stretch[:0]
		bar.set(done)
		return err
	}
	err := r.Traffic.Each(func(one trace.Request) error {
		if stretch = append(stretch, one); len(stretch) == cap(stretch) {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

func (r *replay) playStretch(ctx context.Context, stretch []trace.Request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	first, last := r.Traffic.Span()
	steps := newSteps(first, last)
	for i := range stretch {
		r.Requests[stretch[i].Key]++
		r.Timeline[steps.of(stretch[i].Time)]++
		if r.refusedThere(&stretch[i]) {
			r.RefusedThere++
		}
	}
	errs := make([]error, len(r.Columns))
	var all sync.WaitGroup
	for n, c := range r.Columns {
		all.Go(func() {
			for i := range stretch {
				one := &stretch[i]
				if errs[n] = c.decide(ctx, one, r.Traffic.Key(one.Key), steps.of(one.Time), r.refusedThere(one)); errs[n] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// steps cut a time into timelineSteps parts.
type steps struct{ first, each int64 }

func newSteps(first, last time.Time) steps {
	from, to := first.UnixMicro(), last.UnixMicro()
	return steps{from, (to-from)/timelineSteps + 1}
}

func (s steps) of(at int64) int { return int((at - s.first) / s.each) }
