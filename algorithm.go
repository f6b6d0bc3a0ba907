package aforo

import (
	"fmt"
	"strings"
)

// An Algorithm is one of the five rules by which a limit decides. The zero
// Algorithm is none of them; a Limit never holds it once it is valid, unless
// it is Unlimited.
type Algorithm uint8

// The five algorithms, under the names by which they are called everywhere.
const (
	// TokenBucket lets a burst through at once and then the sustained rate.
	TokenBucket Algorithm = 1 + iota
	// LeakyBucket is a queue that drains at the rate: it shapes traffic.
	LeakyBucket
	// FixedWindow counts in windows aligned to the Unix epoch.
	FixedWindow
	// SlidingWindowLog remembers every admitted request of the last period.
	SlidingWindowLog
	// SlidingWindowCounter weighs the previous window's count against the
	// part of it that the sliding window still covers.
	SlidingWindowCounter
)

var algorithmNames = [...]string{
	TokenBucket:          "token_bucket",
	LeakyBucket:          "leaky_bucket",
	FixedWindow:          "fixed_window",
	SlidingWindowLog:     "sliding_window_log",
	SlidingWindowCounter: "sliding_window_counter",
}

// Algorithms lists the five algorithms, simplest window first.
func Algorithms() []Algorithm {
	return []Algorithm{FixedWindow, SlidingWindowLog, SlidingWindowCounter, LeakyBucket, TokenBucket}
}

// ParseAlgorithm reads an algorithm's name, such as token_bucket.
func ParseAlgorithm(name string) (Algorithm, error) {
	for a := TokenBucket; a <= SlidingWindowCounter; a++ {
		if algorithmNames[a] == name {
			return a, nil
		}
	}
	return 0, fmt.Errorf("aforo: unknown algorithm %q: write one of %s",
		name, strings.Join(algorithmNames[TokenBucket:], ", "))
}

// String is the algorithm's name, such as token_bucket.
func (a Algorithm) String() string {
	if a < TokenBucket || a > SlidingWindowCounter {
		return fmt.Sprintf("Algorithm(%d)", uint8(a))
	}
	return algorithmNames[a]
}

// isBucket tells whether the algorithm has a burst of its own.
func (a Algorithm) isBucket() bool { return a == TokenBucket || a == LeakyBucket }

// MarshalText writes the algorithm's name. It fails on the zero Algorithm.
func (a Algorithm) MarshalText() ([]byte, error) {
	if a < TokenBucket || a > SlidingWindowCounter {
		return nil, fmt.Errorf("aforo: %v has no name", a)
	}
	return []byte(a.String()), nil
}

// UnmarshalText reads an algorithm's name.
func (a *Algorithm) UnmarshalText(text []byte) error {
	parsed, err := ParseAlgorithm(string(text))
	if err == nil {
		*a = parsed
	}
	return err
}
