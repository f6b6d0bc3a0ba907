package redistest

import (
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// clockSource is a library that is loaded before the server's C library and
// adds an offset to the wall clock. The well-known libfaketime cannot: it and
// jemalloc, which Redis is built with, wait for each other at start.
//
//go:embed testdata/clock.c
var clockSource []byte

// A steppableClock is the offset of one server's wall clock.
type steppableClock struct {
	library, file string
	offset        time.Duration
}

func newSteppableClock(tb testing.TB, dir string) *steppableClock {
	tb.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		tb.Fatalf("a server's clock cannot be stepped without a C compiler (for example: apt-get install gcc libc6-dev): %v", err)
	}
	c := &steppableClock{library: filepath.Join(dir, "clock.so"), file: filepath.Join(dir, "clock.offset")}
	source := filepath.Join(dir, "clock.c")
	if err := os.WriteFile(source, clockSource, 0o600); err != nil {
		tb.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", c.library, source).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	if err := c.set(0); err != nil {
		tb.Fatal(err)
	}
	return c
}

func (c *steppableClock) environment() []string {
	return []string{"LD_PRELOAD=" + c.library, "REDISTEST_CLOCK=" + c.file}
}

// set writes the offset into the file that the server has mapped. It is not
// made anew, and 8 bytes of one page are written as one.
func (c *steppableClock) set(offset time.Duration) error {
	file, err := os.OpenFile(c.file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	var data [8]byte
	binary.NativeEndian.PutUint64(data[:], uint64(offset))
	if _, err := file.WriteAt(data[:], 0); err != nil {
		return err
	}
	c.offset = offset
	return nil
}

// StepClock steps the server's wall clock forward, or back if d is negative,
// while it runs, and returns when the server has seen it: some read the clock
// now and then and calculate from the processor's in between. Its monotonic
// clock, and the clocks of everybody else, are left alone. The server must
// have been started with SteppableClock.
func (s *Server) StepClock(d time.Duration) {
	s.tb.Helper()
	if s.clock == nil {
		s.tb.Fatal("StepClock of a server that was started without SteppableClock()")
	}
	s.must(s.clock.set(s.clock.offset + d))
	Wait(s.tb, "the server sees its clock step", func() bool {
		return (time.Until(s.Time()) - s.clock.offset).Abs() <= d.Abs()/2
	})
}

// Time is the server's wall clock.
func (s *Server) Time() time.Time {
	s.tb.Helper()
	reply := s.Do("TIME").([]any)
	seconds, err := strconv.ParseInt(reply[0].(string), 10, 64)
	s.must(err)
	micros, err := strconv.ParseInt(reply[1].(string), 10, 64)
	s.must(err)
	return time.Unix(seconds, micros*1000)
}
