package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/sim"
	"github.com/aforo-dev/aforo/trace"
)

// trafficFlags say how logs become requests with keys. The commands that read
// logs have them in common.
type trafficFlags struct {
	key  string // default: ip
	zone string // default: UTC
}

// addTrafficFlags adds the flags to a command.
func addTrafficFlags(cmd *cobra.Command) *trafficFlags {
	o := new(trafficFlags)
	f := cmd.Flags()
	f.StringVar(&o.key, "key", "ip", "whose requests count together")
	f.StringVar(&o.zone, "tz", "UTC", "time zone of time stamps that have none")
	return o
}

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
	Files []string
	By    trace.Key
	Zone  string
	Lines trace.Report
	NoKey int64 // requests that lack a part of the key

	location *time.Location
}

// newTraffic checks the flags, and has no requests yet. Its errors are those of
// usage.
func (o *trafficFlags) newTraffic() (*traffic, error) {
	key, err := trace.ParseKey(o.key)
	if err != nil {
		return nil, errUsage{err}
	}
	zone, err := time.LoadLocation(o.zone)
	if err != nil {
		return nil, usageError("--tz %q: there is no such time zone; for example: Europe/Madrid", o.zone)
	}
	return &traffic{Requests: trace.NewRequests(0), By: key, Zone: o.zone, location: zone}, nil
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
		return noRequests(paths, &t.Lines)
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
	reader := trace.NewReader(name, in, trace.Options{Location: t.location})
	bar := p.reading(name, size)
	defer bar.done()
	var e trace.Entry
	var key []byte
	for n := 0; reader.Next(&e); n++ {
		var complete bool
		if key, complete = t.By.Append(key[:0], &e); !complete {
			t.NoKey++
		}
		if err := t.Add(&e, key); err != nil {
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
	t.Lines.Add(reader.Report())
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
