package aforo

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"100/minute burst 20":               PerMinute(100).Burst(20),
		"100/minute":                        PerMinute(100),
		"100/m burst 100":                   PerMinute(100),
		"token_bucket 7/s":                  PerSecond(7),
		"  100/1m\tburst  20 ":              PerMinute(100).Burst(20),
		"leaky_bucket 2/s burst 10":         PerSecond(2).Burst(10).Using(LeakyBucket),
		"fixed_window 1000/day":             PerDay(1000).Using(FixedWindow),
		"sliding_window_log 5/15m":          Per(5, 15*time.Minute).Using(SlidingWindowLog),
		"sliding_window_counter 60/m":       PerMinute(60).Using(SlidingWindowCounter),
		"5/1m30s":                           Per(5, 90*time.Second),
		"5/1.5s":                            Per(5, 1500*time.Millisecond),
		"1/us":                              Per(1, time.Microsecond),
		"3/250ms":                           Per(3, 250*time.Millisecond),
		"1/30d burst 10000":                 Per(1, 30*24*time.Hour).Burst(10000),
		"9/2week":                           Per(9, 14*24*time.Hour),
		"1/52w":                             Per(1, 52*7*24*time.Hour),
		"0/m":                               PerMinute(0),
		"0/s burst 3":                       PerSecond(0).Burst(3),
		"unlimited":                         Unlimited(),
		"fixed_window 4503599627370495/1us": Per(maxLimit, time.Microsecond).Using(FixedWindow),
	} {
		got, err := ParseLimit(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
			continue
		}
		again, err := ParseLimit(got.String())
		if err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", text, got, again, err)
		}
	}
}

func TestLimitIsPrintedInItsShortestForm(t *testing.T) {
	for text, want := range map[string]string{
		"100/60s burst 20":       "100/m burst 20",
		"fixed_window 5/1m30s":   "fixed_window 5/90s",
		"token_bucket 1/168h":    "1/w",
		"1/30d burst 1":          "1/30d",
		"leaky_bucket 7/1500us":  "leaky_bucket 7/1500us",
		"sliding_window_log 0/h": "sliding_window_log 0/h",
	} {
		if l, err := ParseLimit(text); err != nil || l.String() != want {
			t.Errorf("%q is printed as %q, want %q (%v)", text, l, want, err)
		}
	}
}

// TestBadLimits: each error names the field, the value, where it stands, and a
// good example that is really good.
func TestBadLimits(t *testing.T) {
	for _, bad := range []struct {
		text, field, value string
		place              int
	}{
		{"", "rate", "", 0},
		{"   ", "rate", "", 3},
		{"100", "rate", "100", 0},
		{"100 per minute", "rate", "100", 0},
		{"100 / minute", "rate", "100", 0},
		{"/minute", "rate", "", 0},
		{"100/", "per", "", 4},
		{"100/fortnight", "per", "fortnight", 4},
		{"100/min", "per", "min", 4},
		{"100/month", "per", "month", 4},
		{"100/2y", "per", "2y", 4},
		{"100/0s", "per", "0s", 4},
		{"100/-1m", "per", "-1m", 4},
		{"100/60", "per", "60", 4},
		{"100/1 fortnight", "per", "1", 4},
		{"100/500ns", "per", "500ns", 4},
		{"100/1.5us", "per", "1.5us", 4},
		{"100/007s", "per", "007", 4},
		{"100/99999999w", "per", "99999999w", 4},
		{"100/99999999999999999999s", "per", "99999999999999999999", 4},
		{"-1/m", "rate", "-1", 0},
		{"-1", "rate", "-1", 0},
		{"+1/m", "rate", "+1", 0},
		{"1.5/m", "rate", "1.5", 0},
		{"1e3/m", "rate", "1e3", 0},
		{"007/m", "rate", "007", 0},
		{"1_000/m", "rate", "1_000", 0},
		{"99999999999999999999/m", "rate", "99999999999999999999", 0},
		{"9007199254740993/s", "rate", "9007199254740993", 0},
		{"1/s burst", "burst", "", 9},
		{"1/s burst 0", "burst", "0", 10},
		{"0/s burst 0", "burst", "0", 10},
		{"1/s burst -5", "burst", "-5", 10},
		{"1/s burst 2 3", "limit", "3", 12},
		{"1/s bust 2", "limit", "bust", 4},
		{"gcra 1/s", "algorithm", "gcra", 0},
		{"Token_Bucket 1/s", "algorithm", "Token_Bucket", 0},
		{"fixed_window", "rate", "", 12},
		{"fixed_window 1/s burst 2", "burst", "2", 23},
		{"unlimited 1/s", "limit", "1/s", 10},
		{"1/s\x00", "per", "s\x00", 2},
		{"1/\xff", "per", "\xff", 2},
		{strings.Repeat("9", 1<<20) + "/s", "rate", strings.Repeat("9", 1<<20), 0},
	} {
		_, err := ParseLimit(bad.text)
		var le *LimitError
		if !errors.As(err, &le) {
			t.Errorf("%.40q: error %v", bad.text, err)
			continue
		}
		if le.Field != bad.field || le.Value != bad.value || le.Place != bad.place || le.Text != bad.text {
			t.Errorf("%.40q: field %q value %.40q at %d", bad.text, le.Field, le.Value, le.Place)
		}
		if _, err := ParseLimit(le.Good); err != nil {
			t.Errorf("%.40q: the good example %q is bad: %v", bad.text, le.Good, err)
		}
		if message := err.Error(); len(message) > 600 || !strings.Contains(message, le.Good) || strings.ContainsAny(message, "\x00\n") {
			t.Errorf("%.40q: message %.700q", bad.text, message)
		}
	}
}

// TestLargestLimits: a limit that cannot be held exactly is refused with the
// largest number that can; that one is accepted, and one more is not.
func TestLargestLimits(t *testing.T) {
	for _, c := range []struct {
		text, largest string
		next          string
	}{
		{"1/s burst 4503599627370496", "1/s burst 4503599627370495", ""},
		{"999999999989/d", "999999999989/d burst 52124995687", "999999999989/d burst 52124995688"},
		{"7/11s burst 9999999999999999", "7/11s burst 409418147942772", "7/11s burst 409418147942773"},
		{"fixed_window 4503599627370496/s", "fixed_window 4503599627370495/s", ""},
		{"sliding_window_log 4503599627370496/s", "sliding_window_log 4503599627370495/s", ""},
		{"sliding_window_counter 4503599627370495/m", "sliding_window_counter 75059993789508/m", "sliding_window_counter 75059993789509/m"},
		{"sliding_window_counter 1/4503599627370496us", "sliding_window_counter 1/4503599627370495us", ""},
		{"1/4503599627370497us", "1/4503599627370495us", ""},
	} {
		_, err := ParseLimit(c.text)
		var le *LimitError
		if !errors.As(err, &le) {
			t.Errorf("%s: error %v", c.text, err)
			continue
		}
		words := strings.FieldsFunc(c.largest, func(r rune) bool { return r == ' ' || r == '/' })
		number := words[len(words)-1]
		if strings.HasPrefix(c.largest, "sliding") || strings.HasPrefix(c.largest, "fixed") {
			number = words[1]
		}
		if !strings.Contains(le.Problem, strings.TrimSuffix(number, "us")) && !strings.Contains(le.Problem, "4503599627370495us") {
			t.Errorf("%s: %v does not name %s", c.text, err, number)
		}
		if _, err := ParseLimit(c.largest); err != nil {
			t.Errorf("%s: the largest good one is bad: %v", c.largest, err)
		}
		if _, err := ParseLimit(c.next); err == nil {
			t.Errorf("%s: one more than the largest was accepted", c.next)
		}
	}
}

func TestTypedLimitsAreCheckedToo(t *testing.T) {
	for name, l := range map[string]Limit{
		"zero":                  {},
		"negative rate":         PerSecond(-1),
		"no period":             Per(1, 0),
		"negative period":       Per(1, -time.Second),
		"parts of microseconds": Per(1, 1500*time.Nanosecond),
		"burst 0":               PerSecond(1).Burst(0),
		"burst of a window":     PerSecond(1).Burst(2).Using(FixedWindow),
		"no algorithm":          PerSecond(1).Using(0),
		"unknown algorithm":     PerSecond(1).Using(6),
		"unlimited burst":       Unlimited().Burst(1),
		"name":                  PerSecond(1).Named("a\nb"),
		"largest":               Per(math.MaxInt64, math.MaxInt64).Burst(math.MaxInt64),
		"smallest":              Per(math.MinInt64, math.MinInt64).Burst(math.MinInt64),
	} {
		err := l.Validate()
		var le *LimitError
		if !errors.As(err, &le) || le.Good == "" || le.Problem == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := NewLimits(l); err == nil {
			t.Errorf("%s: it was made part of limits", name)
		}
		useTyped(t, name, l)
	}
}

// useTyped: a limit that is not valid refuses everything, and nothing panics.
func useTyped(t *testing.T, name string, l Limit) {
	if v := l.Peek(State{}, 1, 1); v.Allowed || v.Retry != -1 {
		t.Errorf("%s: it decides %+v", name, v)
	}
	if _, err := l.Charge(State{}, 1, 1); err == nil {
		t.Errorf("%s: it was charged", name)
	}
	l.Refund(State{At: 1, Used: 1}, 1, 1)
	l.Undo(State{At: 1, Used: 1}, 1, 1, 1)
	_, _, _ = l.FillTime(), l.Name(), l.String()
}

func TestLimitAsTextOfOthers(t *testing.T) {
	var config struct{ Limit Limit }
	if err := json.Unmarshal([]byte(`{"limit":"fixed_window 5/90s"}`), &config); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(config); err != nil || string(got) != `{"Limit":"fixed_window 5/90s"}` {
		t.Errorf("%s, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"limit":"5"}`), &config); err == nil {
		t.Error("a bad limit was read")
	}
	if _, err := json.Marshal(Limit{}); err == nil {
		t.Error("the zero limit was written")
	}
}

func TestLimitsAsTextOfOthers(t *testing.T) {
	var config struct{ Limits Limits }
	if err := json.Unmarshal([]byte(`{"limits":"10/s, 5/60s"}`), &config); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(config); err != nil || string(got) != `{"Limits":"10/s, 5/m"}` {
		t.Errorf("%s, %v", got, err)
	}
	if json.Unmarshal([]byte(`{"limits":"10/s,"}`), &config) == nil {
		t.Error("bad limits were read")
	}
	if _, err := json.Marshal(Limits{}); err == nil {
		t.Error("no limits were written")
	}
}

func TestLimitsTogether(t *testing.T) {
	ls, err := ParseLimits("10/s burst 20, 1000/h,fixed_window 5/d")
	if err != nil || ls.String() != "10/s burst 20, 1000/h, fixed_window 5/d" || ls.Len() != 3 {
		t.Errorf("%v, %v", ls, err)
	}
	for text, value := range map[string]string{
		"10/s,":                            "",
		",":                                "",
		"10/s, 100/":                       "",
		"10/s, 10/s":                       "10/s",
		"10/s, 10/1s burst 10":             "10/s",
		"unlimited, 1/s":                   "unlimited",
		strings.Repeat("1/s,", 17) + "1/s": "18 limits",
	} {
		_, err := ParseLimits(text)
		var le *LimitError
		if !errors.As(err, &le) || le.Value != value || le.Text != text {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := NewLimits(PerSecond(1).Named("x"), PerHour(5).Named("x")); err == nil {
		t.Error("two limits of one name were accepted")
	}
}

// FuzzParseLimit: nothing panics, and what is read is printed and read again
// as the same limit, which the rules can calculate with.
func FuzzParseLimit(f *testing.F) {
	for _, seed := range []string{"100/minute burst 20", "leaky_bucket 2/s burst 10", "5/1m30s", "unlimited",
		"sliding_window_counter 75059993789508/m", "1/\xff", "0/s burst 1", "1/2562047h47m16.854775807s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLimit(text)
		if err != nil {
			if message := err.Error(); strings.ContainsAny(message, "\n\x00") {
				t.Fatalf("message %q", message)
			}
			return
		}
		again, err := ParseLimit(l.String())
		if err != nil || again != l {
			t.Fatalf("%q is printed as %q: %v", text, l, err)
		}
		s, v := l.Take(State{}, math.MaxInt64, l.Capacity())
		if !v.Allowed || v.Remaining < 0 || v.Reset < -1 {
			t.Fatalf("%q: the capacity does not fit: %+v %+v", text, v, s)
		}
	})
}
