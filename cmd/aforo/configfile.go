package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
)

// readConfig reads a configuration file, or standard input for "-". The error
// names the file.
func readConfig(file string, stdin io.Reader) (*config.Config, error) {
	if file == "-" {
		return parseConfig("standard input", stdin)
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; for example: aforo.yaml", file)
	case err != nil:
		return nil, unreadable(file, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s: this is a directory; name a file in it, for example: aforo.yaml", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer f.Close()
	return parseConfig(file, f)
}

// parseConfig reads no more than a configuration may have, whatever is behind
// the reader.
func parseConfig(name string, r io.Reader) (*config.Config, error) {
	data, err := io.ReadAll(io.LimitReader(r, config.MaxSize+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	return config.Parse(name, data)
}

// unreadable leaves out of an error the path that is said already.
func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: cannot be read: %w", name, err)
}
