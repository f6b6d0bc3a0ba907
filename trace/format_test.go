package trace

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// entries reads lines in a format.
func entries(t *testing.T, format string, lines ...string) (list []string, r *Reader) {
	t.Helper()
	f, err := ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	r = NewReader("test.log", strings.NewReader(strings.Join(lines, "\n")), Options{Format: f})
	var e Entry
	for r.Next(&e) {
		if e.Time != tenOhFive*1e6 {
			t.Errorf("time %d", e.Time)
		}
		list = append(list, strings.Join([]string{string(e.Client), string(e.User), string(e.Host), string(e.Method), string(e.Target), string(appendStatus(nil, e.Status)),
			string(e.Referer), string(e.UserAgent)}, " | "))
	}
	return list, r
}

func TestFormatOfOnesOwn(t *testing.T) {
	for _, test := range []struct {
		name, format string
		lines, want  []string
		bad          int64
	}{
		{"pattern", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$gzip_ratio"`,
			[]string{`192.0.2.1 - al ice [17/May/2015:10:05:03 +0000] "GET /\"a HTTP/1.1" 200 5 "-" "Agent" "-"`,
				`192.0.2.2 - - [17/May/2015:10:05:03 +0000] "GET / HT`,
				`192.0.2.3 - - [17/May/2015`},
			[]string{`192.0.2.1 | al ice |  | GET | /\"a | 200 | - | Agent`, `192.0.2.2 | - |  | GET | / HT |  |  | `}, 1},
		{"pattern that begins with text", `<$time> client=$client path=$path;$nothing`,
			[]string{`<1431857103> client=192.0.2.1:99 path=/a;b;c`, `<1431857103> client=192.0.2.1`, `<1431857103>`, ``, `x`},
			[]string{`192.0.2.1 |  |  |  | /a |  |  | `, `192.0.2.1 |  |  |  |  |  |  | `}, 2},
		{"JSON with names", "json client=req.addr time=At user=api_key",
			[]string{`{"At":"2015-05-17T10:05:03Z","time":"2020-01-01T00:00:00Z","req":{"addr":"192.0.2.1"},"client_ip":"192.0.2.9","API_KEY":"k1","status":200}`},
			[]string{`192.0.2.1 | k1 |  |  |  | 200 |  | `}, 0},
		{"CSV with names", "csv client=addr time=when",
			[]string{`addr,when,status`, `192.0.2.1,2015-05-17T10:05:03Z,429`, `192.0.2.2,,429`},
			[]string{`192.0.2.1 |  |  |  |  | 429 |  | `}, 1},
		{"CSV with places", "csv client=2 time=1 path=4 status=3",
			[]string{`1431857103|192.0.2.1|429|/a`, `1431857103|192.0.2.2`},
			[]string{`192.0.2.1 |  |  |  | /a | 429 |  | `, `192.0.2.2 |  |  |  |  |  |  | `}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, r := entries(t, test.format, test.lines...)
			if !slices.Equal(got, test.want) || r.Report().Bad != test.bad {
				t.Errorf("got\n%s\nwant\n%s\n%+v", strings.Join(got, "\n"), strings.Join(test.want, "\n"), r.Report())
			}
		})
	}
}

// TestFormatByName: a format that is named is not looked for.
func TestFormatByName(t *testing.T) {
	for _, name := range FormatNames() {
		f, err := ParseFormat(" " + name + " ")
		if err != nil || f.String() != name || f.Title() == "" {
			t.Errorf("%s: %v, %q, %v", name, f, f.Title(), err)
		}
	}
	line := validLine("192.0.2.1")
	if got, r := entries(t, "haproxy", line); len(got) != 0 || r.Format() != "HAProxy HTTP" || r.Report().Bad != 1 {
		t.Errorf("got %q, %+v", got, r.Report())
	}
	for _, auto := range []string{"", "auto"} {
		f, err := ParseFormat(auto)
		if err != nil || f.String() != "auto" {
			t.Errorf("%v, %v", f, err)
		}
	}
}

func TestParseFormatErrors(t *testing.T) {
	for text, want := range map[string]string{
		"xml":                    "known are auto, json, w3c",
		"combined client=a":      "only json and csv",
		"csv client":             "client=addr",
		"csv cookie=2":           "client=addr",
		"csv client=":            "client=addr",
		"csv client=2":           "time=1 client=2",
		"csv time=0 client=1":    "from 1 to 1000",
		"json time=1 client=2":   "not a place",
		"$remote_addr $status":   "$time_local",
		"$time_local":            "$remote_addr",
		"$remote_addr$time":      "some text in front of $time",
		"$remote_addr $ [$time]": "without a name",
	} {
		if _, err := ParseFormat(text); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "format ") {
			t.Errorf("%q: error %v, want %s in it", text, err, want)
		}
	}
}

// TestMostLinesDecide: a format is that of most of the first lines, and lines of
// another are still read.
func TestMostLinesDecide(t *testing.T) {
	combined, jsonLine := validLine("192.0.2.1"), `{"time":"2015-05-17T10:05:03Z","client_ip":"192.0.2.2"}`
	for _, test := range []struct {
		lines []string
		want  string
		bad   int64
	}{
		{[]string{"garbage", combined, jsonLine, combined}, Combined.Title() + ", JSON", 1},
		{[]string{combined, jsonLine, jsonLine, ""}, "JSON, " + Combined.Title(), 0},
		{[]string{"garbage", "more"}, Combined.Title(), 2},
		{[]string{""}, Combined.Title(), 0},
	} {
		_, r := entries(t, "", test.lines...)
		if r.Format() != test.want || r.Report().Bad != test.bad {
			t.Errorf("%q: %s, %+v", test.lines, r.Format(), r.Report())
		}
	}
}

// TestSampleIsCutShort: the last line of the sample, which is not whole, does
// not vote; lines of another format after it are bad.
func TestSampleIsCutShort(t *testing.T) {
	var log bytes.Buffer
	n := 0
	for ; log.Len() < sampleSize+1000; n++ {
		log.WriteString(validLine("192.0.2.1") + strings.Repeat("x", 997) + "\n")
	}
	log.WriteString(`{"time":"2015-05-17T10:05:03Z","client_ip":"192.0.2.2"}`)
	r := NewReader("test.log", &log, Options{})
	clients := readClients(r)
	if len(clients) != n || r.Format() != Combined.Title() || r.Report().Bad != 1 {
		t.Errorf("%d of %d, %s, %+v", len(clients), n, r.Format(), r.Report())
	}
}

func TestLineAfterContainerRuntime(t *testing.T) {
	for line, want := range map[string]string{
		"2025-12-31T17:40:00.000000100+01:00 stdout F x": "x",
		"2025-12-31T17:40:00.000000100Z stderr P  x y":   " x y",
		"2025-12-31T17:40:00.000000100Z stdin F x":       "2025-12-31T17:40:00.000000100Z stdin F x",
		"2025-12-31T17:40:00.000000100Z stdout F":        "2025-12-31T17:40:00.000000100Z stdout F",
		"2025-12-31T17:40:00.000000100Z stdout":          "2025-12-31T17:40:00.000000100Z stdout",
		"":                                               "",
	} {
		if got := trimPrefix([]byte(line)); string(got) != want {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// TestKeysKeepTheirBytes: what is not UTF-8 is kept, in every format.
func TestKeysKeepTheirBytes(t *testing.T) {
	for _, line := range []string{
		"caf\xe9 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
		`{"time":"2015-05-17T10:05:03Z","client_ip":"caf` + "\xe9" + `"}`,
		`{"time":"2015-05-17T10:05:03Z","agent":"\\","client_ip":"caf` + "\xe9" + `"}`,
		"time,client\n2015-05-17T10:05:03Z,caf\xe9",
		"#Fields: date time c-ip\n2015-05-17 10:05:03 caf\xe9",
	} {
		got, _ := entries(t, "", line)
		if len(got) != 1 || !strings.HasPrefix(got[0], "caf\xe9 |") {
			t.Errorf("%q gives %q", line, got)
		}
	}
}

// TestFormatAllocs: a line costs no memory of its own in any format.
func TestFormatAllocs(t *testing.T) {
	for _, line := range []string{
		`{"ts":1431857103.5,"request":{"client_ip":"192.0.2.1","method":"GET","uri":"/","headers":{"User-Agent":["a"]}},"status":200}`,
		"2015-05-17\t10:05:03\tMAD\t703\t192.0.2.1\tGET\td1\t/a\t200\t-\tcurl\tq=1",
		`192.0.2.1:33317 [02/Mar/2026:10:00:00.655] www app/a1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`,
		`[2026-03-02T10:00:00.310Z] "POST / HTTP/2" 204 - 154 0 226 100 "192.0.2.1" "agent/1" "id" "host" "tcp://10.0.2.1:80"`,
	} {
		r := NewReader("test.log", strings.NewReader(strings.Repeat(line+"\n", 3000)), Options{})
		var e Entry
		r.Next(&e)
		if n := testing.AllocsPerRun(1000, func() { r.Next(&e) }); n > 0 {
			t.Errorf("%v allocations for %s", n, line)
		}
	}
}

func BenchmarkFormats(b *testing.B) {
	for name, line := range map[string]string{
		"JSON":    `{"level":"info","ts":1431857103.5,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","client_ip":"192.0.2.1","proto":"HTTP/1.1","method":"GET","host":"example.com","uri":"/","headers":{"User-Agent":["curl/8"],"Accept":["*/*"]}},"bytes_read":0,"user_id":"","duration":0.000002701,"size":0,"status":200,"resp_headers":{"Server":["Caddy"]}}`,
		"ALB":     `http 2026-03-02T10:00:00.463821Z app/web/490d68edf04676fe 192.0.2.1:44740 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET http://www.example.com:80/ HTTP/1.1" "curl/8.5.0" - - arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" "-" "-" 0 2026-03-02T10:00:00.461000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`,
		"HAProxy": `192.0.2.1:33317 [02/Mar/2026:10:00:00.655] www app/a1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`,
	} {
		b.Run(name, func(b *testing.B) {
			const lines = 20_000
			benchmarkLog(b, []byte(strings.Repeat(line+"\n", lines)), lines, func(*Entry) {})
		})
	}
}
