package trace

import (
	"testing"
	"time"
)

func TestParseStamp(t *testing.T) {
	tests := []struct {
		text   string
		want   string // in RFC 3339
		noZone bool
	}{
		{"[17/May/2015:10:05:03 +0000]", "2015-05-17T10:05:03Z", false},
		{"[17/may/2015:10:05:03 +0000]", "2015-05-17T10:05:03Z", false},
		{"[17/MAY/2015:10:05:03 +0000]", "2015-05-17T10:05:03Z", false},
		{"[7/May/2015:10:05:03 +0000]", "2015-05-07T10:05:03Z", false},
		{"[17/May/2015:10:05:03 -0700]", "2015-05-17T17:05:03Z", false},
		{"[17/May/2015:10:05:03 +0545]", "2015-05-17T04:20:03Z", false},
		{"[17/May/2015:10:05:03 +14:00]", "2015-05-16T20:05:03Z", false},
		{"[17/May/2015:10:05:03+0200]", "2015-05-17T08:05:03Z", false},
		{"[17/May/2015:10:05:03Z]", "2015-05-17T10:05:03Z", false},
		{"[17/May/2015:10:05:03.123456 +0000]", "2015-05-17T10:05:03.123456Z", false},
		{"[17/May/2015:10:05:03.007 +0000]", "2015-05-17T10:05:03.007Z", false},
		{"[17/May/2015:10:05:03,5 +0100]", "2015-05-17T09:05:03.5Z", false},
		{"[17/May/2015:10:05:03.999999999 +0000]", "2015-05-17T10:05:03.999999Z", false},
		{"[31/Dec/1969:23:59:59.75 +0000]", "1969-12-31T23:59:59.75Z", false},
		{"[21/Jun/2012:23:49:36]", "2012-06-21T23:49:36Z", true},
		{"[25/Mar/2025 11:29:19]", "2025-03-25T11:29:19Z", true},
		{"[25/Mar/2025 11:29:19.5]", "2025-03-25T11:29:19.5Z", true},
		{"[29/Feb/2024:00:00:00 +0000]", "2024-02-29T00:00:00Z", false},
		{"[29/Feb/2000:00:00:00 +0000]", "2000-02-29T00:00:00Z", false},
		{"[31/Dec/0000:23:30:00 -0100]", "0001-01-01T00:30:00Z", false},
		{"[31/Dec/9999:23:59:59.999999 +0000]", "9999-12-31T23:59:59.999999Z", false},
		{"[31/Dec/2016:23:59:60 +0000]", "2017-01-01T00:00:00Z", false}, // a leap second
	}
	for _, test := range tests {
		want, err := time.Parse(time.RFC3339, test.want)
		if err != nil {
			t.Fatal(err)
		}
		got, n := parseStamp([]byte(test.text+` "GET`), nil)
		if got.micros != want.UnixMicro() || got.noZone != test.noZone || n != len(test.text) {
			t.Errorf("%s: got %s, no zone %v, length %d", test.text, time.UnixMicro(got.micros).UTC(), got.noZone, n)
		}
	}
}

func TestParseStampMonths(t *testing.T) {
	for month := time.January; month <= time.December; month++ {
		text := time.Date(2015, month, 28, 1, 2, 3, 0, time.UTC).Format("[02/Jan/2006:15:04:05 -0700]")
		got, _ := parseStamp([]byte(text), nil)
		if m := time.UnixMicro(got.micros).UTC().Month(); m != month {
			t.Errorf("%s: month %s", text, m)
		}
		last := daysIn(month, 2015)
		if want := time.Date(2015, month+1, 0, 0, 0, 0, 0, time.UTC).Day(); last != want {
			t.Errorf("%s has %d days, want %d", month, last, want)
		}
	}
}

func TestParseStampNot(t *testing.T) {
	for _, text := range []string{
		"",
		"[",
		"[]",
		"[17/May/2015:10:05:03",
		"[17/May/2015:10:05:03 +0000",
		"[17/May/2015:10:05:03 +00",
		"[17/May/2015:10:05:03 +00:]",
		"[17/May/2015:10:05:03 +2400]",
		"[17/May/2015:10:05:03 +0060]",
		"[17/May/2015:10:05:03 UTC+1]",
		"[17/May/2015:10:05:03.]",
		"[17/May/2015:10:05]",
		"[17/May/2015-10:05:03]",
		"[17/Foo/2015:10:05:03]",
		"[17/05/2015:10:05:03 +0000]",
		"[00/May/2015:10:05:03]",
		"[32/May/2015:10:05:03]",
		"[31/Apr/2015:10:05:03]",
		"[29/Feb/2015:10:05:03]",
		"[29/Feb/1900:10:05:03]",
		"[17/May/0000:10:05:03 +0000]", // RFC 3339, and so JSON, has the years 1 to 9999
		"[01/Jan/0001:00:30:00 +0100]",
		"[31/Dec/9999:23:59:59 -0100]",
		"[31/Dec/9999:23:59:60 +0000]",
		"[17/May/2015:24:00:00]",
		"[17/May/2015:10:60:00]",
		"[17/May/2015:10:05:61]",
		"[-7/May/2015:10:05:03]",
		"[17/May/-015:10:05:03]",
		"(17/May/2015:10:05:03]",
		"[/May/2015:10:05:03 +0000]",
		"[2015-05-17T10:05:03Z]",
		"[error] 31#31: *46 no such file",
	} {
		if _, n := parseStamp([]byte(text), nil); n != 0 {
			t.Errorf("%s is read as a time stamp", text)
		}
	}
}

// TestParseStampOrder has the hour in which clocks in Berlin were set back:
// what looks like an hour back is a second ahead.
func TestParseStampOrder(t *testing.T) {
	before, _ := parseStamp([]byte("[26/Oct/2025:02:59:59 +0200]"), nil)
	after, _ := parseStamp([]byte("[26/Oct/2025:02:00:00 +0100]"), nil)
	if after.micros-before.micros != 1e6 {
		t.Errorf("the times are %d µs apart, want one second", after.micros-before.micros)
	}
}

func TestParseStampLocation(t *testing.T) {
	loc := time.FixedZone("", 2*3600)
	local, _ := parseStamp([]byte("[17/May/2015:10:05:03]"), loc)
	offset, _ := parseStamp([]byte("[17/May/2015:10:05:03 +0000]"), loc)
	if want := int64(tenOhFive-2*3600) * 1e6; local.micros != want || !local.noZone {
		t.Errorf("without an offset: got %+v, want %d", local, want)
	}
	if want := int64(tenOhFive) * 1e6; offset.micros != want || offset.noZone {
		t.Errorf("with an offset: got %+v, want %d", offset, want)
	}
}
