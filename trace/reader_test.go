package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// validLine returns the line of a request of the client, without its ending.
func validLine(client string) string {
	return client + ` - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 12 "-" "Agent"`
}

// readClients reads the whole log and returns the clients in it.
func readClients(r *Reader) (clients []string) {
	var e Entry
	for r.Next(&e) {
		clients = append(clients, string(e.Client))
	}
	return clients
}

// checkReport checks the counts, and that they add up.
func checkReport(t *testing.T, got Report, want Report) {
	t.Helper()
	if got.Lines != got.Entries+got.Empty+got.Other+got.Bad {
		t.Errorf("%d lines are not %d entries, %d empty, %d other and %d bad ones", got.Lines, got.Entries, got.Empty, got.Other, got.Bad)
	}
	got.FirstBad, want.FirstBad = nil, nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("report %+v, want %+v", got, want)
	}
}

func TestReader(t *testing.T) {
	a, b := validLine("192.0.2.1"), validLine("192.0.2.2")
	both := []string{"192.0.2.1", "192.0.2.2"}
	tests := []struct {
		name, log string
		clients   []string
		want      Report
	}{
		{"no bytes", "", nil, Report{}},
		{"one byte", "x", nil, Report{Lines: 1, Bad: 1}},
		{"lines", a + "\n" + b + "\n", both, Report{Lines: 2, Entries: 2}},
		{"last line not ended", a + "\n" + b, both, Report{Lines: 2, Entries: 2}},
		{"CRLF", a + "\r\n" + b + "\r\n", both, Report{Lines: 2, Entries: 2}},
		{"empty lines", "\n\n" + a + "\n \t\n\r\n" + b + "\n\n", both, Report{Lines: 7, Entries: 2, Empty: 5}},
		{"byte order mark", "\xef\xbb\xbf" + a + "\n" + b + "\n", both, Report{Lines: 2, Entries: 2}},
		{"byte order mark alone", "\xef\xbb\xbf", nil, Report{Lines: 1, Empty: 1}},
		{"bad line between", a + "\nnot a request\n" + b + "\n", both, Report{Lines: 3, Entries: 2, Bad: 1}},
		{"error log between", a + "\n2021/12/01 13:53:33 [error] 31#31: *46 x\n" + b, both, Report{Lines: 3, Entries: 2, Bad: 1}},
		{"binary", "\x7fELF\x00\x01\n\x00\x00\xff\xfe", nil, Report{Lines: 2, Bad: 2}},
		{"no offset", strings.ReplaceAll(a, " +0000", "") + "\n" + b, both, Report{Lines: 2, Entries: 2, NoZone: 1}},
		{"invalid UTF-8", validLine("caf\xe9.example.net"), []string{"caf\xe9.example.net"}, Report{Lines: 1, Entries: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for kind, wrap := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r },
				"byte":  iotest.OneByteReader,
				"EOF":   iotest.DataErrReader, // the end comes with the last bytes
			} {
				r := NewReader("test.log", wrap(strings.NewReader(test.log)), Options{})
				if clients := readClients(r); !slices.Equal(clients, test.clients) {
					t.Errorf("%s: clients %q, want %q", kind, clients, test.clients)
				}
				if err := r.Err(); err != nil {
					t.Errorf("%s: %v", kind, err)
				}
				if n := r.Consumed(); n != int64(len(test.log)) {
					t.Errorf("%s: consumed %d bytes of %d", kind, n, len(test.log))
				}
				checkReport(t, r.Report(), test.want)
				if r.Next(new(Entry)) {
					t.Errorf("%s: a request after the end", kind)
				}
			}
		})
	}
}

func TestReaderLocation(t *testing.T) {
	line := `192.0.2.1 - - [17/May/2015:10:05:03] "GET / HTTP/1.1" 200 12`
	r := NewReader("test.log", strings.NewReader(line), Options{Location: time.FixedZone("", -3600)})
	var e Entry
	if !r.Next(&e) || e.Time != (tenOhFive+3600)*1e6 || !e.NoZone {
		t.Errorf("got %+v", e)
	}
}

// TestReaderLongLines has lines around the longest that is read.
func TestReaderLongLines(t *testing.T) {
	a, b := validLine("192.0.2.1"), validLine("192.0.2.2")
	pad := func(length int) string { return a + strings.Repeat("x", length-len(a)) }
	for _, end := range []string{"\n", "\r\n"} {
		for length, bad := range map[int]int64{MaxLine - 1: 0, MaxLine: 0, MaxLine + 1: 1, MaxLine + 2: 1, MaxLine + 3: 1, 3*MaxLine + 7: 1} {
			log := b + end + pad(length) + end + b + end + pad(length)
			r := NewReader("test.log", strings.NewReader(log), Options{})
			readClients(r)
			checkReport(t, r.Report(), Report{Lines: 4, Entries: 4 - 2*bad, Bad: 2 * bad})
			if r.textBytes != int64(len(log)) {
				t.Errorf("length %d: %d bytes of text, want %d", length, r.textBytes, len(log))
			}
			for i, line := range r.Report().FirstBad {
				if line.Line != int64(2+2*i) || line.Reason != ErrTooLong.Error() || !strings.HasPrefix(line.Excerpt, `"192.0.2.1 - - [`) {
					t.Errorf("length %d: bad line %s", length, line)
				}
			}
		}
	}
}

// zeros is an endless line.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestReaderHugeLine checks that a line of a gigabyte is not held in memory.
func TestReaderHugeLine(t *testing.T) {
	const length = 1 << 30
	log := io.MultiReader(io.LimitReader(zeros{}, length), strings.NewReader("\n"+validLine("192.0.2.1")))
	r := NewReader("test.log", log, Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	clients := readClients(r)
	runtime.ReadMemStats(&after)
	if len(clients) != 1 {
		t.Errorf("clients %q after the line", clients)
	}
	checkReport(t, r.Report(), Report{Lines: 2, Entries: 1, Bad: 1})
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*MaxLine {
		t.Errorf("used %d bytes of memory", used)
	}
}

func TestReaderError(t *testing.T) {
	broken := errors.New("broken disk")
	log := io.MultiReader(strings.NewReader(validLine("192.0.2.1")+"\n"+validLine("192.0.2.2")), iotest.ErrReader(broken))
	r := NewReader("test.log", log, Options{})
	if clients := readClients(r); len(clients) != 2 {
		t.Errorf("clients %q, want those in front of the error", clients)
	}
	err := r.Err()
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "test.log: cannot be read after line 2 (") {
		t.Errorf("error %v", err)
	}
}

func TestReaderErrorAtOnce(t *testing.T) {
	broken := errors.New("broken disk")
	r := NewReader("test.log", iotest.ErrReader(broken), Options{})
	if r.Next(new(Entry)) || !errors.Is(r.Err(), broken) {
		t.Errorf("error %v", r.Err())
	}
}

func TestReaderRandomBytes(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	r := NewReader("test.log", io.LimitReader(random, 4<<20), Options{})
	readClients(r)
	report := r.Report()
	if r.Err() != nil || report.Entries != 0 || report.Bad == 0 {
		t.Errorf("report %+v, error %v", report, r.Err())
	}
}

func TestReportFirstBad(t *testing.T) {
	var total Report
	for _, name := range []string{"a.log", "b.log", "c.log"} {
		log := validLine("192.0.2.1") + "\n\n\x1b[31mred\xff\n" + strings.Repeat("é", 60) + "\n" + validLine("192.0.2.2") + "\n[17/May/2015:10:05:03 +0000]\n"
		r := NewReader(name, strings.NewReader(log), Options{})
		readClients(r)
		checkReport(t, r.Report(), Report{Lines: 6, Entries: 2, Empty: 1, Bad: 3})
		total.Add(r.Report())
	}
	checkReport(t, total, Report{Lines: 18, Entries: 6, Empty: 3, Bad: 9})
	var got []string
	for _, line := range total.FirstBad {
		got = append(got, line.String())
	}
	want := []string{
		`a.log:3: ` + ErrNoTime.Error() + `: "\x1b[31mred\xff"`,
		`a.log:4: ` + ErrNoTime.Error() + `: "` + strings.Repeat("é", 40) + `"...`,
		`a.log:6: ` + ErrNoClient.Error() + `: "[17/May/2015:10:05:03 +0000]"`,
		`b.log:3: ` + ErrNoTime.Error() + `: "\x1b[31mred\xff"`,
		`b.log:4: ` + ErrNoTime.Error() + `: "` + strings.Repeat("é", 40) + `"...`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestReaderAllocs checks that a line costs no memory of its own.
func TestReaderAllocs(t *testing.T) {
	r := NewReader("test.log", bytes.NewReader(logText(2000, ipv4Client)), Options{})
	var e Entry
	r.Next(&e)
	if n := testing.AllocsPerRun(1000, func() { r.Next(&e) }); n != 0 {
		t.Errorf("%v allocations for a line", n)
	}
}
