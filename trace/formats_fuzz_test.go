package trace

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzFormats: no line makes a parser of any format panic, change the line, or
// say what cannot be.
func FuzzFormats(f *testing.F) {
	for _, line := range []string{
		validLine("192.0.2.1"),
		`{"time":"2015-05-17T10:05:03Z","client_ip":"\u00e9\ud83d\ude00\ud83d","request":{"uri":["/","b"]},"a":[{},[1]]}`,
		"#Fields: date time c-ip cs-uri-stem cs-uri-query\n2015-05-17 10:05:03 192.0.2.1 / a",
		"time,client\n1431857103.5,\"a\"\"b\"",
		`h2 2026-03-02T10:00:00Z app/w/4 192.0.2.1:4 - -1 0.1 1e2 200 - 34 366 "GET http://x/ HTTP/1.1" "c" - - a "R" "d" "-" 0 2026-03-02T10:00:00Z`,
		`2026-03-02T10:00:00Z web 192.0.2.1:2817 - 0 0 0 200 200 0 29 "GET ws://x/a?b HTTP/1.1" "c" - -`,
		`o b [02/Mar/2026:10:00:00 +0000] 192.0.2.1 r i O k "GET / HTTP/1.1" 200 - 1 1 7 5 "r" "a" -`,
		`x haproxy[1]: ::1:33 [02/Mar/2026:10:00:00.6] w a/b 1/0/3/6/1 200 2 - - ---- 1/1/1/1/0 0/0 "GET /"`,
		`[2026-03-02T10:00:02.000Z] "G" 418 - v - "-" 0 1 3 2 "-" "c" "8" "h:8" "1" o 1 2 10.0.0.1:4 -`,
		`2026/03/02 10:00:00 [e] limiting requests, excess: 5 by zone "l", client: ::1, request: "GET /`,
		`a b [2026-03-02 10:00:00] [router:x] [origin:y] [client: ::1] [useragent: z] GET / 404`,
		"2025-12-31T17:40:00.000000100+01:00 stdout F {}",
	} {
		f.Add([]byte(line))
	}
	own, err := ParseFormat(`$remote_addr "$http_user_agent" <$time>$x`)
	if err != nil {
		f.Fatal(err)
	}
	places, err := ParseFormat("csv time=3 client=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, format := range append(slices.Clone(formats), own, places) {
			parse := format.parse(nil)
			for _, line := range bytes.Split(log, []byte("\n")) {
				before := bytes.Clone(line)
				var e Entry
				err := parse(line, &e)
				if !bytes.Equal(line, before) {
					t.Fatalf("%s changes the line", format)
				}
				if err == nil && (len(e.Client) == 0 || e.Status < 0 || e.Status > 999) {
					t.Errorf("%s reads %q as %+v", format, line, e)
				}
				const first, last = -62135596800_000000, 253402300799_999999
				if err == nil && (e.Time < first-1e15 || e.Time > last) {
					t.Errorf("%s reads the time of %q as %d", format, line, e.Time)
				}
			}
		}
		readClients(NewReader("x", bytes.NewReader(log), Options{}))
	})
}

// FuzzJSON compares with encoding/json: what is valid has the same values, by
// the same escapes.
func FuzzJSON(f *testing.F) {
	f.Add("192.0.2.1", `a\"b`, `{"x":[1,{"client_ip":"no"}]}`)
	f.Add("caf\u00e9 \U0001f600", "/\t", `[null,true,-1.5e3,"\\"]`)
	f.Fuzz(func(t *testing.T, client, target, other string) {
		if !utf8.ValidString(client) || !utf8.ValidString(target) || !json.Valid([]byte(other)) || strings.ContainsAny(other, "\n\r") || client == "" || target == "" || client == "-" || target == "-" {
			return
		}
		head, err := json.Marshal(map[string]any{"client": client, "path": target, "time": 1431857103})
		if err != nil {
			t.Fatal(err)
		}
		line := `{"other":` + other + "," + string(head[1:])
		if strings.Count(other, "{")+strings.Count(other, "[") >= maxDepth {
			return
		}
		var e Entry
		if err := newJSONParser(jsonColumns, nil).parse([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if host, _ := cutPort([]byte(client)); string(e.Client) != string(host) || string(e.Target) != target || e.Time != tenOhFive*1e6 {
			t.Errorf("%s: got client %q, target %q, time %d", line, e.Client, e.Target, e.Time)
		}
	})
}

// FuzzCSV compares with encoding/csv.
func FuzzCSV(f *testing.F) {
	f.Add("192.0.2.1", `a"b,c`)
	f.Add("", " x ")
	f.Fuzz(func(t *testing.T, user, target string) {
		if strings.ContainsAny(user+target, "\n\r") {
			return
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.WriteAll([][]string{{"time", "user", "path", "client"}, {"1431857103", user, target, "192.0.2.1"}})
		heading, line, _ := strings.Cut(strings.TrimSuffix(b.String(), "\n"), "\n")
		parse := newCSVParser(csvColumns, nil).parse
		var e Entry
		if err := parse([]byte(heading), &e); err != errHeading {
			t.Fatal(err)
		}
		if err := parse([]byte(line), &e); err != nil || string(e.User) != user || string(e.Target) != target || string(e.Client) != "192.0.2.1" {
			t.Errorf("%q: got user %q, target %q, client %q, %v", line, e.User, e.Target, e.Client, err)
		}
	})
}
