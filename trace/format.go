package trace

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// errOther is what a parser says of a line that belongs to its format and is no
// request, such as a heading: no cause for concern.
var errOther = errors.New("not a request")

// A parser reads one line, without its ending, into an entry that is zero. It
// may keep what earlier lines said about later ones, and is for one log.
type parser func(line []byte, e *Entry) error

// A Format is how the lines of a log are to be read. The zero Format finds out
// by itself, from the first lines.
type Format struct {
	name  string
	title string
	parse func(loc *time.Location) parser

	// titleOf is a more particular title for a log that begins with a line.
	titleOf func(line []byte) string

	// alone says that the format is not looked for among the lines of others.
	alone bool
}

// String returns the name by which [ParseFormat] knows the format, or the text
// that describes it.
func (f Format) String() string {
	if f.name == "" {
		return "auto"
	}
	return f.name
}

// Title returns the format in words, such as "Envoy's default text"; for the
// zero Format, "recognised by the first lines".
func (f Format) Title() string {
	if f.name == "" {
		return "recognised by the first lines"
	}
	return f.title
}

// Combined is the common or combined log format of Apache and nginx, as
// [ParseCombined] reads it: what a log is taken for of which no line can be read.
var Combined = Format{name: "combined", title: "common or combined (Apache, nginx)", parse: stateless(ParseCombined)}

// formats are the formats that are recognised, the more particular ones first:
// a line is of the first that can read it.
var formats = []Format{
	{name: "json", title: "JSON", parse: func(loc *time.Location) parser { return newJSONParser(jsonColumns, loc).parse }, titleOf: titleOfJSON},
	{name: "w3c", title: "W3C extended (IIS, CloudFront)", parse: newW3CParser},
	{name: "csv", title: "CSV", parse: func(loc *time.Location) parser { return newCSVParser(csvColumns, loc).parse }, alone: true},
	{name: "alb", title: "AWS Application Load Balancer", parse: stateless(parseALB)},
	{name: "elb", title: "AWS Classic Load Balancer", parse: stateless(parseELB)},
	{name: "s3", title: "AWS S3", parse: stateless(parseS3)},
	{name: "haproxy", title: "HAProxy HTTP", parse: stateless(parseHAProxy)},
	{name: "envoy", title: "Envoy's default text", parse: stateless(parseEnvoy)},
	{name: "zoraxy", title: "Zoraxy", parse: func(loc *time.Location) parser { return zoraxy.parser(loc) }},
	{name: "nginx-error", title: "nginx error log", parse: stateless(parseNginxError), alone: true},
	Combined,
}

func stateless(parse func([]byte, *Entry, *time.Location) error) func(*time.Location) parser {
	return func(loc *time.Location) parser {
		return func(line []byte, e *Entry) error { return parse(line, e, loc) }
	}
}

// FormatNames are the names of the formats that are known, as [ParseFormat]
// reads them.
func FormatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// ParseFormat reads the description of a format. It is one of
//
//	auto                       recognised by the first lines; the empty text too
//	combined, json, alb ...    one of FormatNames
//	json client=req.ip ...     JSON with columns by these names
//	csv time=when client=2     CSV with columns by their names or, if a number is
//	                           among them and there is no heading, places
//	$remote_addr [$time] ...   a pattern, as nginx has it in log_format
//
// The columns of JSON and CSV that may be named are time, client, user, host,
// method, target, request (a whole request line), status, referer and agent;
// what is not named is looked for by its usual names. A column of nested JSON is
// named by its path with points. In a pattern, the names that nginx uses and
// these same ones, with a dollar sign, stand for a value up to the text that
// follows, and unknown ones for a value that does not matter; time and client
// must be there.
//
// The error says what is wrong, and what would be right.
func ParseFormat(text string) (Format, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "auto" {
		return Format{}, nil
	}
	if strings.Contains(text, "$") {
		return parsePattern(text)
	}
	name, mapping, mapped := strings.Cut(text, " ")
	for _, f := range formats {
		if f.name != name && !(name == "jsonl" && f.name == "json") {
			continue
		}
		if !mapped {
			return f, nil
		}
		return f.withColumns(strings.Fields(mapping))
	}
	return Format{}, fmt.Errorf(`format %q: %q is unknown; known are auto, %s, "csv time=when client=addr", or a pattern such as '$remote_addr [$time_local] "$request" $status'`,
		text, name, strings.Join(FormatNames(), ", "))
}

// withColumns is JSON or CSV with names for its columns.
func (f Format) withColumns(pairs []string) (Format, error) {
	if f.name != "json" && f.name != "csv" {
		return Format{}, fmt.Errorf(`format %q: only json and csv have columns to be named; for example: "csv time=when client=addr"`, f.name)
	}
	base := map[string]columns{"json": jsonColumns, "csv": csvColumns}[f.name]
	named, places, err := base.with(pairs)
	if err != nil {
		return Format{}, fmt.Errorf("format %q: %w", f.name+" "+strings.Join(pairs, " "), err)
	}
	custom := Format{name: f.name + " " + strings.Join(pairs, " "), title: f.title}
	switch {
	case f.name == "json" && places != nil:
		return Format{}, fmt.Errorf(`format %q: a column of JSON has a name, not a place; for example: "json client=req.ip"`, custom.name)
	case f.name == "json":
		custom.parse = func(loc *time.Location) parser { return newJSONParser(named, loc).parse }
	default:
		custom.parse = func(loc *time.Location) parser {
			p := newCSVParser(named, loc)
			p.slots = places
			return p.parse
		}
	}
	return custom, nil
}
