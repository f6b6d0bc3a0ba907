package trace

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// FuzzParseCombined checks that no line makes the parser panic, write to the
// line, or return what is not in it.
func FuzzParseCombined(f *testing.F) {
	for _, line := range []string{
		validLine("192.0.2.1"),
		`www.example.com:80 [2001:db8::1]:99 - "" [17/May/2015 10:05:03.25+02:00] "\"" - - "`,
		`192.0.2.1 [203.0.113.7, x] - a b [7/may/2015:10:05:60 Z]"GET /x" 404`,
		`[Fri Sep 09 10:42:29 2011] [error] x`,
		`2021/12/01 13:53:33 [error] x`,
		"\x00\x00[[]]\\\"",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		var e Entry
		err := ParseCombined(line, &e, nil)
		if !bytes.Equal(line, before) {
			t.Fatal("the line was changed")
		}
		if err != nil {
			return
		}
		for _, field := range [][]byte{e.Client, e.User, e.Host, e.Method, e.Target, e.Referer, e.UserAgent} {
			if !bytes.Contains(line, field) && !bytes.Equal(field, dash) {
				t.Errorf("%q is not in the line %q", field, line)
			}
		}
		if e.Status < 0 || e.Status > 999 {
			t.Errorf("status %d", e.Status)
		}
		if e.Time%1e6 != 0 && bytes.Count(line, []byte("."))+bytes.Count(line, []byte(",")) == 0 {
			t.Errorf("time %d from a line without a fraction", e.Time)
		}
	})
}

// FuzzRoundTrip makes a valid line and checks that its client and time come
// back, whatever the client chose as its user name and request.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{192, 0, 2, 1}, int64(tenOhFive*1e6), 120, "alice", "GET / HTTP/1.1", byte(0))
	f.Add([]byte{198, 51, 100, 7}, int64(-1), -720, "x [01/Jan/2000:00:00:00 +0000] y", `" [`, byte(1))
	f.Add(netip.MustParseAddr("2001:db8::1").AsSlice(), int64(1e15+123456), 345, `"`, `\`, byte(5))
	f.Fuzz(func(t *testing.T, ip []byte, micros int64, offset int, user, request string, form byte) {
		addr, ok := netip.AddrFromSlice(ip)
		at := time.UnixMicro(micros % 2e17).In(time.FixedZone("", offset%(24*60)*60))
		if !ok || at.Year() < 0 || at.Year() > 9999 {
			return
		}
		// What a server does: %q escapes quotes and backslashes. A user is not
		// in quotes, but escaped alike.
		user = strings.Trim(fmt.Sprintf("%q", "x"+user), `"`)
		client := []string{addr.String(), "[" + addr.String() + "]:99", "www.example.com:80 " + addr.String()}[form%3]
		layout := []string{"[02/Jan/2006:15:04:05.000000 -0700]", "[2/Jan/2006 15:04:05.000000-07:00]"}[form/3%2]
		line := fmt.Sprintf("%s - %s %s %q 200 12", client, user, at.Format(layout), request)

		var e Entry
		if err := ParseCombined([]byte(line), &e, nil); err != nil {
			t.Fatalf("%s\n%v", line, err)
		}
		if string(e.Client) != addr.String() || e.Time != at.UnixMicro() || e.Status != 200 {
			t.Errorf("%s\ngot %s, %d, %d, want %s, %d, 200", line, e.Client, e.Time, e.Status, addr, at.UnixMicro())
		}
		if string(e.User) != user && !strings.Contains(user, " ") {
			t.Errorf("%s\ngot user %q, want %q", line, e.User, user)
		}
	})
}

// FuzzReader checks that every line is counted as one thing, and that a log
// reads the same compressed.
func FuzzReader(f *testing.F) {
	f.Add([]byte(validLine("192.0.2.1") + "\n\r\n\xef\xbb\xbf\nx"))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add(gzipped(f, []byte(validLine("192.0.2.1")+"\n"), []byte("\nx")))
	f.Fuzz(func(t *testing.T, log []byte) {
		plain := NewReader("x", bytes.NewReader(log), Options{})
		clients := strings.Join(readClients(plain), "\n")
		report := plain.Report()
		if report.Lines != report.Entries+report.Empty+report.Other+report.Bad || report.NoZone > report.Entries {
			t.Errorf("report %+v", report)
		}
		if _, compressed, _ := decompress(bytes.NewReader(log), nil); compressed {
			return
		}
		lines := int64(bytes.Count(log, []byte("\n")))
		if len(log) > 0 && log[len(log)-1] != '\n' {
			lines++
		}
		if plain.Err() != nil || report.Lines != lines {
			t.Errorf("%d lines, want %d; error %v", report.Lines, lines, plain.Err())
		}
		zipped := NewReader("x", bytes.NewReader(gzipped(t, log)), Options{})
		if again := strings.Join(readClients(zipped), "\n"); again != clients || zipped.Err() != nil {
			t.Errorf("compressed: clients %q, want %q, error %v", again, clients, zipped.Err())
		}
		checkReport(t, zipped.Report(), report)
	})
}

// FuzzAddress checks the recognition of addresses against package netip.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"192.0.2.1", "192.0.02.1", "2001:db8::1", "::", "::ffff:192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "fe80::1%a:b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		addr, err := netip.ParseAddr(s)
		if is4 := err == nil && addr.Is4(); isIPv4([]byte(s)) != is4 {
			t.Errorf("isIPv4(%q) is %v", s, !is4)
		}
		if err == nil && addr.Is6() && !looksLikeIPv6([]byte(s)) {
			t.Errorf("looksLikeIPv6(%q) is false", s)
		}
	})
}

// FuzzKey checks that the keys of two tuples are equal only if the tuples are.
func FuzzKey(f *testing.F) {
	f.Add("a|", "b", "a", "|b")
	f.Add(`a\`, "b", "a", `\|b`)
	f.Add("-", "", "", "-")
	k, err := ParseKey("user+host")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, user1, host1, user2, host2 string) {
		one, _ := k.Append(nil, &Entry{User: []byte(user1), Host: []byte(host1)})
		two, _ := k.Append(nil, &Entry{User: []byte(user2), Host: []byte(host2)})
		known := func(s string) string {
			if s == "" {
				return "-" // both are a missing value
			}
			return s
		}
		same := known(user1) == known(user2) && known(host1) == known(host2)
		if bytes.Equal(one, two) != same {
			t.Errorf("(%q, %q) gives %q, (%q, %q) gives %q", user1, host1, one, user2, host2, two)
		}
	})
}
