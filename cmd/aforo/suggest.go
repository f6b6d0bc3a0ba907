package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
	"github.com/aforo-dev/aforo/trace"
)

type suggestOptions struct {
	traffic   *trafficFlags // which requests of the log, by which key
	target    string        // default: 0.1%
	of        string        // default: clients
	periods   []string      // default: 1m, 1h
	algorithm string        // default: token_bucket
	clients   int           // default: 5
	output    string        // default: text
}

func newSuggestCommand(s streams) *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest LOG...",
		Short: "Find limits that would have touched few of a log's clients",
		Long: `Suggest reads access logs, as replay does, and finds for each algorithm and each
period the least limit that touches no more than a target: a share of the
clients that may be refused at least once, or with --of requests, of the
requests. It prints who would have been touched, what a tighter or a looser
limit would do, and a policy to copy.

Numbers are round ones. A bucket's rate is found first, with the whole of it as
burst, and then the least burst for that rate.

A log shows who came, not who might: where it is too thin to tell, that is said.
It is told too if a limiter was there when it was written, as clients may have
held back.`,
		Example: `  aforo suggest access.log
  aforo suggest access.log --key ip+path --route "/users/*" --target 1% --per 10s,1m
  zcat logs/*.gz | aforo suggest - --of requests --target 0.01% -o json
  aforo suggest access.log --algorithm sliding_window_log --per 15m -o yaml | aforo validate -`,
		Args: logArguments(`suggest LOG`),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSuggest(cmd.Context(), s, args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.target, "target", "0.1%", "share that the limit may touch")
	f.StringVar(&o.of, "of", "clients", "what it is a share of: clients or requests")
	f.StringSliceVar(&o.periods, "per", []string{"1m", "1h"}, "periods to find limits for")
	f.StringVar(&o.algorithm, "algorithm", "token_bucket", "algorithm of the policy, and of whom it would touch")
	f.IntVar(&o.clients, "clients", 5, "how many of those touched to show")
	o.traffic = addTrafficFlags(cmd)
	f.StringVarP(&o.output, "output", "o", "text", "text, json or yaml")
	return cmd
}

func runSuggest(ctx context.Context, s streams, paths []string, o suggestOptions) error {
	a, err := o.newAdvice()
	if err != nil {
		return err
	}
	if a.Traffic, err = o.traffic.newTraffic(); err != nil {
		return err
	}
	defer a.Traffic.close()
	write, ok := suggestWriters[o.output]
	if !ok {
		return usageError("--output %q: write text, json or yaml", o.output)
	}
	p := newProgress(s.err)
	defer p.stop()
	if err := a.Traffic.read(ctx, paths, p); err != nil {
		return err
	}
	if err := a.find(ctx, p); err != nil {
		return err
	}
	p.stop()
	if err := write(s.out, a); err != nil {
		return err
	}
	return a.Traffic.tooManyBad()
}

// advice is what to suggest for a log.
type advice struct {
	Traffic     *traffic
	Aim         sim.Aim
	Target      string // the aim, in percent
	Periods     []time.Duration
	PeriodNames []string        // as they were given
	Algorithm   aforo.Algorithm // of the policy
	Shown       int             // of those touched
	Suggestions []sim.Suggestion
	Doubts      []string
}

// newAdvice checks the flags. Its errors are those of usage.
func (o suggestOptions) newAdvice() (*advice, error) {
	percent, err := parsePercent("target", o.target)
	if err != nil {
		return nil, err
	}
	a := &advice{Aim: sim.Aim{PPM: int64(math.Round(percent * 10_000))}, Target: shareText(percent), Shown: o.clients}
	switch {
	case float64(a.Aim.PPM) != percent*10_000 && math.Abs(float64(a.Aim.PPM)-percent*10_000) > 1e-6:
		return nil, usageError("--target %q: the finest share is 0.0001%%; for example: --target 0.1%%", o.target)
	case o.of != "clients" && o.of != "requests":
		return nil, usageError("--of %q: there are clients and requests; for example: --of requests", o.of)
	case o.clients < 0:
		return nil, usageError("--clients %d: it is a number of clients, 0 for none; for example: --clients 10", o.clients)
	case len(o.periods) == 0:
		return nil, usageError("--per names no period; for example: --per 1m,1h")
	}
	a.Aim.OfRequests = o.of == "requests"
	if a.Algorithm, err = aforo.ParseAlgorithm(o.algorithm); err != nil {
		return nil, errUsage{err}
	}
	for _, text := range o.periods {
		text = strings.TrimSpace(text)
		one, err := aforo.ParseLimit("1/" + text)
		switch {
		case err != nil || one.IsUnlimited() || strings.ContainsAny(text, " /,"):
			return nil, usageError("--per %q is no period; for example: --per 10s,1m,1h", text)
		case slices.Contains(a.Periods, one.Period()):
			return nil, usageError("--per %q stands there twice; for example: --per 10s,1m,1h", text)
		}
		a.Periods, a.PeriodNames = append(a.Periods, one.Period()), append(a.PeriodNames, text)
	}
	return a, nil
}

func (a *advice) find(ctx context.Context, p *progress) error {
	history, err := sim.NewHistory(a.Traffic.Keys(), func(use func(int64, uint32) error) error {
		return a.Traffic.Each(func(r trace.Request) error { return use(r.Time, r.Key) })
	})
	if err != nil {
		return err
	}
	a.Doubts = history.Doubts(a.Aim, a.Periods)
	if n := a.Traffic.Refused429 + a.Traffic.Refused503 + a.Traffic.Lines.Refused; n > 0 {
		a.Doubts = append(a.Doubts, "a limiter was there when the log was written: what clients did is what it let them do")
	}
	bar := p.finding(len(a.Periods) * len(aforo.Algorithms()))
	defer bar.done()
	a.Suggestions, err = sim.Suggest(ctx, history, a.Aim, a.Periods, func(found int) { bar.set(int64(found)) })
	return err
}

// chosen is what is suggested by the algorithm of the policy, for each period.
func (a *advice) chosen() (list []sim.Suggestion) {
	for _, s := range a.Suggestions {
		if s.Limit.Algorithm() == a.Algorithm {
			list = append(list, s)
		}
	}
	return list
}

// of is what is suggested for a period.
func (a *advice) of(period int) []sim.Suggestion {
	n := len(a.Suggestions) / len(a.Periods)
	return a.Suggestions[period*n : (period+1)*n]
}
