package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// MaxLine is the length of the longest line that is read, in bytes without the
// line ending. A longer line is bad, and skipped without being kept in memory.
const MaxLine = 1 << 20

// ErrTooLong is the error for a line of more than [MaxLine] bytes.
var ErrTooLong = errors.New("line of more than 1 MiB")

// Options are the choices for a [Reader]. The zero value is the default.
type Options struct {
	// Location is where the clock of a time stamp without an offset from UTC
	// stands. Nil means UTC.
	Location *time.Location

	// Format is how lines are read. The zero Format finds out by itself, from
	// the first lines.
	Format Format

	// Decompressors are tried besides gzip and bzip2, which are built in.
	Decompressors []Decompressor
}

// A Reader reads the requests of one log, in the way of a [bufio.Scanner]. It
// holds a little more than [MaxLine] bytes. Apart from [Reader.Consumed], its
// methods are for one goroutine at a time.
type Reader struct {
	name    string
	options Options
	formats recognised // of the first lines

	source     countingReader
	lines      *bufio.Reader // nil until the first line is asked for
	compressed bool
	textBytes  int64 // read from lines

	report Report
	err    error // io.EOF at the end
}

// NewReader returns a reader of the log r, compressed or not, which is found out
// by its content. The name is for messages. NewReader itself reads nothing, and
// the reader never closes r.
func NewReader(name string, r io.Reader, o Options) *Reader {
	return &Reader{name: name, options: o, source: countingReader{r: r}}
}

// Next reads up to the next request and puts it into e, the slices of which are
// valid until the next call. It returns false at the end of the log and when
// the log cannot be read further, which [Reader.Err] tells apart. Lines that
// are not requests are counted in the [Report] and passed over.
func (r *Reader) Next(e *Entry) bool {
	for {
		line, ok := r.nextLine()
		if !ok {
			return false
		}
		switch err := r.formats.parse(trimPrefix(line), e); err {
		case nil:
			r.report.count(e)
			return true
		case errOther:
			r.report.Other++
		default:
			r.bad(line, err)
		}
	}
}

// Err returns the error that ended the reading, or nil if the log was read to
// its end or is still being read. It names the log and says how far it was
// read, and wraps the error of the underlying reader or of package gzip.
func (r *Reader) Err() error {
	if r.err == nil || r.err == io.EOF {
		return nil
	}
	what := "cannot be read"
	if r.compressed {
		what = "cannot be decompressed, it may be cut short"
	}
	return fmt.Errorf("%s: %s after line %d (%d bytes of text): %w",
		r.name, what, r.report.Lines, r.textBytes, r.err)
}

// Format says in words what format the lines have, the most frequent one first
// if there are several, once the first line has been read.
func (r *Reader) Format() string { return r.formats.String() }

// Report returns the counts of what was read so far. The result is a snapshot,
// which reading on does not change.
func (r *Reader) Report() Report {
	report := r.report
	report.FirstBad = slices.Clone(report.FirstBad)
	return report
}

// Consumed returns the number of bytes taken from the underlying reader so far,
// before any decompression: with the size that [Open] returns it makes a
// progress bar. It may be called while another goroutine reads.
func (r *Reader) Consumed() int64 { return r.source.n.Load() }

// nextLine returns the next line that is neither empty nor too long, without
// its ending.
func (r *Reader) nextLine() (line []byte, ok bool) {
	for r.err == nil {
		line := r.readLine()
		r.textBytes += int64(len(line))
		if len(line) == 0 {
			continue // the end, or a line already dealt with
		}
		r.report.Lines++
		if r.report.Lines == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			r.report.Empty++
		case len(line) > MaxLine:
			r.bad(line, ErrTooLong)
		default:
			return line, true
		}
	}
	return nil, false
}

// readLine returns the next line with its ending, of which the last line may
// have none. It returns no bytes at the end.
func (r *Reader) readLine() []byte {
	if r.lines == nil && !r.open() {
		return nil
	}
	line, err := r.lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.report.Lines++
		r.bad(line, ErrTooLong)
		for err == bufio.ErrBufferFull {
			r.textBytes += int64(len(line))
			line, err = r.lines.ReadSlice('\n')
		}
		r.textBytes += int64(len(line))
		line = nil
	}
	r.err = err
	return line
}

// open prepares for the first line. It is not done by NewReader as it reads,
// which may take its time, and may fail.
func (r *Reader) open() bool {
	var text io.Reader
	text, r.compressed, r.err = decompress(&r.source, r.options.Decompressors)
	if r.err != nil {
		return false
	}
	// The buffer holds the longest line and its ending, so no line has to be
	// put together from pieces.
	r.lines = bufio.NewReaderSize(text, MaxLine+len("\r\n"))
	sample, _ := r.lines.Peek(sampleSize) // an error comes again with the lines
	r.formats = recognise(r.options.Format, sample, r.options.Location)
	return true
}

// bad counts the line that was read last as one that is not a request.
func (r *Reader) bad(line []byte, reason error) {
	r.report.Bad++
	if len(r.report.FirstBad) < KeptBad {
		r.report.FirstBad = append(r.report.FirstBad, BadLine{
			File:    r.name,
			Line:    r.report.Lines,
			Reason:  reason.Error(),
			Excerpt: excerpt(line),
		})
	}
}
