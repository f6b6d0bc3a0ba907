package trace

import (
	"math/big"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines without one
)

func TestParseTime(t *testing.T) {
	tests := []struct {
		text   string
		want   string // in RFC 3339
		noZone bool
	}{
		{"2015-05-17T10:05:03Z", "2015-05-17T10:05:03Z", false},
		{"2015-05-17t10:05:03z", "2015-05-17T10:05:03Z", false},
		{"2015-05-17T10:05:03.464763557Z", "2015-05-17T10:05:03.464763Z", false},
		{"2015-05-17T10:05:03,5+02:00", "2015-05-17T08:05:03.5Z", false},
		{"2015-05-17 10:05:03 -0700", "2015-05-17T17:05:03Z", false},
		{"2015-05-17 10:05:03 UTC", "2015-05-17T10:05:03Z", false},
		{"2015/05/17 10:05:03", "2015-05-17T10:05:03Z", true},
		{" 2015-05-17_10:05:03 ", "2015-05-17T10:05:03Z", true},
		{"17/May/2015:10:05:03 +0000", "2015-05-17T10:05:03Z", false},
		{"[17/May/2015:10:05:03 +0200]", "2015-05-17T08:05:03Z", false},
		{"17/May/2015:10:05:03", "2015-05-17T10:05:03Z", true},
		{"1431857103", "2015-05-17T10:05:03Z", false},
		{"1431857103.7564995", "2015-05-17T10:05:03.756499Z", false},
		{"1431857103123", "2015-05-17T10:05:03.123Z", false},
		{"1431857103123.5", "2015-05-17T10:05:03.1235Z", false},
		{"1431857103123456", "2015-05-17T10:05:03.123456Z", false},
		{"1431857103123456789", "2015-05-17T10:05:03.123456Z", false},
		{"1.431857103e9", "2015-05-17T10:05:03Z", false},
		{"1.4318571037564995E+09", "2015-05-17T10:05:03.756499Z", false},
		{"0", "1970-01-01T00:00:00Z", false},
		{"-1.5", "1969-12-31T23:59:58.5Z", false},
	}
	for _, test := range tests {
		want, err := time.Parse(time.RFC3339, test.want)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parseTime([]byte(test.text), nil)
		if !ok || got.micros != want.UnixMicro() || got.noZone != test.noZone || got.ambiguous {
			t.Errorf("%s: got %s, %+v, %v", test.text, time.UnixMicro(got.micros).UTC(), got, ok)
		}
	}
}

func TestParseTimeNot(t *testing.T) {
	for _, text := range []string{"", " ", "-", ".", "soon", "1.", ".5", "1e", "1e+", "e9", "1e999", "1e12", "--1", "1-", "1.5.5", "0x10", "+1", "1_000",
		"2015-13-17T10:05:03Z", "2015-02-29T10:05:03Z", "2015-05-17T24:05:03Z", "2015-05/17T10:05:03Z", "2015-05-17", "2015-05-17T10:05", "2015-05-17T10:05:03Zx",
		"2015-05-17x10:05:03", "0000-05-17T10:05:03Z", "999999999999999999999", "2e11"} {
		if got, ok := parseTime([]byte(text), nil); ok {
			t.Errorf("%q is read as %s", text, time.UnixMicro(got.micros).UTC())
		}
	}
}

// TestAmbiguousTimes: what a clock shows twice when it is set back, or never
// when it is set forward, is said to be so; what has an offset is not.
func TestAmbiguousTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"[26/Oct/2025:01:59:59]":       false,
		"[26/Oct/2025:02:00:00]":       true,
		"[26/Oct/2025:02:59:59]":       true,
		"[26/Oct/2025:03:00:00]":       false,
		"[30/Mar/2025:01:59:59]":       false,
		"[30/Mar/2025:02:00:00]":       true,
		"[30/Mar/2025:02:59:59]":       true,
		"[30/Mar/2025:03:00:00]":       false,
		"[26/Oct/2025:02:30:00 +0200]": false,
		"[26/Jun/2025:02:30:00]":       false,
		"[26/Jun/1800:02:30:00]":       false,
	} {
		got, n := parseStamp([]byte(text), berlin)
		if n != len(text) || got.ambiguous != want {
			t.Errorf("%s: %+v, want ambiguous %v", text, got, want)
		}
	}
	if got, _ := parseStamp([]byte("[26/Oct/2025:02:30:00]"), nil); got.ambiguous {
		t.Error("UTC has ambiguous times")
	}
}

// FuzzParseDecimal compares with exact rational numbers.
func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"1431857103.7564995", "-0.000001", "1.5e3", "25E-2", "007", "9223372036854775807"} {
		f.Add(s, 6)
		f.Add(s, -3)
	}
	f.Fuzz(func(t *testing.T, s string, scale int) {
		scale %= 10
		got, ok := parseDecimal([]byte(s), scale)
		want, valid := new(big.Rat).SetString(s)
		if !ok {
			return
		}
		if !valid || strings.ContainsAny(s, "+_/xXpP") && !strings.ContainsAny(s, "eE") {
			t.Fatalf("%q is read as %d", s, got)
		}
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
		if scale >= 0 {
			want.Mul(want, new(big.Rat).SetInt(ten))
		} else {
			want.Quo(want, new(big.Rat).SetInt(ten))
		}
		if whole := new(big.Int).Quo(want.Num(), want.Denom()); whole.Cmp(big.NewInt(got)) != 0 {
			t.Errorf("%q times ten to the %d is %d, want %s", s, scale, got, whole)
		}
	})
}
