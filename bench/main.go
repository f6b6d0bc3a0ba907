// Command bench measures Aforo's in-process store beside other limiters for
// Go, all in one run, and writes what it finds as tables, as a file of results
// and as a page with pictures.
package main

import (
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
	was, err := runJob()
	if !was {
		err = command(os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick, report bool
	only, out     string
	reps          int
	from, page    string
}

func command(args []string, stdout, stderr io.Writer) error {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.quick, "quick", false, "sizes so small that it takes seconds: shows that it works, not how fast")
	flags.StringVar(&o.only, "only", "", "measure only these `sections`, separated by commas: "+strings.Join(sectionNames(), ", "))
	flags.IntVar(&o.reps, "reps", 0, "`repetitions`, whose median counts (default 5, 2 with -quick)")
	flags.StringVar(&o.out, "out", "", "`file` of the results (default results/<date>-<cpu>.json; none with -quick or -only)")
	flags.BoolVar(&o.report, "report", false, "measure nothing; render a page from a file of results")
	flags.StringVar(&o.from, "from", "", "the `file` to render with -report (default the newest in results)")
	flags.StringVar(&o.page, "page", "../docs/PERFORMANCE.md", "the `page` to write with -report; pictures go beside it")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.report:
		return o.render(stdout)
	}
	return o.measure(stdout, stderr)
}

func (o options) measure(stdout, stderr io.Writer) error {
	r, err := o.newRun(stderr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s, %d cores, %s, load %s\n", r.Machine.CPU, r.Machine.Cores, r.Machine.Go, r.Machine.LoadBefore)
	if err := r.measure(); err != nil {
		return err
	}
	r.Machine.LoadAfter, r.Warnings = host.Load(), r.warnings()
	r.Seconds = time.Since(r.Date).Seconds()
	printResults(stdout, &r.Results)
	path := o.out
	if path == "" && !o.quick && o.only == "" { // a part must not take the place of the whole
		path = filepath.Join("results", r.Machine.FileName(r.Date.Format(time.DateOnly)))
	}
	if path == "" {
		return nil
	}
	fmt.Fprintln(stdout, "\nresults:", path)
	return saveResults(path, &r.Results)
}

func (o options) newRun(progress io.Writer) (*run, error) {
	r := &run{progress: progress, wrong: map[string]float64{}}
	r.Date, r.Quick, r.Machine, r.Peers = time.Now().UTC(), o.quick, host.This(), peerInfos()
	r.Sizes = fullSizes()
	if o.quick {
		r.Sizes = quickSizes()
	}
	if o.reps > 0 {
		r.Sizes.Reps = o.reps
	}
	if o.only != "" {
		r.only = strings.Split(o.only, ",")
	}
	for _, name := range r.only {
		if !slices.Contains(sectionNames(), name) {
			return nil, fmt.Errorf("there is no section %q; there are %s", name, strings.Join(sectionNames(), ", "))
		}
	}
	return r, nil
}

func printResults(w io.Writer, r *Results) {
	fmt.Fprintf(w, "Median of %d repetitions, least-most, and times as much as Aforo. LESS marks a peer that costs less.\n", r.Sizes.Reps)
	for i := range r.Sections {
		printSection(w, r, &r.Sections[i])
	}
	fmt.Fprintln(w)
	for _, p := range r.Peers {
		if !p.Yardstick {
			fmt.Fprintf(w, "%s: %s %s\n", p.Name, p.Module, p.Version)
		}
	}
	for _, text := range r.Warnings {
		fmt.Fprintln(w, "WARNING:", text)
	}
	if r.Quick {
		fmt.Fprintln(w, "\nThis was a quick run: its figures say nothing.")
	}
}
