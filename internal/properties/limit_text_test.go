package properties

import (
	"encoding"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// A limit that is written and read is the same limit.
func TestLimitsSurviveBeingWritten(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		l := drawNumbers(t, a).limit()
		read, err := aforo.ParseLimit(l.String())
		if err != nil || read != l {
			t.Fatalf("%v is read as %+v, want %+v: %v", l, read, l, err)
		}
		var again aforo.Limit
		text, err := l.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var _ encoding.TextMarshaler = l
		if err := again.UnmarshalText(text); err != nil || again != l {
			t.Fatalf("%s is read as %+v, want %+v: %v", text, again, l, err)
		}
	})
}

// So are several.
func TestSetsOfLimitsSurviveBeingWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ls := drawLimits(t, 8)
		read, err := aforo.ParseLimits(ls.String())
		if err != nil || read.String() != ls.String() || read.Len() != ls.Len() {
			t.Fatalf("%v is read as %v: %v", ls, read, err)
		}
		for i, l := range read.List() {
			if l != ls.List()[i] {
				t.Fatalf("limit %d of %v is read as %v", i, ls, l)
			}
		}
	})
}

// drawLimits draws limits that go together.
func drawLimits(t *rapid.T, most int) aforo.Limits {
	var list []aforo.Limit
	seen := map[string]bool{}
	for range rapid.IntRange(1, most).Draw(t, "limits") {
		l := drawNumbers(t, drawAlgorithm(t)).limit()
		if !seen[l.String()] {
			seen[l.String()] = true
			list = append(list, l)
		}
	}
	ls, err := aforo.NewLimits(list...)
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// A period means the same in whatever words it is written.
func TestPeriodsMeanTheSameInEveryUnit(t *testing.T) {
	words := map[time.Duration][]string{
		time.Microsecond: {"us"}, time.Millisecond: {"ms"},
		time.Second: {"s", "second"}, time.Minute: {"m", "minute"},
		time.Hour: {"h", "hour"}, 24 * time.Hour: {"d", "day"}, 7 * 24 * time.Hour: {"w", "week"},
	}
	rapid.Check(t, func(t *rapid.T) {
		units := []time.Duration{time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		count := rapid.IntRange(1, 50).Draw(t, "count")
		per := time.Duration(count) * unit
		want := aforo.Per(3, per)
		for u, spellings := range words {
			for _, word := range spellings {
				if per%u != 0 {
					continue
				}
				text := fmt.Sprintf("3/%d%s", per/u, word)
				if got, err := aforo.ParseLimit(text); err != nil || got != want {
					t.Fatalf("%s is %v, want %v: %v", text, got, want, err)
				}
			}
		}
		if got, err := aforo.ParseLimit("3/" + per.String()); err != nil || got != want {
			t.Fatalf("3/%v is %v, want %v: %v", per, got, want, err)
		}
	})
}

// Whatever is read as a limit, it is an error that says where, or a limit that
// can be written and read again; and nothing panics.
func TestAnyTextIsALimitOrAnErrorThatSaysWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		l, err := aforo.ParseLimit(text)
		if err == nil {
			if again, err := aforo.ParseLimit(l.String()); err != nil || again != l {
				t.Fatalf("%q is %v, which is read as %v: %v", text, l, again, err)
			}
			return
		}
		said(t, text, err)
	})
}

func TestAnyTextIsLimitsOrAnErrorThatSaysWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.Custom(drawText), 1, 4).Draw(t, "parts")
		text := strings.Join(parts, rapid.SampledFrom([]string{",", ", ", ",,", " "}).Draw(t, "comma"))
		ls, err := aforo.ParseLimits(text)
		if err != nil {
			said(t, text, err)
			return
		}
		if again, err := aforo.ParseLimits(ls.String()); err != nil || again.String() != ls.String() {
			t.Fatalf("%q is %v, which is read as %v: %v", text, ls, again, err)
		}
	})
}

// said checks what an error says.
func said(t *rapid.T, text string, err error) {
	var bad *aforo.LimitError
	switch {
	case !errors.As(err, &bad):
		t.Fatalf("%q: %T %v", text, err, err)
	case bad.Place < -1 || bad.Place > len(text):
		t.Fatalf("%q: place %d", text, bad.Place)
	case bad.Field == "" || bad.Problem == "" || bad.Good == "":
		t.Fatalf("%q: %+v", text, bad)
	case strings.ContainsAny(bad.Error(), "\r\n\x00") || len(bad.Error()) > 1000:
		t.Fatalf("%q: %q", text, bad.Error())
	case bad.Place >= 0 && !strings.HasPrefix(text[bad.Place:], bad.Value):
		t.Fatalf("%q: %q does not stand at %d", text, bad.Value, bad.Place)
	}
}

// drawText draws what looks like a limit, more or less.
func drawText(t *rapid.T) string {
	if rapid.IntRange(0, 3).Draw(t, "anything") == 0 {
		return rapid.String().Draw(t, "text")
	}
	part := rapid.SampledFrom([]string{
		"100/m", "10/s", "0/s", "1/0s", "1/30d", "5/15m", "60/1m30s", "1/1us", "1/1ns", "2/mo", "3/y", "4/",
		"/", "/s", "1", "", "-1/s", "1/-1s", "1e3/s", "0x10/s", "01/s", "1_000/s", "1/1.5us", "1/1.5ms",
		"9223372036854775807/s", "9223372036854775808/s", "4503599627370496/s", "4503599627370495/s",
		"1/9223372036854775807us", "1/15250w", "1/99999999999999999999w", "burst", "burst 20", "burst 0",
		"burst -1", "burst 9223372036854775807", "burst x", "token_bucket", "leaky_bucket", "fixed_window",
		"sliding_window_log", "sliding_window_counter", "unlimited", "Unlimited", "\t", " ", "\x00", "ß", "\xff", "٣/s",
	})
	return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "words"), " ")
}
