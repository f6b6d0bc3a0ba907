package main

import (
	"errors"
	"fmt"
	"strings"
)

// Exit codes. They are part of the interface: scripts depend on them.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitRefused = 3
)

// errRefused ends a check that was refused.
var errRefused = errors.New("refused")

// errUsage marks errors about how a command was called.
type errUsage struct{ error }

// usageError says what is wrong with how a command was called, with a good
// example if there is one.
func usageError(format string, args ...any) error {
	return errUsage{fmt.Errorf(format, args...)}
}

func exitCode(err error) int {
	var usage errUsage
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errRefused):
		return exitRefused
	}
	return exitError
}

// lines is what to print of an error, a line each for an error of many parts.
// The prefix that the library puts on its own is ours to print.
func lines(err error) (all []string) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			all = append(all, lines(one)...)
		}
		return all
	}
	return []string{strings.TrimPrefix(err.Error(), "aforo: ")}
}
