package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo"
)

func TestDefaultIsValid(t *testing.T) {
	if c := Default(); len(c.Policies) != 3 {
		t.Errorf("%d policies, want 3", len(c.Policies))
	}
}

// What is accepted, as the limits that come of it.
func TestParse(t *testing.T) {
	tests := []struct {
		name, file, want string
	}{
		{"one", "policies:\n  a:\n    limit: 100/minute burst 20\n", "a=100/m burst 20"},
		{"several", "policies:\n  a:\n    limits: [leaky_bucket 2/s burst 10, 500/day]\n", "a=leaky_bucket 2/s burst 10, 500/d"},
		{"several in one text", `policies: {a: {limit: "10/s burst 20, 1000/h"}}`, "a=10/s burst 20, 1000/h"},
		{"list in lines", "policies:\n  a:\n    limits:\n    - 10/s\n    - 'fixed_window 5/m'\n", "a=10/s, fixed_window 5/m"},
		{"file order", "policies:\n  z: {limit: 1/s}\n  a: {limit: 2/s}\n", "z=1/s; a=2/s"},
		{"listen", "listen: '[::1]:0' # here\npolicies: {a: {limit: 1/s}}", "[::1]:0 a=1/s"},
		{"zero refuses", "policies: {ban: {limit: 0/min}}", ""},
		{"zero", "policies: {ban: {limit: 0/m}}", "ban=0/m"},
		{"unlimited", "policies: {free: {limit: unlimited}}", "free=unlimited"},
		{"anchor of a limit", "policies:\n  a: {limit: &l 5/m}\n  b: {limit: *l}\n", "a=5/m; b=5/m"},
		{"anchor of a policy", "policies:\n  a: &p\n    limit: 5/m\n  b: *p\n", "a=5/m; b=5/m"},
		{"merge", "policies:\n  a: &p\n    limit: 5/m\n  b:\n    <<: *p\n  c: {<<: *p, limit: 6/m}\n", "a=5/m; b=5/m; c=6/m"},
		{"merge of policies", "policies:\n  <<: &all {x: {limit: 1/s}}\n  y: {limit: 2/s}\n", "y=2/s; x=1/s"},
		{"a tag", "policies: {a: {limit: !!str 5/m}}", "a=5/m"},
		{"folded", "policies:\n  a:\n    limit: >-\n      100/minute\n      burst 20\n", "a=100/m burst 20"},
		{"windows", "\ufeffpolicies:\r\n  a:\r\n    limit: 5/m\r\n", "a=5/m"},
		{"names", "policies:\n  404: {limit: 1/s}\n  true: {limit: 2/s}\n  \"a b\\\"c\": {limit: 3/s}\n", `404=1/s; true=2/s; a b"c=3/s`},
		{"document marks", "%YAML 1.2\n---\npolicies: {a: {limit: 5/m}}\n...\n", "a=5/m"},
		{"empty documents", "---\npolicies: {a: {limit: 5/m}}\n---\n", "a=5/m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("f", []byte(tt.file))
			got := ""
			if err == nil {
				got = summary(c)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q; error: %v", got, tt.want, err)
			}
		})
	}
}

func summary(c *Config) string {
	var all []string
	for _, p := range c.Policies {
		all = append(all, p.Name+"="+p.Limits.String())
	}
	return strings.TrimSpace(c.Listen + " " + strings.Join(all, "; "))
}

// What is refused: the place, and what the message must name.
func TestParseErrors(t *testing.T) {
	limit := func(l string) string { return "policies:\n  a:\n    limit: " + l + "\n" }
	tests := []struct {
		name, file, place string
		want              []string
	}{
		{"empty", "", "f:1:1: ", []string{"empty", "policies:"}},
		{"comment only", "# policies:\n", "f:1:1: ", []string{"empty"}},
		{"no policies", "listen: :8080\n", "f:1:1: policies: ", []string{"none"}},
		{"null policies", "policies:\n", "f:1:1: policies: ", []string{"none", "limit: 100/minute burst 20"}},
		{"empty policies", "policies: {}\n", "f:1:1: policies: ", []string{"none"}},
		{"policies is a list", "policies:\n  - a\n", "f:2:3: policies: ", []string{"a list", "mapping"}},
		{"a scalar", "hello\n", "f:1:1: ", []string{`"hello"`, "mapping"}},
		{"two documents", "policies: {a: {limit: 5/m}}\n---\npolicies: {}\n", "f:3:", []string{"second document"}},
		{"unknown field", "policies: {a: {limit: 5/m}}\nlistne: :1\n", "f:2:1: ", []string{`"listne"`, "listen, store, on_store_failure and policies"}},
		{"unknown policy field", "policies:\n  a:\n    limt: 5/m\n", "f:3:5: policies.a: ", []string{`"limt"`, "limit, limits, key and on_store_failure"}},
		{"both", "policies:\n  a:\n    limit: 5/m\n    limits: [6/m]\n", "f:4:5: policies.a: ", []string{"both", "one of them"}},
		{"neither", "policies:\n  a: {}\n", "f:2:3: policies.a: ", []string{"no limit"}},
		{"policy is null", "policies:\n  a:\n", "f:2:", []string{"an empty value", "mapping"}},
		{"policy is a limit", "policies:\n  a: 5/m\n", "f:2:6: policies.a: ", []string{`"5/m"`, "mapping"}},
		{"policy twice", "policies:\n  a: {limit: 5/m}\n  a: {limit: 6/m}\n", "f:3:3: policies: ", []string{`"a"`, "twice", "line 2"}},
		{"field twice", "policies:\n  a:\n    limit: 5/m\n    limit: 6/m\n", "f:4:5: policies.a: ", []string{`"limit"`, "twice", "line 3"}},
		{"no name", "policies:\n  '': {limit: 5/m}\n", "f:2:3: policies: ", []string{"empty"}},
		{"name not ASCII", "policies:\n  ñandú: {limit: 5/m}\n", "f:2:3: policies: ", []string{`"ñandú"`, "ASCII"}},
		{"name with a space in front", "policies:\n  ' a': {limit: 5/m}\n", "f:2:3: policies: ", []string{`" a"`, "space"}},
		{"long name", "policies:\n  " + strings.Repeat("x", 101) + ": {limit: 5/m}\n", "f:2:3: policies: ", []string{"101 bytes", "100"}},
		{"tab", "policies:\n\ta: {limit: 5/m}\n", "f:2:1: ", []string{"tabs", "spaces"}},
		{"unclosed", "policies: {a: {limit: 5/m}\n", "f:", []string{"not YAML"}},
		{"binary", "\x7fELF\x02\x01\x01\x00", "f:1:1: ", []string{"0x7f", "not text"}},
		{"NUL", "policies:\n  a\x00: 1\n", "f:2:4: ", []string{"0x00", "not text"}},
		{"not UTF-8", "policies:\n  é\xff: 1\n", "f:2:4: ", []string{"0xff", "UTF-8"}},
		{"huge", "# " + strings.Repeat("x", MaxSize), "f:1:1: ", []string{"1048576"}},
		{"deep lists", strings.Repeat("[", 100_000), "f:1:65: ", []string{"deeper than 64"}},
		{"deep mappings", strings.Repeat("{a: ", 100_000), "f:1:", []string{"deeper than 64"}},
		{"deep dashes", strings.Repeat("- ", 100_000), "f:1:", []string{"deeper than 64"}},
		{"deep anchors", "policies: " + strings.Repeat("&a ", 100_000), "f:1:", []string{"deeper than 64"}},
		{"unknown alias", "policies:\n  a: *nobody\n", "f:2:6: policies.a: ", []string{"*nobody", "no &nobody"}},
		{"alias of itself", "policies: &p\n  a: *p\n", "f:", nil},
		{"merge of itself", "policies:\n  a: &p\n    <<: *p\n", "f:", []string{"merges itself"}},
		{"merge of a limit", "policies:\n  a:\n    <<: 5/m\n", "f:3:9: policies.a: ", []string{`"5/m"`, "mapping"}},

		{"listen is no address", "listen: 8080\npolicies: {a: {limit: 5/m}}\n", "f:1:9: listen: ", []string{`"8080"`, "host:port", "127.0.0.1:8080"}},
		{"listen is a list", "listen: [a]\npolicies: {a: {limit: 5/m}}\n", "f:1:9: listen: ", []string{"a list", "host:port"}},
		{"listen port", "listen: 'localhost:http'\npolicies: {a: {limit: 5/m}}\n", "f:1:9: listen: ", []string{`"http"`, "65535"}},
		{"listen port too large", "listen: ':65536'\npolicies: {a: {limit: 5/m}}\n", "f:1:9: listen: ", []string{`"65536"`}},

		{"limit empty", limit(`""`), "f:3:5: policies.a.limit: ", []string{"empty", "100/minute burst 20"}},
		{"limit blank", limit(`"  "`), "f:3:5: policies.a.limit: ", []string{"empty"}},
		{"limit missing", limit(""), "f:3:5: policies.a.limit: ", []string{"empty", "unlimited"}},
		{"limit null", limit("~"), "f:3:5: policies.a.limit: ", []string{"empty"}},
		{"limit a number", limit("100"), "f:3:12: policies.a.limit: ", []string{`"100"`, "per which time", "100/minute burst 20"}},
		{"limit 0", limit("0"), "f:3:12: policies.a.limit: ", []string{`"0"`}},
		{"limit -1", limit("-1"), "f:3:12: policies.a.limit: ", []string{`"-1"`, "write unlimited"}},
		{"limit -1/m", limit("-1/m"), "f:3:12: policies.a.limit: ", []string{`"-1"`, "write unlimited"}},
		{"limit 1.5", limit("1.5/m"), "f:3:12: policies.a.limit: ", []string{`"1.5"`, "integer"}},
		{"limit 1e3", limit(`"1e3/m"`), "f:3:13: policies.a.limit: ", []string{`"1e3"`, "integer"}},
		{"limit 007", limit("007/m"), "f:3:12: policies.a.limit: ", []string{`"007"`, "leading zeros"}},
		{"limit 007 alone", limit("007"), "f:3:12: policies.a.limit: ", []string{`"007"`}},
		{"limit true", limit("true"), "f:3:12: policies.a.limit: ", []string{`"true"`, "token_bucket"}},
		{"limit a list", limit("[5/m]"), "f:3:12: policies.a.limit: ", []string{"a list"}},
		{"limit a mapping", limit("{rate: 5}"), "f:3:", []string{"a mapping"}},
		{"per missing", limit("5/"), "f:3:14: policies.a.limit: ", []string{"missing", "100/minute"}},
		{"per 0s", limit("5/0s"), "f:3:14: policies.a.limit: ", []string{`"0s"`, "1us"}},
		{"per -1s", limit("5/-1s"), "f:3:14: policies.a.limit: ", []string{`"-1s"`, "1us"}},
		{"per 1", limit("5/1"), "f:3:14: policies.a.limit: ", []string{`"1"`, "unit is missing"}},
		{"per fortnight", limit("5/1 fortnight"), "f:3:14: policies.a.limit: ", []string{`"1"`, "unit is missing"}},
		{"per fortnight in one word", limit("5/fortnight"), "f:3:14: policies.a.limit: ", []string{`"fortnight"`, "week"}},
		{"per min", limit("0/min"), "f:3:14: policies.a.limit: ", []string{`"min"`, "minute"}},
		{"burst 0", limit("1/s burst 0"), "f:3:22: policies.a.limit: ", []string{`"0"`, "smallest is 1"}},
		{"burst of a window", limit("fixed_window 1/s burst 2"), "f:3:", []string{"takes none"}},

		{"limits a text", "policies:\n  a:\n    limits: 5/m\n", "f:3:13: policies.a.limits: ", []string{`"5/m"`, "not a list"}},
		{"limits empty", "policies:\n  a:\n    limits: []\n", "f:3:13: policies.a.limits: ", []string{"empty"}},
		{"limits of limits", "policies:\n  a:\n    limits: [[5/m]]\n", "f:3:14: policies.a.limits[0]: ", []string{"a list"}},
		{"limits with a null", "policies:\n  a:\n    limits: [5/m, ~]\n", "f:3:19: policies.a.limits[1]: ", []string{"empty"}},
		{"limits with a bad one", "policies:\n  a:\n    limits: [5/m, 'x/s']\n", "f:3:20: policies.a.limits[1]: ", []string{`"x"`}},
		{"limits twice", "policies:\n  a:\n    limits: [60/m, 60/minute]\n", "f:3:13: policies.a.limits: ", []string{"twice"}},
		{"unlimited and another", "policies:\n  a:\n    limits: [60/m, unlimited]\n", "f:3:13: policies.a.limits: ", []string{"stands alone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f", []byte(tt.file))
			if err == nil {
				t.Fatal("no error")
			}
			var problems *Error
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			text := problems.Problems[0].Error()
			if !strings.HasPrefix(text, tt.place) {
				t.Errorf("want it at %q:\n%s", tt.place, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing:\n%s", want, text)
				}
			}
			if len(problems.Problems) > 1 {
				t.Errorf("%d problems:\n%v", len(problems.Problems), err)
			}
			if len(text) > 600 {
				t.Errorf("%d bytes long", len(text))
			}
		})
	}
}

// A file that merges twice what merges twice, forty times, is refused before
// it takes for ever.
func TestMergeBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("policies:\n  p0: &p0 {limit: 5/m}\n")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "  p%d: &p%d\n    <<: *p%d\n    <<: *p%d\n", i, i, i-1, i-1)
	}
	if _, err := Parse("f", []byte(b.String())); err == nil || !strings.Contains(err.Error(), "more than 100 mappings") {
		t.Errorf("got %v", err)
	}
}

func TestAllProblemsAreReported(t *testing.T) {
	_, err := Parse("f", []byte(`listen: here
policies:
  a: {limit: 5}
  b: {limit: 5/m}
  c: {limits: [x/m, 5/y]}
typo: 1
`))
	var problems *Error
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var got []int
	for _, p := range problems.Problems {
		got = append(got, p.Line)
	}
	if len(got) != 5 || got[0] != 1 || got[4] != 6 {
		t.Errorf("problems in lines %v, want 1, 3, 5, 5, 6:\n%v", got, err)
	}
}

func TestProblemShowsThePlace(t *testing.T) {
	_, err := Parse("aforo.yaml", []byte("policies:\n  a:\n    limit: 5/xm # five\n"))
	want := `aforo.yaml:3:14: policies.a.limit: per "xm": units are us, ms, s, second, m, minute, h, hour, d, day, w, week; for example: 100/15m
    3 |     limit: 5/xm # five
                     ^`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%v", err, want)
	}
}

func TestWords(t *testing.T) {
	tests := map[string]string{
		"100/minute burst 20":         "bursts of 20 at once, then 100 per minute; at most 120 in any minute",
		"100/m":                       "bursts of 100 at once, then 100 per minute; at most 200 in any minute",
		"sliding_window_log 5/15m":    "at most 5 in any 15 minutes",
		"sliding_window_counter 60/m": "at most 60 in each minute, less what the one before weighs: close to 60 in any minute",
		"fixed_window 1000/day":       "at most 1000 in each day by the clock, in UTC; up to 2000 around the turn of two",
		"leaky_bucket 2/s burst 10":   "evenly at 2 per second; up to 10 wait their turn, the rest is refused",
		"0/s":                         "refuses everything",
		"fixed_window 0/m":            "refuses everything",
		"0/s burst 1":                 "1 in all, and nothing ever after",
		"unlimited":                   "no limit: everything passes",
		"5/90s":                       "bursts of 5 at once, then 5 per 90 seconds; at most 10 in any 90 seconds",
	}
	for text, want := range tests {
		l, err := aforo.ParseLimit(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Words(l); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestNote(t *testing.T) {
	for text, want := range map[string]string{
		"100/m":                    "up to 199 pass in the first minute",
		"100/m burst 20":           "",
		"1/s":                      "",
		"sliding_window_log 5/15m": "",
		"fixed_window 5/w":         "Thursdays",
		"0/m":                      "",
		"unlimited":                "",
	} {
		l, err := aforo.ParseLimit(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Note(l); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q in it", text, got, want)
		}
	}
}

// What is large and harmless is read, in good time.
func TestLargeFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("policies:\n  p: &p {limit: 5/m}\n  flow: {limits: [&x 1/s")
	for i := range 14 {
		fmt.Fprintf(&b, ", &x%d %d/s", i, i+2)
	}
	b.WriteString("]}\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "  p%d: &p%d\n    <<: *p\n", i, i)
	}
	c, err := Parse("f", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Policies) != 3002 {
		t.Errorf("%d policies, want 3002", len(c.Policies))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("listen: 127.0.0.1:8080\npolicies:\n  a:\n    limit: 100/minute burst 20\n  b: {limits: [5/m, 'x/s']}\n"))
	f.Add([]byte("policies:\n  a: &p\n    limit: &l 5/m\n  b: *p\n  c: {<<: *p, limit: *l}\n"))
	f.Add([]byte("policies:\n  a:\n    limit: >-\n      5/m\n    ? x\n    : |\n      y\n"))
	f.Add([]byte("%YAML 1.2\n---\n!!map {a: !!str b, \"c\\u0041\": 'd''e'}\n...\n"))
	f.Add([]byte("policies: &p\n  <<: *p\n\t- [{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f", data)
		if err != nil {
			var problems *Error
			if !errors.As(err, &problems) || len(problems.Problems) == 0 {
				t.Fatalf("an error without a place: %v", err)
			}
			for _, p := range problems.Problems {
				if p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("a problem without a place or a message: %+v", p)
				}
				if strings.Contains(p.Message, "the parser failed") {
					t.Logf("%v", p)
				}
			}
			return
		}
		if len(c.Policies) == 0 {
			t.Error("no policies and no error")
		}
		for _, p := range c.Policies {
			if _, err := aforo.NewLimiter(p.Limits, aforo.WithName(p.Name)); err != nil {
				t.Errorf("policy %q was accepted, but: %v", p.Name, err)
			}
			for _, l := range p.Limits.List() {
				if Words(l) == "" {
					t.Errorf("no words for %v", l)
				}
			}
		}
	})
}
