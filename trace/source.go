package trace

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Open opens the log file with the given path for reading; "-" is standard
// input, which closing the result leaves open. The size is that of the file as
// it is, compressed or not, in bytes, or -1 if it has none, as a pipe has not.
// Every error names the file; that of a file that is missing or may not be read
// can be recognised with [errors.Is] and the errors of package io/fs.
func Open(path string) (log io.ReadCloser, size int64, err error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), fileSize(os.Stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory; name the log files in it, for example %s/access.log", path, path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, fileSize(f), nil
}

// fileSize returns the size of a regular file, and -1 for everything else.
func fileSize(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// A countingReader counts the bytes read through it. The count may be read
// while reading goes on.
type countingReader struct {
	r io.Reader
	n atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
