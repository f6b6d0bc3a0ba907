package trace

import (
	"strings"
	"testing"
)

// tenOhFive is 17 May 2015, 10:05:03 UTC, in seconds since the Unix epoch.
const tenOhFive = 1431857103

// TestParseCombined has one line for each variant seen in the wild. Fields that
// a test leaves out are to be empty; the time is tenOhFive unless given.
func TestParseCombined(t *testing.T) {
	const at = `[17/May/2015:10:05:03 +0000]`
	type want struct{ client, user, host, method, target, referer, agent string }
	tests := []struct {
		name   string
		line   string
		want   want
		status int
	}{
		{"combined", `192.0.2.1 - - ` + at + ` "GET /a?b=c HTTP/1.1" 200 12 "https://example.com/" "Agent/1.0 (x)"`,
			want{"192.0.2.1", "-", "", "GET", "/a?b=c", "https://example.com/", "Agent/1.0 (x)"}, 200},
		{"common", `192.0.2.1 - alice ` + at + ` "POST /login HTTP/1.0" 401 -`,
			want{"192.0.2.1", "alice", "", "POST", "/login", "", ""}, 401},
		{"extra fields", `192.0.2.1 - - ` + at + ` "GET / HTTP/2.0" 200 12 "-" "Agent" "203.0.113.7" rt=0.012 5ms`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent"}, 200},
		{"extra field in front of the referer", `192.0.2.1 - - ` + at + ` "GET / HTTP/2.0" 200 12 0.012 "-" "Agent"`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent"}, 200},
		{"only spaces around", " \t192.0.2.1  -\t- " + at + `  "GET / HTTP/1.1"  200  12 `,
			want{"192.0.2.1", "-", "", "GET", "/", "", ""}, 200},
		{"no ident", `192.0.2.1 - ` + at + ` "GET / HTTP/1.1" 200 12 "-" "Agent"`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent"}, 200},
		{"client only", `192.0.2.1 ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "", "", "GET", "/", "", ""}, 200},

		{"client by name and port only", `client.example.net:99 ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "", "", "GET", "/", "", ""}, 200},
		{"virtual host", `www.example.com 192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "www.example.com", "GET", "/", "", ""}, 200},
		{"virtual host and port", `www.example.com:80 192.0.2.1 - bob ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "bob", "www.example.com", "GET", "/", "", ""}, 200},
		{"virtual host named by its address", `192.0.2.80:443 203.0.113.7 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"203.0.113.7", "-", "192.0.2.80", "GET", "/", "", ""}, 200},
		{"virtual host named by its IPv6 address", `[2001:db8::80]:443 2001:db8::1 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"2001:db8::1", "-", "2001:db8::80", "GET", "/", "", ""}, 200},
		{"virtual host not known", `- 192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "-", "GET", "/", "", ""}, 200},
		{"virtual host, extra field", `example.com 192.0.2.10 - req001 - ` + at + ` "HELP" 400 157 "-" "-"`,
			want{"192.0.2.10", "-", "example.com", "-", "HELP", "-", "-"}, 400},
		{"virtual host, client by name", `www.example.com:80 client.example.net - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "-", "www.example.com", "GET", "/", "", ""}, 200},
		{"virtual host without port, client by name", `www.example.com client.example.net - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "-", "www.example.com", "GET", "/", "", ""}, 200},

		{"client by name", `client.example.net - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "-", "", "GET", "/", "", ""}, 200},
		{"client by name, user with spaces", `client.example.net - mary ann ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "mary ann", "", "GET", "/", "", ""}, 200},
		{"client not known", `- - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"-", "-", "", "GET", "/", "", ""}, 200},
		{"client is a socket", `unix: - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"unix:", "-", "", "GET", "/", "", ""}, 200},
		{"client with port", `192.0.2.1:5123 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "", "GET", "/", "", ""}, 200},
		{"client by name with port", `client.example.net:5123 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "-", "", "GET", "/", "", ""}, 200},
		{"neither host nor client known", `- - - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"-", "-", "", "GET", "/", "", ""}, 200},
		{"virtual host and port, client not known", `www.example.com:80 - - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"-", "-", "www.example.com", "GET", "/", "", ""}, 200},
		{"virtual host and port, client by name, no ident", `www.example.com:80 client.example.net - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"client.example.net", "-", "www.example.com", "GET", "/", "", ""}, 200},
		{"IPv6", `2001:db8::1 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"2001:db8::1", "-", "", "GET", "/", "", ""}, 200},
		{"IPv6 in brackets", `[2001:db8::1] - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"2001:db8::1", "-", "", "GET", "/", "", ""}, 200},
		{"IPv6 in brackets with port", `[2001:db8::1]:443 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"2001:db8::1", "-", "", "GET", "/", "", ""}, 200},
		{"IPv6 with zone", `fe80::1%eth0 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"fe80::1%eth0", "-", "", "GET", "/", "", ""}, 200},
		{"forwarded address in brackets", `192.0.2.1 [203.0.113.7] - carol ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "carol", "", "GET", "/", "", ""}, 200},
		{"forwarded addresses in brackets", `192.0.2.1:99 [203.0.113.7, 198.51.100.2] - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "", "GET", "/", "", ""}, 200},
		{"list of forwarded addresses", `203.0.113.7, 198.51.100.2 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"203.0.113.7", "-", "", "GET", "/", "", ""}, 200},
		{"quoted list of forwarded addresses", `"203.0.113.7, 198.51.100.2" - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"203.0.113.7", "-", "", "GET", "/", "", ""}, 200},
		{"prefix of a log collector", `May 17 10:05:03 web1 nginx: 192.0.2.1 - dave ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "dave", "", "GET", "/", "", ""}, 200},
		{"user with an empty name", `192.0.2.1 - "" ` + at + ` "GET / HTTP/1.1" 401 12`,
			want{"192.0.2.1", "", "", "GET", "/", "", ""}, 401},
		{"hole of a truncated file", "\x00\x00\x00192.0.2.1 - - " + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "", "GET", "/", "", ""}, 200},

		{"escaped quotes", `192.0.2.1 - - ` + at + ` "GET /\"x\" HTTP/1.1" 404 1 "\"" "a \\\"b\\\\"`,
			want{"192.0.2.1", "-", "", "GET", `/\"x\"`, `\"`, `a \\\"b\\\\`}, 404},
		{"no closing quote at the end", `192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" 200 12 "-" "Agent (`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent ("}, 200},
		{"cut short in the request", `192.0.2.1 - - ` + at + ` "GET /ind`,
			want{"192.0.2.1", "-", "", "GET", "/ind", "", ""}, 0},
		{"cut short after the time", `192.0.2.1 - - ` + at,
			want{"192.0.2.1", "-", "", "-", "", "", ""}, 0},
		{"torn line", `192.0.2.9 - - [17/May/2192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" 200 12`,
			want{"192.0.2.9", "-", "", "GET", "/", "", ""}, 200},

		{"TLS hello", `192.0.2.1 - - ` + at + ` "\x16\x03\x01\x00 \x02" 400 226 "-" "-"`,
			want{"192.0.2.1", "-", "", "-", `\x16\x03\x01\x00 \x02`, "-", "-"}, 400},
		{"binary request", "192.0.2.1 - - " + at + " \"\x00\xff\xfe\t[x\" 400 226",
			want{"192.0.2.1", "-", "", "-", "\x00\xff\xfe\t[x", "", ""}, 400},
		{"words that are not HTTP", `192.0.2.1 - - ` + at + ` "EHLO mail.example.com" 400 157`,
			want{"192.0.2.1", "-", "", "-", "EHLO mail.example.com", "", ""}, 400},
		{"request empty", `192.0.2.1 - - ` + at + ` "" 400 0 "-" "-"`,
			want{"192.0.2.1", "-", "", "-", "", "-", "-"}, 400},
		{"request not known", `192.0.2.1 - - ` + at + ` "-" 408 - "-" "-"`,
			want{"192.0.2.1", "-", "", "-", "-", "-", "-"}, 408},
		{"request without protocol", `192.0.2.1 - - ` + at + ` "GET /x?cmd=ls -al&y" 400 226`,
			want{"192.0.2.1", "-", "", "GET", "/x?cmd=ls -al&y", "", ""}, 400},
		{"spaces in the target", `192.0.2.1 - - ` + at + ` "GET /a b HTTP/1.1" 400 226`,
			want{"192.0.2.1", "-", "", "GET", "/a b", "", ""}, 400},
		{"other targets", `192.0.2.1 - - ` + at + ` "CONNECT www.example.com:443 HTTP/1.1" 405 226`,
			want{"192.0.2.1", "-", "", "CONNECT", "www.example.com:443", "", ""}, 405},
		{"status not known", `192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" - - "-" "Agent"`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent"}, 0},
		{"status missing", `192.0.2.1 - - ` + at + ` "GET / HTTP/1.1" "-" "Agent"`,
			want{"192.0.2.1", "-", "", "GET", "/", "-", "Agent"}, 0},

		{"user that looks like a time", `192.0.2.1 - x [01/Jan/2000:00:00:00 +0000] ` + at + ` "GET / HTTP/1.1" 401 12`,
			want{"192.0.2.1", "x [01/Jan/2000:00:00:00 +0000]", "", "GET", "/", "", ""}, 401},
		{"user that looks like a client", `client.example.net - 203.0.113.7 ` + at + ` "GET / HTTP/1.1" 401 12`,
			want{"client.example.net", "203.0.113.7", "", "GET", "/", "", ""}, 401},
		{"request that looks like a line", `192.0.2.1 - - ` + at + ` "GET /\" 203.0.113.7 - - [01/Jan/2000:00:00:00 +0000] \"GET / HTTP/1.1" 200 12`,
			want{"192.0.2.1", "-", "", "GET", `/\" 203.0.113.7 - - [01/Jan/2000:00:00:00 +0000] \"GET /`, "", ""}, 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e Entry
			if err := ParseCombined([]byte(test.line), &e, nil); err != nil {
				t.Fatalf("%s\nerror: %v", test.line, err)
			}
			got := want{string(e.Client), string(e.User), string(e.Host), string(e.Method), string(e.Target), string(e.Referer), string(e.UserAgent)}
			if got != test.want {
				t.Errorf("%s\ngot  %q\nwant %q", test.line, got, test.want)
			}
			if e.Status != test.status {
				t.Errorf("status %d, want %d", e.Status, test.status)
			}
			if e.Time != tenOhFive*1e6 || e.NoZone {
				t.Errorf("time %d, no zone %v, want %d, false", e.Time, e.NoZone, int64(tenOhFive*1e6))
			}
		})
	}
}

func TestParseCombinedErrors(t *testing.T) {
	tests := []struct {
		line string
		want error
	}{
		{``, ErrNoTime},
		{`-`, ErrNoTime},
		{"\x00\x00\x00", ErrNoTime},
		{`192.0.2.1 - - "GET / HTTP/1.1" 200 12`, ErrNoTime},
		{`192.0.2.1 - - [17/Foo/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12`, ErrNoTime},
		{`192.0.2.1 - - [17/May/2015:10:05:03 +00`, ErrNoTime},
		{`192.0.2.1 - - "[17/May/2015:10:05:03 +0000]" 200 12`, ErrNoTime},
		{`{"client":"192.0.2.1"}`, ErrNoTime},
		{`[17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12`, ErrNoClient},
		{" \t[17/May/2015:10:05:03 +0000]", ErrNoClient},
		{"\x00[17/May/2015:10:05:03 +0000]", ErrNoClient},
		{`2021/12/01 13:53:33 [error] 31#31: *46 open() failed, client: 192.0.2.1, request: "GET /[17/May/2015:10:05:03 +0000] HTTP/1.1"`, ErrErrorLog},
		{`2021/12/01 13:53:33 [`, ErrNoTime},
		{`[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 7] [client 192.0.2.1:72] File does not exist`, ErrErrorLog},
		{`[Fri Sep 09 10:42:29 2011] [error] [client 192.0.2.1] File does not exist`, ErrErrorLog},
		{`[abc def`, ErrNoTime},
	}
	for _, test := range tests {
		var e Entry
		if err := ParseCombined([]byte(test.line), &e, nil); err != test.want {
			t.Errorf("%s\ngot  %v\nwant %v", test.line, err, test.want)
		}
	}
}

// TestParseCombinedStale checks that nothing of one line is left for the next.
func TestParseCombinedStale(t *testing.T) {
	var e Entry
	full := `www.example.com 192.0.2.1 - eve [17/May/2015:10:05:03] "GET / HTTP/1.1" 200 12 "-" "Agent"`
	if err := ParseCombined([]byte(full), &e, nil); err != nil {
		t.Fatal(err)
	}
	if err := ParseCombined([]byte(`192.0.2.2 [17/May/2015:10:05:03 +0000]`), &e, nil); err != nil {
		t.Fatal(err)
	}
	if e.NoZone || e.Status != 0 || len(e.User)+len(e.Host)+len(e.Referer)+len(e.UserAgent) > 0 {
		t.Errorf("fields of the line before are left: %+v", e)
	}
}

// TestParseCombinedLinear checks that lines made to be slow are not: the time
// of a quadratic parser would make the test run for minutes.
func TestParseCombinedLinear(t *testing.T) {
	for _, piece := range []string{`"`, `\"`, `\`, `[`, `[17/May/2015:10:05:03.`, `[17/May/2015:10:05:03] `, `1.2.3.4 `, `:`, ` `, `- `} {
		line := []byte(strings.Repeat(piece, MaxLine/len(piece)))
		var e Entry
		ParseCombined(line, &e, nil)
		ParseCombined(append(line, ` [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1"`...), &e, nil)
	}
}
