package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// gzipped returns the data compressed, as one member for each argument.
func gzipped(t testing.TB, members ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, data := range members {
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	text := logText(100, ipv4Client)
	half := len(text)/2 + 11 // within a line
	tests := map[string][]byte{
		"one member":     gzipped(t, text),
		"two members":    gzipped(t, text[:half], text[half:]),
		"an empty one":   gzipped(t, text[:half], nil, text[half:]),
		"with BOM":       gzipped(t, append([]byte("\xef\xbb\xbf"), text...)),
		"not compressed": text,
	}
	for name, log := range tests {
		t.Run(name, func(t *testing.T) {
			r := NewReader("access.log", bytes.NewReader(log), Options{})
			readClients(r)
			if err := r.Err(); err != nil {
				t.Error(err)
			}
			checkReport(t, r.Report(), Report{Lines: 100, Entries: 100})
			if n := r.Consumed(); n != int64(len(log)) {
				t.Errorf("consumed %d bytes of %d", n, len(log))
			}
		})
	}
}

func TestGzipEmpty(t *testing.T) {
	r := NewReader("access.log", bytes.NewReader(gzipped(t, nil)), Options{})
	readClients(r)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	checkReport(t, r.Report(), Report{})
}

// TestGzipTruncated cuts a compressed log short everywhere: what is in front of
// the cut is read, and the error names the log and says how far that was.
func TestGzipTruncated(t *testing.T) {
	log := gzipped(t, logText(2000, ipv4Client))
	var most int64
	for n := 2; n < len(log); n += 1 + n/50 {
		r := NewReader("access.log.gz", bytes.NewReader(log[:n]), Options{})
		readClients(r)
		err := r.Err()
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "access.log.gz: cannot be decompressed") {
			t.Fatalf("cut after %d bytes: error %v", n, err)
		}
		if report := r.Report(); report.Lines != report.Entries+report.Bad || report.Bad > 1 {
			t.Fatalf("cut after %d bytes: report %+v", n, report)
		}
		most = max(most, r.Report().Entries)
	}
	if most < 1000 {
		t.Errorf("at most %d of 2000 requests were read", most)
	}
}

func TestGzipCorrupt(t *testing.T) {
	text := logText(2000, ipv4Client)
	whole := gzipped(t, text)
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0xff
	checksum := bytes.Clone(whole)
	checksum[len(checksum)-8] ^= 0xff
	for name, log := range map[string][]byte{
		"damaged":          damaged,
		"wrong checksum":   checksum,
		"garbage behind":   append(bytes.Clone(whole), "garbage behind the end"...),
		"header only":      whole[:10],
		"magic bytes only": whole[:2],
		"not gzip at all":  []byte("\x1f\x8bnot gzip at all"),
	} {
		r := NewReader("access.log.gz", bytes.NewReader(log), Options{})
		readClients(r)
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), "access.log.gz") {
			t.Errorf("%s: error %v", name, err)
		}
		if r.Next(new(Entry)) {
			t.Errorf("%s: a request after the error", name)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	line := validLine("192.0.2.1") + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	log, size, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if size != int64(len(line)) {
		t.Errorf("size %d, want %d", size, len(line))
	}
	if clients := readClients(NewReader(path, log, Options{})); len(clients) != 1 {
		t.Errorf("clients %q", clients)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.log")
	if _, _, err := Open(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing file: error %v", err)
	}
	if _, _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), dir+": is a directory") {
		t.Errorf("directory: error %v", err)
	}
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		return // such a file can be read
	}
	secret := filepath.Join(dir, "secret.log")
	if err := os.WriteFile(secret, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(secret); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), secret) {
		t.Errorf("file that may not be read: error %v", err)
	}
}

// TestOpenStandardInput pipes a compressed log into standard input.
func TestOpenStandardInput(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
	os.Stdin = in

	compressed := gzipped(t, logText(10, ipv4Client)) // less than a pipe holds
	if _, err := out.Write(compressed); err != nil {
		t.Fatal(err)
	}
	out.Close()

	log, size, err := Open("-")
	if err != nil || size != -1 {
		t.Fatalf("size %d, error %v", size, err)
	}
	r := NewReader("standard input", log, Options{})
	readClients(r)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	checkReport(t, r.Report(), Report{Lines: 10, Entries: 10})
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if _, err := in.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
	in.Close()
}
