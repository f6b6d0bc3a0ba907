package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

type compareOptions struct {
	shape     string        // default: none; a shape, a scenario or logs are required
	scenario  string        // default: none
	limits    []string      // default: those of the scenario, else at least one is required
	traffic   *trafficFlags // how logs become requests
	seed      uint64        // default: 1
	instances string        // default: those of the scenario, else 1
	decisions int           // default: 0
	plot      bool          // default: true
	output    string        // default: text
}

func newCompareCommand(s streams) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare {LOG... | --shape TRAFFIC | --scenario NAME} --limit LIMIT",
		Short: "See algorithms side by side on one traffic",
		Long: `Compare plays one traffic through limits over virtual time, and shows side by
side what each does to it: how many pass, the most that passes in any one
window, how long clients wait and starve, what an exact log decides otherwise,
and what a client takes in memory. A limit that names no algorithm is
played by all five.

The traffic is a shape, a scenario, or the requests of access logs (as replay
reads them; - is standard input). Shapes are

  steady 50/s for 1m                      evenly spaced
  poisson 50/s for 1m                     independent of each other
  burst 100 every 10s for 1m              all at once; over 2s spreads each
  sine 10/s to 90/s every 20s for 1m      rising and falling
  flash crowd 5/s to 500/s at 20s for 1m  suddenly many, who lose interest
  window edge 100 every 1m for 3m         100 before each edge, 100 after it
  zipf 1.1 clients 1000 200/s for 1m      many clients, some far busier
  visits 600/h clients 500 for 4h         people on a website
  retry storm clients 50 obey for 2m      who is refused comes back; or ignore
  at 0s*6 5s 9.999s 10s                   one by one; *6 is six at once

with clients 20, one key, own keys, cost 5 or cost 1..9, as NAME, joined by then
and and: see docs/COMPARE.md. The same shape with the same seed sends the same
requests.

--instances "4" plays four instances with a store each, behind a load balancer;
"4 shared latency 1ms..5ms" one store for all. Other words are random (the load
balancer chooses), skew 2s and own clocks.`,
		Example: `  aforo compare --shape "poisson 2/s for 10m" --limit "100/m burst 20"
  aforo compare --scenario window-edge
  aforo compare --scenario list
  aforo compare access.log --limit 60/m --limit "10/s, 100/m" --key ip+path
  aforo compare --shape "retry storm clients 50 obey for 2m" --limit 5/s --instances "4 shared latency 1ms..5ms"
  aforo compare --shape "burst 100 every 10s for 1m" --limit 300/m -o html | tee burst.html`,
		Args: cobra.ArbitraryArgs, // runCompare words the error
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), s, args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.shape, "shape", "", `traffic that is made up, such as "poisson 50/s for 1m" (default none)`)
	f.StringVar(&o.scenario, "scenario", "", "a scenario's name; list shows them (default none)")
	f.StringArrayVar(&o.limits, "limit", nil, `limit to play, such as "100/m burst 20"; may be given several times (default that of the scenario)`)
	f.Uint64Var(&o.seed, "seed", 1, "chooses what is drawn")
	f.StringVar(&o.instances, "instances", "", `who decides, such as "4 shared latency 1ms..5ms" (default that of the scenario, or 1)`)
	f.IntVar(&o.decisions, "decisions", 0, "print so many decisions of each limit, with their reasons (default 0)")
	f.BoolVar(&o.plot, "plot", true, "draw the rates, in the output text")
	f.StringVarP(&o.output, "output", "o", "text", "text, json, csv or html")
	o.traffic = addTrafficFlags(cmd)
	return cmd
}

func runCompare(ctx context.Context, s streams, paths []string, o compareOptions) error {
	if err := oneTraffic(o, paths); err != nil {
		return errUsage{err}
	}
	if o.scenario == "list" {
		return listScenarios(s)
	}
	write, ok := compareWriters[o.output]
	switch {
	case !ok:
		return usageError("--output %q: write text, json, csv or html", o.output)
	case o.decisions < 0 || o.decisions > sim.MaxEvents:
		return usageError("--decisions %d: the smallest is 0, the largest %d; for example: --decisions 20", o.decisions, sim.MaxEvents)
	}
	c := &comparison{Seed: o.seed, plot: o.plot}
	if err := c.settle(o, paths); err != nil {
		return errUsage{err}
	}
	p := newProgress(s.err)
	defer p.stop()
	if err := c.load(ctx, o, paths, p); err != nil {
		return err
	}
	step := c.step(o.output)
	for _, limits := range c.limits {
		if err := c.run(ctx, limits, sim.Options{Seed: o.seed, Instances: c.Instances, Step: step, Events: o.decisions}, p); err != nil {
			return err
		}
	}
	p.stop()
	if err := write(s.out, c); err != nil || c.logs == nil {
		return err
	}
	return c.logs.tooManyBad()
}

// compareSteps is into how many stretches of time each form divides the rates,
// at most, and how many requests there should be in each of them.
var compareSteps = map[string]struct{ most, requests int }{"text": {60, 4}, "json": {60, 4}, "html": {240, 1}}

// comparison is a traffic and what each limit did to it.
type comparison struct {
	Scenario  *sim.Scenario
	Shape     *sim.Shape
	Traffic   string // as people would call it
	Notes     []string
	Seed      uint64
	Instances sim.Instances
	Results   []sim.Result

	limits   []aforo.Limits
	logs     *traffic     // if it is no shape
	recorded *sim.Traffic // their requests
	plot     bool
}

// settle finds out what to compare, before anything takes long. Its errors are
// those of usage.
func (c *comparison) settle(o compareOptions, paths []string) (err error) {
	switch {
	case o.scenario != "":
		scenario, err := sim.FindScenario(o.scenario)
		if err != nil {
			return err
		}
		c.Scenario, c.Shape, c.limits, c.Instances = &scenario, &scenario.Shape, scenario.Limits, scenario.Instances
	case o.shape != "":
		shape, err := sim.ParseShape(o.shape)
		if err != nil {
			return err
		}
		c.Shape = &shape
	}
	if len(o.limits) > 0 || c.Scenario == nil {
		if c.limits, err = replayColumns(o.limits); err != nil {
			return err
		}
	}
	if o.instances != "" {
		c.Instances, err = sim.ParseInstances(o.instances)
	}
	return err
}

// oneTraffic wants one of the three.
func oneTraffic(o compareOptions, paths []string) error {
	var given []string
	if len(paths) > 0 {
		given = append(given, "a log")
	}
	if o.shape != "" {
		given = append(given, "--shape")
	}
	if o.scenario != "" {
		given = append(given, "--scenario")
	}
	const good = `; for example: aforo compare --shape "poisson 2/s for 10m" --limit "100/m burst 20"`
	switch {
	case len(given) == 0:
		return errors.New("no traffic was named" + good)
	case len(given) > 1:
		return fmt.Errorf("%s exclude each other: name one traffic%s", strings.Join(given, " and "), good)
	case len(paths) > 0:
		return logArguments(`compare LOG --limit "100/m burst 20"`)(nil, paths)
	}
	return nil
}

// load reads the logs, if the traffic is no shape.
func (c *comparison) load(ctx context.Context, o compareOptions, paths []string, p *progress) error {
	if c.Shape != nil {
		c.Traffic = c.Shape.String()
		return nil
	}
	var err error
	if c.logs, err = o.traffic.newTraffic(); err != nil {
		return err
	}
	defer c.logs.close()
	if err := c.logs.read(ctx, paths, p); err != nil {
		return err
	}
	c.Traffic, c.Notes = "by "+c.logs.By.String()+": "+strings.Join(c.logs.Files, ", "), c.logs.notes()
	c.recorded, err = c.logs.inMemory(ctx)
	return err
}

// step is how long the stretches of time are for which rates are told: a round
// time, in which some requests come, so that rates are not 0 most of the time.
func (c *comparison) step(output string) time.Duration {
	lasts, requests := c.size()
	steps, ok := compareSteps[output]
	if !ok {
		return 0 // it tells no rates
	}
	switch most := min(steps.most, requests/steps.requests); {
	case lasts == 0: // all at once
		return time.Second
	case most > 0:
		lasts /= time.Duration(most)
	}
	for unit := time.Microsecond; unit < time.Minute; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit >= lasts && n*unit <= 20*time.Second {
				return n * unit
			}
		}
	}
	for _, minutes := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440} {
		if minutes*time.Minute >= lasts {
			return minutes * time.Minute
		}
	}
	return lasts
}

// size is how long the traffic takes, and how many requests it has, if clients
// do not act on answers.
func (c *comparison) size() (lasts time.Duration, requests int) {
	if c.Shape != nil {
		return c.Shape.Duration(), c.Shape.Requests()
	}
	first, last := c.recorded.Span()
	return last.Sub(first), c.recorded.Len()
}

// run plays the traffic through one limit, or several together.
func (c *comparison) run(ctx context.Context, limits aforo.Limits, options sim.Options, p *progress) error {
	_, requests := c.size()
	bar := p.playing(limits.String(), int64(requests))
	defer bar.done()
	options.Progress = func(decided int) { bar.set(int64(decided)) }
	var load sim.Load = c.recorded
	if c.Shape != nil {
		load = *c.Shape
	}
	result, err := sim.Run(ctx, load, limits, options)
	c.Results = append(c.Results, result)
	return err
}

// varies tells whether limits saw different requests, since clients act on
// answers.
func (c *comparison) varies() bool {
	return slices.ContainsFunc(c.Results, func(r sim.Result) bool { return requests(r) != requests(c.Results[0]) })
}

// delays tells whether any limit held requests back.
func (c *comparison) delays() bool {
	return slices.ContainsFunc(c.Results, func(r sim.Result) bool { return r.LongestDelay > 0 })
}

func requests(r sim.Result) int { return r.Allowed + r.Refused }

func listScenarios(s streams) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, scenario := range sim.Scenarios() {
		fmt.Fprintf(w, "%s\t%s\n", scenario.Name, scenario.Title)
	}
	return w.Flush()
}
