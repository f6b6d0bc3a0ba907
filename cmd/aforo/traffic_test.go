package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/aforo-dev/aforo/trace"
)

// TestCompressedLogs: the same log, compressed or not, is the same traffic.
func TestCompressedLogs(t *testing.T) {
	var log strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&log, "192.0.2.%d - - [02/Mar/2026:10:%02d:%02d +0000] \"GET /%d HTTP/1.1\" 200 1\n", i%7, i/60%60, i%60, i)
	}
	compressors := map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
	want := runLog(t, []byte(log.String()))
	if want.code != exitOK || !strings.Contains(want.out, "3000 requests of 7 clients") {
		t.Fatalf("%+v", want)
	}
	for name, compressor := range compressors {
		var b bytes.Buffer
		w := compressor(&b)
		if _, err := io.WriteString(w, log.String()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := runLog(t, b.Bytes()); got != want {
			t.Errorf("%s: %+v", name, got)
		}
		cut := runLog(t, b.Bytes()[:b.Len()/2])
		if cut.code != exitError || !strings.Contains(cut.err, "cannot be decompressed, it may be cut short") {
			t.Errorf("%s, cut short: %+v", name, cut)
		}
	}
}

// runLog replays a log.
func runLog(t *testing.T, log []byte) result {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("log", log, 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run([]string{"replay", "log", "--limit", "10/m"}, streams{out: &out, err: &errs})
	return result{code, out.String(), errs.String()}
}

// TestLogLargerThanMemory: a log of which little fits into memory, in the worst
// order, is decided as the same log in order that fits.
func TestLogLargerThanMemory(t *testing.T) {
	const requests = 20_000
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var inOrder, backwards bytes.Buffer
	for i := range requests {
		line := func(n int) string { return fmt.Sprintf("%d,192.0.2.%d\n", 1772445600_000+n*7, n%97) }
		inOrder.WriteString(line(i))
		backwards.WriteString(line(requests - 1 - i))
	}
	want := played(t, &inOrder, 0)
	got := played(t, &backwards, 1)
	for i, c := range got.Columns {
		w := want.Columns[i]
		if c.Allowed != w.Allowed || c.Refused != w.Refused || c.LongestDelay != w.LongestDelay || c.Timeline != w.Timeline || w.Refused == 0 {
			t.Errorf("%s: %d allowed and %d refused, want %d and %d", c.Limits, c.Allowed, c.Refused, w.Allowed, w.Refused)
		}
	}
	if late, _ := got.Traffic.OutOfOrder(); late != requests-1 {
		t.Errorf("%d out of order", late)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*requests*")); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// played replays a log, with so many bytes of requests in memory.
func played(t *testing.T, log io.Reader, memory int64) *replay {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	text, err := io.ReadAll(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	flags := trafficFlags{key: "ip", missing: "together", format: "csv time=1 client=2", maxBad: "0%"}
	traffic, err := flags.newTraffic()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traffic.close)
	traffic.Requests = trace.NewRequests(memory)
	columns, err := replayColumns([]string{"20/m burst 7"})
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{Traffic: traffic}
	if err := traffic.read(t.Context(), []string{path}, &progress{}); err != nil {
		t.Fatal(err)
	}
	if err := r.play(t.Context(), columns, &progress{}); err != nil {
		t.Fatal(err)
	}
	return r
}
