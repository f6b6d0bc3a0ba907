package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/trace"
)

// trafficFlags say how logs become requests with keys. The commands that read
// logs have them in common.
type trafficFlags struct {
	key     string   // default: ip
	routes  []string // default: none
	missing string   // default: together
	zone    string   // default: UTC
	format  string   // default: auto
	exclude []string // default: none
	only    []string // default: all
	maxBad  string   // default: 1%
}

// addTrafficFlags adds the flags to a command.
func addTrafficFlags(cmd *cobra.Command) *trafficFlags {
	o := new(trafficFlags)
	f := cmd.Flags()
	f.StringVar(&o.key, "key", "ip", "whose requests count together")
	f.StringArrayVar(&o.routes, "route", nil, `pattern that stands for the paths it matches in keys, such as "/users/*"; may be given several times (default none)`)
	f.StringVar(&o.missing, "missing", "together", "requests that lack a part of the key: count them together, or skip them")
	f.StringVar(&o.zone, "tz", "UTC", "time zone of time stamps that have none")
	f.StringVar(&o.format, "format", "auto", "format of the logs, by its name or as a pattern; auto recognises it")
	f.StringSliceVar(&o.exclude, "exclude-status", nil, "statuses of requests to leave out, such as 429,503 or 5xx (default none)")
	f.StringSliceVar(&o.only, "only-status", nil, "statuses of requests to replay, and no others (default all)")
	f.StringVar(&o.maxBad, "max-bad", "1%", "how many of the lines may be no requests before the exit code is 1")
	return o
}

// newTraffic checks the flags, and has no requests yet. Its errors are those of
// usage.
func (o *trafficFlags) newTraffic() (*traffic, error) {
	key, err := trace.ParseKey(o.key)
	if err != nil {
		return nil, errUsage{err}
	}
	routes, err := trace.ParseRoutes(o.routes)
	if err != nil {
		return nil, errUsage{err}
	}
	if len(o.routes) > 0 && !key.Has("path") {
		return nil, usageError("--route is for keys with a path, which %s has not; for example: --key ip+path", key)
	}
	zone, err := time.LoadLocation(o.zone)
	if err != nil {
		return nil, usageError("--tz %q: there is no such time zone; for example: Europe/Madrid", o.zone)
	}
	format, err := trace.ParseFormat(o.format)
	if err != nil {
		return nil, errUsage{err}
	}
	t := &traffic{By: key.WithRoutes(routes), Zone: o.zone,
		options: trace.Options{Location: zone, Format: format, Decompressors: []trace.Decompressor{unzstd}}}
	if t.exclude, err = parseStatuses("exclude-status", o.exclude); err != nil {
		return nil, err
	}
	if t.only, err = parseStatuses("only-status", o.only); err != nil {
		return nil, err
	}
	if t.maxBad, err = parsePercent("max-bad", o.maxBad); err != nil {
		return nil, err
	}
	if t.skipMissing = o.missing == "skip"; !t.skipMissing && o.missing != "together" {
		return nil, usageError("--missing %q: there are together and skip; for example: --missing skip", o.missing)
	}
	t.Requests = trace.NewRequests(0)
	return t, nil
}

// unzstd reads zstd in the goroutine that asks, so that nothing has to be closed.
var unzstd = trace.Decompressor{Name: "zstd", Magic: []byte("\x28\xb5\x2f\xfd"),
	Open: func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) }}

// statuses is a set of status codes, of which some are whole classes.
type statuses []string

// parseStatuses reads codes such as 429, and classes such as 5xx.
func parseStatuses(flag string, texts []string) (list statuses, err error) {
	for _, text := range texts {
		text = strings.ToLower(strings.TrimSpace(text))
		code := strings.TrimSuffix(text, "xx")
		n, err := strconv.Atoi(code)
		if err != nil || len(text) != 3 || n < 1 || code == text && n < 100 || strings.HasPrefix(code, "+") {
			return nil, usageError("--%s %q: a status has three digits, of which the last two may be xx; for example: --%s 429,5xx", flag, text, flag)
		}
		list = append(list, text)
	}
	return list, nil
}

func (s statuses) has(status int) bool {
	if len(s) == 0 {
		return false
	}
	code := strconv.Itoa(status)
	return len(code) == 3 && (slices.Contains(s, code) || slices.Contains(s, code[:1]+"xx"))
}

func (s statuses) String() string { return strings.Join(s, ", ") }

// parsePercent reads a share such as 1% or 0.5%, as a number from 0 to 100.
func parsePercent(flag, text string) (float64, error) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || !(value >= 0 && value <= 100) {
		return 0, usageError("--%s %q is no share from 0%% to 100%%; for example: --%s 1%%", flag, text, flag)
	}
	return value, nil
}

func shareText(percent float64) string {
	return fmt.Sprint(strconv.FormatFloat(percent, 'f', -1, 64), " %")
}
