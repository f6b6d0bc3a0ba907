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
	clients int           // default: 0; 20 in html
	status  []string      // default: none
	output  string        // default: text
}

func newReplayCommand(s streams) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay LOG... --limit LIMIT",
		Short: "Play an access log through limits: who would have been refused",
		Long: `Replay reads access logs (- is standard input), sorts their requests by time,
and plays them through the real rules over virtual time. It prints one line for
each limit, side by side. A limit that names its algorithm is one line, and so
are several that hold together, as in "10/s, 1000/h"; one that names none is
played by all five.

Every request costs 1, and a request that is refused is gone: nobody retries.
Lines that are no requests are counted and shown, and never stop it; if they are
more than --max-bad of all, the exit code is 1.

The key says whose requests count together: ip (IPv6 by its /64), user, host,
path, method, status, header User-Agent, header Referer, or several of them
joined, as in ip+path. With --route "/users/*", all paths that it matches are
one; * is one segment, ** at the end any number.

Formats are recognised: common and combined of Apache and nginx; JSON of Caddy,
Traefik, Envoy, nginx and others; Envoy's text, HAProxy, AWS ALB, ELB, S3 and
CloudFront, IIS and W3C, nginx's error log, CSV; compressed with gzip, bzip2 or
zstd, or not. --format names one (json, csv, haproxy ...), or its columns, or
has a pattern as in nginx's log_format. Large logs are sorted in a temporary
file.

--clients N shows the N clients refused most, when and why. --status 429
compares with the limiter that was there when the log was written. -o html is a
page with all of that, in one file.`,
		Example: `  aforo replay access.log --limit "100/m burst 20"
  aforo replay access.log.1.gz access.log --limit "fixed_window 60/m" --limit "sliding_window_log 60/m"
  zcat logs/*.gz | aforo replay - --limit "10/s burst 50, 5000/h" --key "header User-Agent" -o csv
  aforo replay access.log --limit 100/m --key ip+path --route "/users/*" --clients 10
  aforo replay access.log --limit 100/m --status 429,503 -o html | tee replay.html
  aforo replay access.log --limit 100/m --format '$remote_addr - $remote_user [$time_local] "$request" $status'`,
		Args: logArguments(`replay LOG --limit "100/m burst 20"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplay(cmd.Context(), s, args, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.limits, "limit", nil, `limit to play, such as "100/m burst 20"; may be given several times (default none)`)
	o.traffic = addTrafficFlags(cmd)
	f.IntVar(&o.clients, "clients", 0, "how many of the clients refused most to show, with when and why (default 0, and 20 in html)")
	f.StringSliceVar(&o.status, "status", nil, "statuses by which a limiter that was there already refused, to compare with, such as 429 (default none)")
	f.StringVarP(&o.output, "output", "o", "text", "text, json, csv or html")
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
	switch {
	case !ok:
		return usageError("--output %q: write text, json, csv or html", o.output)
	case o.clients < 0:
		return usageError("--clients %d: it is a number of clients, 0 for none; for example: --clients 10", o.clients)
	case o.clients == 0 && o.output == "html":
		o.clients = 20
	}
	replay := &replay{Traffic: traffic, ClientsShown: o.clients}
	if replay.There, err = parseStatuses("status", o.status); err != nil {
		return err
	}
	p := newProgress(s.err)
	defer p.stop()
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
	There        statuses             // of the limiter that was there already, none if it does not matter
	RefusedThere int64                // by that limiter
	ClientsShown int                  // of each column, at most
}

// refusedThere tells whether the limiter that was there when the log was
// written refused a request.
func (r *replay) refusedThere(one *trace.Request) bool {
	return len(r.There) > 0 && (one.Refused || r.There.has(int(one.Status)))
}
