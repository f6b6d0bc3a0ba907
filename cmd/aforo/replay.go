package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
	"github.com/aforo-dev/aforo/trace"
)

type replayOptions struct {
	limits  []string      // default: none, at least one is required
	traffic *trafficFlags // which requests of the log, by which key
	output  string        // default: text
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
		Args: logArguments(`replay LOG --limit "100/m burst 20"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), s, args, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.limits, "limit", nil, `limit to play, such as "100/m burst 20"; may be given several times (default none)`)
	o.traffic = addTrafficFlags(cmd)
	f.StringVarP(&o.output, "output", "o", "text", "text, json or csv")
	return cmd
}

func runReplay(ctx context.Context, s streams, paths []string, o replayOptions) error {
	columns, err := replayColumns(o.limits)
	if err != nil {
		return errUsage{err}
	}
	traffic, err := o.traffic.newTraffic()
	if err != nil {
		return err
	}
	defer traffic.close()
	write, ok := replayWriters[o.output]
	if !ok {
		return usageError("--output %q: write text, json or csv", o.output)
	}
	p := newProgress(s.err)
	defer p.stop()
	replay := &replay{Traffic: traffic}
	if err := traffic.read(ctx, paths, p); err != nil {
		return err
	}
	if err := replay.play(ctx, columns, p); err != nil {
		return err
	}
	p.stop()
	if err := write(s.out, replay); err != nil {
		return err
	}
	return traffic.tooManyBad()
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
	Traffic      *traffic
	Columns      []*column
	Requests     []int64              // of each key
	Timeline     [timelineSteps]int64 // requests in each part of the time
	RefusedThere int64                // by the limiter that was there already
}

// refusedThere tells whether the limiter that was there when the log was
// written refused a request.
func (r *replay) refusedThere(one *trace.Request) bool { return one.Refused }
