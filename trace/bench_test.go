package trace

import (
	"bytes"
	"fmt"
	"testing"
)

// logText returns a combined log of n lines with different clients.
func logText(n int, client func(i int) string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `%s - - [17/May/2015:10:%02d:%02d +0000] "GET /articles/%d/index.html?page=2 HTTP/1.1" 200 %d `+
			`"https://www.example.com/articles/" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"`+"\n",
			client(i), i/60%60, i%60, i%500, 1000+i)
	}
	return b.Bytes()
}

func ipv4Client(i int) string { return fmt.Sprintf("198.51.100.%d", i%256) }

func ipv6Client(i int) string { return fmt.Sprintf("2001:db8:59:%x:a5cd:4d3c:ca26:18b8", i%4096) }

// benchmarkLog reads the log as often as it takes to read b.N lines.
func benchmarkLog(b *testing.B, log []byte, lines int, use func(e *Entry)) {
	b.SetBytes(int64(len(log) / lines))
	b.ReportAllocs()
	b.ResetTimer()
	var e Entry
	for done := 0; done < b.N; {
		r := NewReader("bench.log", bytes.NewReader(log), Options{})
		for done < b.N && r.Next(&e) {
			use(&e)
			done++
		}
		if err := r.Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkReader(b *testing.B) {
	const lines = 100_000
	benchmarkLog(b, logText(lines, ipv4Client), lines, func(*Entry) {})
}

func BenchmarkReaderGzip(b *testing.B) {
	const lines = 100_000
	log := gzipped(b, logText(lines, ipv4Client))
	benchmarkLog(b, log, lines, func(*Entry) {})
}

// BenchmarkReaderKey is what a replay does for each line.
func BenchmarkReaderKey(b *testing.B) {
	const lines = 100_000
	key, err := ParseKey("ip+path")
	if err != nil {
		b.Fatal(err)
	}
	for name, client := range map[string]func(int) string{"IPv4": ipv4Client, "IPv6": ipv6Client} {
		b.Run(name, func(b *testing.B) {
			var buf []byte
			benchmarkLog(b, logText(lines, client), lines, func(e *Entry) { buf, _ = key.Append(buf[:0], e) })
		})
	}
}

func BenchmarkParseCombined(b *testing.B) {
	line := bytes.TrimSpace(logText(1, ipv4Client))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var e Entry
	for range b.N {
		if err := ParseCombined(line, &e, nil); err != nil {
			b.Fatal(err)
		}
	}
}
