package trace

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
)

// A Decompressor reads what some program has compressed. This package depends on
// nothing but the standard library, so others are given to it.
type Decompressor struct {
	Name  string // such as zstd
	Magic []byte // with which compressed data begins
	Open  func(io.Reader) (io.Reader, error)
}

var builtIn = []Decompressor{
	{"gzip", []byte("\x1f\x8b"), func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"bzip2", []byte("BZh"), func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
}

// notRead are compressions that are known by their beginnings, with a command
// that undoes them.
var notRead = []struct{ name, magic, command string }{
	{"zstd", "\x28\xb5\x2f\xfd", "zstd -dc"},
	{"xz", "\xfd7zXZ\x00", "xz -dc"},
	{"zip", "PK\x03\x04", "unzip -p"},
	{"lz4", "\x04\x22\x4d\x18", "lz4 -dc"},
}

// decompress returns the text that r delivers, decompressed if it begins as
// compressed data does, whatever the name of the file is.
func decompress(r io.Reader, more []Decompressor) (text io.Reader, compressed bool, err error) {
	// Reads larger than this buffer bypass it, so for plain text it costs no copy.
	buffered := bufio.NewReaderSize(r, 64<<10)
	start, err := buffered.Peek(6)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	for _, list := range [][]Decompressor{builtIn, more} {
		for _, d := range list {
			if bytes.HasPrefix(start, d.Magic) {
				text, err = d.Open(buffered)
				return text, true, err
			}
		}
	}
	for _, n := range notRead {
		if bytes.HasPrefix(start, []byte(n.magic)) {
			return nil, true, fmt.Errorf("compressed with %s, which is not read here; for example: %s FILE | aforo replay -", n.name, n.command)
		}
	}
	return buffered, false, nil
}
