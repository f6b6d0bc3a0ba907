package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/sim"
	"github.com/aforo-dev/aforo/trace"
)

// logArguments wants at least one log, and standard input once at most. The
// example of a good command has LOG in the place of one.
func logArguments(example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		stdin := 0
		for _, path := range args {
			if path == "-" {
				stdin++
			}
		}
		switch {
		case len(args) == 0:
			return usageError(`no log was named; for example: aforo %s`, strings.Replace(example, "LOG", "access.log", 1))
		case stdin > 1:
			return usageError(`- is named %d times, and standard input can be read only once; for example: aforo %s`, stdin, strings.Replace(example, "LOG", "-", 1))
		}
		return nil
	}
}

// traffic is what logs turned out to hold: their requests, in order of time.
// They are in memory up to a bound, and in a temporary file beyond it, which
// close gives back.
type traffic struct {
	*trace.Requests
	Files   []string
	Formats []string // of each file, in words
	By      trace.Key
	Zone    string
	Lines   trace.Report
	NoKey   int64 // requests that lack a part of the key
	LeftOut int64 // requests left out for their status

	// Refused429 and Refused503 are requests with a status that limiters give,
	// left out or not.
	Refused429, Refused503 int64

	options       trace.Options
	exclude, only statuses
	skipMissing   bool
	maxBad        float64 // of all lines, in percent
}

func (t *traffic) close() { _ = t.Requests.Close() }

// read adds the requests of all files. That there are none at all is an error.
func (t *traffic) read(ctx context.Context, paths []string, p *progress) error {
	for _, path := range paths {
		if err := t.readFile(ctx, path, p); err != nil {
			return err
		}
	}
	if t.Len() == 0 {
		return t.noRequests()
	}
	return nil
}

func (t *traffic) readFile(ctx context.Context, path string, p *progress) error {
	in, size, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	name := path
	if path == "-" {
		name = "standard input"
	}
	reader := trace.NewReader(name, in, t.options)
	bar := p.reading(name, size)
	defer bar.done()
	var e trace.Entry
	var key []byte
	for n := 0; reader.Next(&e); n++ {
		if key, err = t.add(&e, key[:0]); err != nil {
			return err
		}
		if n&0xfff == 0 {
			bar.set(reader.Consumed())
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	t.Files = append(t.Files, name)
	t.Formats = append(t.Formats, reader.Format())
	t.Lines.Add(reader.Report())
	return reader.Err()
}

// add adds a request, unless it is to be left out. The key is appended to space.
func (t *traffic) add(e *trace.Entry, space []byte) ([]byte, error) {
	switch e.Status {
	case 429:
		t.Refused429++
	case 503:
		t.Refused503++
	}
	if t.exclude.has(e.Status) || t.only != nil && !t.only.has(e.Status) {
		t.LeftOut++
		return space, nil
	}
	key, complete := t.By.Append(space, e)
	if !complete {
		if t.NoKey++; t.skipMissing {
			return key, nil
		}
	}
	return key, t.Add(e, key)
}

// noRequests says why there is nothing to play.
func (t *traffic) noRequests() error {
	const good = `; for example: 192.0.2.1 - - [17/May/2026:10:05:03 +0000] "GET / HTTP/1.1" 200 512`
	lines := &t.Lines
	switch {
	case lines.Entries > 0 && t.LeftOut == lines.Entries:
		return fmt.Errorf("none of the %s has a status that is to be replayed; see --exclude-status and --only-status", count(lines.Entries, "request"))
	case lines.Entries > 0:
		return fmt.Errorf("none of the %s has %s; without --missing skip they count together", count(lines.Entries, "request"), t.By)
	case len(lines.FirstBad) > 0:
		return fmt.Errorf("none of the %d lines is a request of an access log. The first is %v%s", lines.Lines-lines.Empty, lines.FirstBad[0], good)
	case lines.Other > 0:
		return fmt.Errorf("%s: there are no requests in it; its format is %s", t.Files[0], t.Formats[0])
	}
	return fmt.Errorf("%s: there are no lines in it: a line of an access log is a request%s", t.Files[0], good)
}

// tooManyBad is the error that ends a command, after its output, if more lines
// were no requests than may be.
func (t *traffic) tooManyBad() error {
	lines := &t.Lines
	if float64(lines.Bad)*100 <= t.maxBad*float64(lines.Bad+lines.Entries) {
		return nil
	}
	format := t.Formats[slices.Index(t.Files, lines.FirstBad[0].File)]
	return fmt.Errorf("%d of %s (%s) could not be read, more than the %s of --max-bad. The format that fits best is %s; another may be named by --format",
		lines.Bad, count(lines.Bad+lines.Entries, "line"), percent(lines.Bad, lines.Bad+lines.Entries), shareText(t.maxBad), format)
}

// inMemory is the requests for those who go through them many times, 16 bytes
// each.
func (t *traffic) inMemory(ctx context.Context) (*sim.Traffic, error) {
	all, n := new(sim.Traffic), 0
	err := t.Each(func(r trace.Request) error {
		all.Add(r.Time, []byte(t.Key(r.Key)))
		if n++; n&0xfff == 0 {
			return ctx.Err()
		}
		return nil
	})
	return all, err
}
