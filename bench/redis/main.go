// Command redis measures Aforo's Redis store beside other limiters for Go that
// keep their state in Redis, and beside what their clients can do at best, with
// one redis-server, in one run.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/host"
)

func main() {
	if err := command(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "redis:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick, report   bool
	repetitions     int
	only            string
	out, from, page string
}

const usage = `Usage: go run ./redis [flags]

It starts a redis-server of its own (or a valkey-server) on a free port, which
keeps nothing on disk, and measures for about six minutes.

  go run ./redis -quick                  seconds: shows that it works, its figures say nothing
  go run ./redis                         writes redis/results/<date>-<cpu>.json
  go run ./redis -only speed,refused     some sections, into no file unless -out names one
  go run ./redis -repetitions 25 -out mine.json
  go run ./redis -report                 ../docs/REDIS-PERFORMANCE.md, from the newest results

`

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("redis", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.quick, "quick", false, "sizes so small that it takes seconds: shows that it works, not how fast")
	flags.StringVar(&o.only, "only", "", "measure only these `sections`, separated by commas: "+strings.Join(sectionNames(), ", "))
	flags.IntVar(&o.repetitions, "repetitions", 0, "`rounds`, whose median counts (default 11, 2 with -quick)")
	flags.StringVar(&o.out, "out", "", "`file` of the results (default redis/results/<date>-<cpu>.json; none with -quick or -only)")
	flags.BoolVar(&o.report, "report", false, "measure nothing; render a page from a file of results")
	flags.StringVar(&o.from, "from", "", "the `file` to render with -report (default the newest in redis/results)")
	flags.StringVar(&o.page, "page", "../docs/REDIS-PERFORMANCE.md", "the `page` to write with -report")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.repetitions < 0:
		return fmt.Errorf("-repetitions %d: at least 1; for example: 11", o.repetitions)
	case o.report:
		return o.render(stdout)
	}
	return o.measure(ctx, stdout, stderr)
}

func (o options) measure(ctx context.Context, stdout, stderr io.Writer) error {
	var only []string
	if o.only != "" {
		only = strings.Split(o.only, ",")
	}
	for _, name := range only {
		if !slices.Contains(sectionNames(), name) {
			return fmt.Errorf("-only: there is no section %q; there are %s", name, strings.Join(sectionNames(), ", "))
		}
	}
	server, err := startServer()
	if err != nil {
		return err
	}
	defer server.stop()
	r := &run{server: server, sizes: fullSizes(), only: only, progress: stderr}
	if o.quick {
		r.sizes = quickSizes()
	}
	if o.repetitions > 0 {
		r.sizes.Repetitions = o.repetitions
	}
	r.Date, r.Machine, r.Sizes, r.Quick = time.Now().UTC(), host.This(), r.sizes, o.quick
	if r.Server, err = server.version(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s, %d cores, %s, %s, load %s\n", r.Machine.CPU, r.Machine.Cores, r.Machine.Go, r.Server, r.Machine.LoadBefore)
	if err := r.measure(ctx); err != nil {
		return err
	}
	r.Machine.LoadAfter, r.Seconds = host.Load(), time.Since(r.Date).Seconds()
	writeReport(stdout, &r.Results)
	path := o.out
	if path == "" && !o.quick && o.only == "" { // a part must not take the place of the whole
		path = filepath.Join(resultsFolder, r.Machine.FileName(r.Date.Format(time.DateOnly)))
	}
	if path == "" {
		return nil
	}
	fmt.Fprintln(stdout, "\nresults:", path)
	return r.save(path)
}
