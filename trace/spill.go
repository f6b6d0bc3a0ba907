package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// recordSize is how many bytes a Request takes in the temporary file, and in
// memory.
const recordSize = 16

// A spill is the temporary file in which runs of requests stand one after
// another.
//
// Its name is removed as soon as it is open, so that nothing is left of it
// however the program ends; where a system does not allow that, Close does it.
type spill struct {
	file  *os.File
	named bool
	size  int64
	buf   []byte
}

// A run is requests in order of time: where they stand in the file.
type run struct{ from, bytes int64 }

func newSpill() (*spill, error) {
	f, err := os.CreateTemp("", "aforo-requests-*")
	if err != nil {
		return nil, fmt.Errorf("no temporary file to sort a large log in, which TMPDIR may place elsewhere: %w", err)
	}
	return &spill{file: f, named: os.Remove(f.Name()) != nil}, nil
}

// write appends a run.
func (s *spill) write(list []Request) (run, error) {
	r := run{from: s.size, bytes: int64(len(list)) * recordSize}
	for len(list) > 0 {
		n := min(len(list), 1<<13)
		s.buf = s.buf[:0]
		for _, request := range list[:n] {
			s.buf = appendRecord(s.buf, request)
		}
		if _, err := s.file.Write(s.buf); err != nil {
			return run{}, fmt.Errorf("a large log is sorted in a temporary file, which TMPDIR may place elsewhere: %w", err)
		}
		list = list[n:]
	}
	s.size += r.bytes
	return r, nil
}

// Close closes the file, and removes it if that has not been done yet.
func (s *spill) Close() error {
	err := s.file.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

func appendRecord(dst []byte, r Request) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.Time))
	dst = binary.LittleEndian.AppendUint32(dst, r.Key)
	dst = binary.LittleEndian.AppendUint16(dst, r.Status)
	if r.Refused {
		return append(dst, 1, 0)
	}
	return append(dst, 0, 0)
}

func readRecord(b []byte) Request {
	return Request{
		Time:    int64(binary.LittleEndian.Uint64(b)),
		Key:     binary.LittleEndian.Uint32(b[8:]),
		Status:  binary.LittleEndian.Uint16(b[12:]),
		Refused: b[14] == 1,
	}
}

// A cursor goes through one run.
type cursor struct {
	next  Request // if it is not at its end
	order int     // of its run
	in    *bufio.Reader
	rest  []Request // in place of in, for what is still in memory
}

// advance reads the next request; io.EOF is the end of the run.
func (c *cursor) advance() error {
	if c.in == nil {
		if len(c.rest) == 0 {
			return io.EOF
		}
		c.next, c.rest = c.rest[0], c.rest[1:]
		return nil
	}
	b, err := c.in.Peek(recordSize)
	if len(b) == recordSize {
		c.next = readRecord(b)
		_, err = c.in.Discard(recordSize)
		return err
	}
	if err == io.EOF && len(b) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// before tells which of two cursors is read first: of one instant, the earlier
// run.
func (c *cursor) before(d *cursor) bool {
	return c.next.Time < d.next.Time || c.next.Time == d.next.Time && c.order < d.order
}

// merge goes through all runs, and what is held, at once.
func (q *Requests) merge(use func(Request) error) error {
	var heap []*cursor // the cursor that is read first is at the top
	for i, r := range q.runs {
		c := &cursor{order: i, in: bufio.NewReaderSize(io.NewSectionReader(q.spill.file, r.from, r.bytes), 64<<10)}
		if err := c.advance(); err != nil {
			return fmt.Errorf("the temporary file of a large log cannot be read: %w", err)
		}
		heap = append(heap, c)
	}
	if held := (&cursor{order: len(q.runs), rest: q.held}); held.advance() == nil {
		heap = append(heap, held)
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for len(heap) > 0 {
		top := heap[0]
		if err := use(top.next); err != nil {
			return err
		}
		switch err := top.advance(); {
		case err == io.EOF:
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		case err != nil:
			return fmt.Errorf("the temporary file of a large log cannot be read: %w", err)
		}
		sink(heap, 0)
	}
	return nil
}

// sink moves a cursor of the heap down to where it belongs.
func sink(heap []*cursor, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
