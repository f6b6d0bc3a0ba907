package trace

import (
	"strings"
	"testing"
)

// key returns the key of e under the description text.
func key(t *testing.T, text string, e *Entry) (string, bool) {
	t.Helper()
	k, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	b, complete := k.Append([]byte("kept:"), e)
	s, ok := strings.CutPrefix(string(b), "kept:")
	if !ok {
		t.Errorf("what was in the buffer is lost: %q", b)
	}
	return s, complete
}

func TestKeyIP(t *testing.T) {
	for client, want := range map[string]string{
		"192.0.2.1":              "192.0.2.1",
		"::ffff:192.0.2.1":       "192.0.2.1",
		"::FFFF:192.0.2.1":       "192.0.2.1",
		"::ffff:c000:201":        "192.0.2.1",
		"0:0:0:0:0:ffff:c000:2":  "192.0.0.2",
		"::ffff:192.0.2.1%eth0":  "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"2001:DB8:1:2::":         "2001:db8:1:2::/64",
		"2001:db8:0001:02::9":    "2001:db8:1:2::/64",
		"2001:db8::1":            "2001:db8::/64",
		"2001:db8::192.0.2.1":    "2001:db8::/64",
		"::1":                    "::/64",
		"fe80::1%eth0":           "fe80::/64",
		"fe80::2%2":              "fe80::/64",
		"client.example.net":     "client.example.net",
		"192.0.2.256":            "192.0.2.256",
		"192.0.2":                "192.0.2",
		"192.0.02.1":             "192.0.02.1",
		"1::2::3":                "1::2::3",
		"unix:":                  "unix:",
		"%":                      "%",
		"caf\xe9.example.net":    "caf\xe9.example.net",
		"2001:db8::1 is a name ": "2001:db8::1 is a name ",
	} {
		if got, complete := key(t, "ip", &Entry{Client: []byte(client)}); got != want || !complete {
			t.Errorf("%s: key %q, complete %v, want %q", client, got, complete, want)
		}
	}
}

func TestKey(t *testing.T) {
	full := &Entry{
		Client:    []byte("192.0.2.1"),
		User:      []byte("alice"),
		Host:      []byte("www.example.com"),
		Method:    []byte("GET"),
		Target:    []byte("/a|b?c=d?e"),
		Referer:   []byte("https://example.com/"),
		UserAgent: []byte(`Agent \"x\"`),
		Status:    404,
	}
	dashes := &Entry{Client: dash, User: dash, Host: dash, Method: dash, Target: dash, Referer: dash, UserAgent: dash}
	tests := []struct {
		text, canonical, want, missing string
	}{
		{"ip", "ip", "192.0.2.1", "-"},
		{"user", "user", "alice", "-"},
		{"host", "host", "www.example.com", "-"},
		{"path", "path", "/a|b", "-"},
		{"method", "method", "GET", "-"},
		{"status", "status", "404", "-"},
		{"header User-Agent", "header User-Agent", `Agent \"x\"`, "-"},
		{"header:user-agent", "header User-Agent", `Agent \"x\"`, "-"},
		{" header \t REFERER ", "header Referer", "https://example.com/", "-"},
		{"header : referer", "header Referer", "https://example.com/", "-"},
		{"ip+path", "ip+path", `192.0.2.1|/a\|b`, "-|-"},
		{"method + status + header User-Agent", "method+status+header User-Agent", `GET|404|Agent \\"x\\"`, "-|-|-"},
	}
	for _, test := range tests {
		if got, complete := key(t, test.text, full); got != test.want || !complete {
			t.Errorf("%s: key %q, complete %v, want %q", test.text, got, complete, test.want)
		}
		for _, e := range []*Entry{{}, dashes} {
			if got, complete := key(t, test.text, e); got != test.missing || complete {
				t.Errorf("%s: key %q, complete %v of a line without it, want %q", test.text, got, complete, test.missing)
			}
		}
		k, _ := ParseKey(test.text)
		if k.String() != test.canonical {
			t.Errorf("%s: canonically %q, want %q", test.text, k, test.canonical)
		}
		if again, err := ParseKey(k.String()); err != nil || again.String() != k.String() {
			t.Errorf("%s: read again: %q, error %v", k, again, err)
		}
	}
}

// TestKeyPartlyMissing: a request that lacks one value of two still counts
// under the other.
func TestKeyPartlyMissing(t *testing.T) {
	got, complete := key(t, "ip+user", &Entry{Client: []byte("192.0.2.1"), User: dash})
	if got != "192.0.2.1|-" || complete {
		t.Errorf("key %q, complete %v", got, complete)
	}
}

func TestParseKeyErrors(t *testing.T) {
	for text, want := range map[string][]string{
		"":                  {`key ""`, "empty", `"ip"`},
		"ip+":               {`key "ip+", part 2`, "empty"},
		"ip+foo":            {`key "ip+foo", part 2: "foo" is unknown`, "ip, user, host, path", `"ip+path"`},
		"IP":                {`"IP" is unknown`},
		"ip path":           {`"ip path" is unknown`},
		"ip+path+ip":        {`part 3: "ip" stands there twice`, `"ip+path"`},
		"header":            {"lacks the name", `"header User-Agent"`},
		"header:":           {"lacks the name", `"header User-Agent"`},
		"header X-Api-Key":  {`no header "X-Api-Key"`, "just User-Agent and Referer", `"header User-Agent"`},
		"header:Cookie":     {`no header "Cookie"`},
		"headers":           {`"headers" is unknown`},
		"header-User-Agent": {`"header-User-Agent" is unknown`},
	} {
		_, err := ParseKey(text)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %v, want %s in it", text, err, part)
			}
		}
	}
}
