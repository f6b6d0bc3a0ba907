package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
	"github.com/aforo-dev/aforo/trace"
)

type replayOptions struct {
	limits []string // default: none, at least one is required
	key    string   // default: ip
	zone   string   // default: UTC
	output string   // default: text
}

func newReplayCommand(s streams) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay LOG... --limit LIMIT",
		Short: "Play an access log through limits: who would have been refused",
		Long: `Replay reads access logs of Apache or nginx (common or combined, gzipped or
not; - is standard input), sorts their requests by time, and plays them through
the real rules over virtual time. It prints one line for each limit, side by
side. A limit that names its algorithm is one line, and so are several that hold
together, as in "10/s, 1000/h"; one that names none is played by all five.

Every request costs 1, and a request that is refused is gone: nobody retries.
Lines that are no requests are counted and shown, and never stop it.

The key says whose requests count together: ip (IPv6 by its /64), user, host,
path, method, status, header User-Agent, header Referer, or several of them
joined, as in ip+path.`,
		Example: `  aforo replay access.log --limit "100/m burst 20"
  aforo replay access.log.1.gz access.log --limit "fixed_window 60/m" --limit "sliding_window_log 60/m"
  zcat logs/*.gz | aforo replay - --limit "10/s burst 50, 5000/h" --key "header User-Agent" -o csv`,
		Args: func(_ *cobra.Command, args []string) error {
			stdin := 0
			for _, path := range args {
				if path == "-" {
					stdin++
				}
			}
			switch {
			case len(args) == 0:
				return usageError(`no log was named; for example: aforo replay access.log --limit "100/m burst 20"`)
			case stdin > 1:
				return usageError(`- is named %d times, and standard input can be read only once; for example: aforo replay - --limit "100/m burst 20"`, stdin)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), s, args, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.limits, "limit", nil, `limit to play, such as "100/m burst 20"; may be given several times (default none)`)
	f.StringVar(&o.key, "key", "ip", "whose requests count together")
	f.StringVar(&o.zone, "tz", "UTC", "time zone of time stamps that have none")
	f.StringVarP(&o.output, "output", "o", "text", "text, json or csv")
	return cmd
}

func runReplay(ctx context.Context, s streams, paths []string, o replayOptions) error {
	columns, err := replayColumns(o.limits)
	if err != nil {
		return errUsage{err}
	}
	key, err := trace.ParseKey(o.key)
	if err != nil {
		return errUsage{err}
	}
	zone, err := time.LoadLocation(o.zone)
	if err != nil {
		return usageError("--tz %q: there is no such time zone; for example: Europe/Madrid", o.zone)
	}
	write, ok := replayWriters[o.output]
	if !ok {
		return usageError("--output %q: write text, json or csv", o.output)
	}
	p := newProgress(s.err)
	defer p.stop()
	replay := &replay{Key: key.String(), Zone: o.zone}
	if err := replay.read(ctx, paths, key, zone, p); err != nil {
		return err
	}
	if err := replay.play(ctx, columns, p); err != nil {
		return err
	}
	p.stop()
	return write(s.out, replay)
}

func replayColumns(texts []string) ([]aforo.Limits, error) {
	if len(texts) == 0 {
		return nil, errors.New(`--limit is missing; for example: --limit "100/m burst 20"`)
	}
	var columns []aforo.Limits
	for _, text := range texts {
		limits, err := sim.Expand(text)
		if err != nil {
			return nil, err
		}
		columns = append(columns, limits...)
	}
	return columns, nil
}

// replay is a log and what each limit did to it.
type replay struct {
	Files   []string
	Key     string
	Zone    string
	Traffic sim.Traffic
	Lines   trace.Report
	NoKey   int64 // requests that lack a part of the key
	Results []sim.Result
}

// read adds the requests of all files.
func (r *replay) read(ctx context.Context, paths []string, key trace.Key, zone *time.Location, p *progress) error {
	for _, path := range paths {
		if err := r.readFile(ctx, path, key, zone, p); err != nil {
			return err
		}
	}
	if r.Traffic.Len() == 0 {
		return noRequests(paths, &r.Lines)
	}
	return nil
}

func (r *replay) readFile(ctx context.Context, path string, key trace.Key, zone *time.Location, p *progress) error {
	in, size, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	name := path
	if path == "-" {
		name = "standard input"
	}
	reader := trace.NewReader(name, in, trace.Options{Location: zone})
	bar := p.reading(name, size)
	defer bar.done()
	var e trace.Entry
	var k []byte
	for n := 0; reader.Next(&e); n++ {
		var complete bool
		if k, complete = key.Append(k[:0], &e); !complete {
			r.NoKey++
		}
		r.Traffic.Add(e.Time, k)
		if n&0xfff == 0 {
			bar.set(reader.Consumed())
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	r.Files = append(r.Files, name)
	r.Lines.Add(reader.Report())
	return reader.Err()
}

// noRequests says why there is nothing to play.
func noRequests(paths []string, lines *trace.Report) error {
	const good = `; for example: 192.0.2.1 - - [17/May/2026:10:05:03 +0000] "GET / HTTP/1.1" 200 512`
	if len(lines.FirstBad) == 0 {
		return fmt.Errorf("%s: there are no lines in it: a line of an access log is a request%s", paths[0], good)
	}
	return fmt.Errorf("none of the %d lines is a request of an access log. The first is %v%s", lines.Lines-lines.Empty, lines.FirstBad[0], good)
}

// play plays the requests through each limit.
func (r *replay) play(ctx context.Context, columns []aforo.Limits, p *progress) error {
	for _, limits := range columns {
		bar := p.playing(limits.String(), int64(r.Traffic.Len()))
		result, err := sim.Replay(ctx, &r.Traffic, limits, func(played int) { bar.set(int64(played)) })
		bar.done()
		if err != nil {
			return err
		}
		r.Results = append(r.Results, result)
	}
	return nil
}
