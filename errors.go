package aforo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrNoContext is returned by every operation that is given a nil context.
var ErrNoContext = errors.New("aforo: the context is nil: pass context.Background() if there is none")

// A LimitError says what is wrong with a limit, where, and what a good one
// looks like.
type LimitError struct {
	Text    string // the text that was read, or "" if the limit was made typed
	Place   int    // where in Text the value stands, in bytes; -1 if nowhere
	Field   string // limit, algorithm, rate, per, burst or name
	Value   string // the value that is wrong, as it was given
	Problem string // what is wrong with it, and the largest or smallest good one
	Good    string // a good example
}

// Error is one line with everything in it.
func (e *LimitError) Error() string {
	var b strings.Builder
	b.WriteString("aforo: ")
	if e.Text != "" {
		fmt.Fprintf(&b, "limit %s: ", excerpt(e.Text))
	}
	fmt.Fprintf(&b, "%s %s", e.Field, excerpt(e.Value))
	if e.Text != "" && e.Place >= 0 {
		fmt.Fprintf(&b, " (at byte %d)", e.Place)
	}
	fmt.Fprintf(&b, ": %s; for example: %s", e.Problem, e.Good)
	return b.String()
}

// excerpt quotes what somebody wrote if it is odd, and cuts it if it is long.
func excerpt(text string) string {
	const most = 80
	cut := text
	if len(cut) > most {
		cut = cut[:most]
	}
	if unprintable(cut) >= 0 || cut == "" || strings.ContainsAny(cut, " ,;\"") {
		cut = strconv.Quote(cut)
	}
	if len(text) > most {
		cut += fmt.Sprintf("... (%d bytes)", len(text))
	}
	return cut
}

// unprintable is the place of the first byte that is not printable ASCII, -1
// if there is none.
func unprintable(text string) int {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// A CostError says that a cost or a number of units is negative.
type CostError struct {
	Op   Op
	Cost int64
}

func (e *CostError) Error() string {
	return fmt.Sprintf("aforo: %v of %d units: the smallest is 0; for example: 1", e.Op, e.Cost)
}

// A NeverError is returned by Wait and Reserve for a cost that no waiting can
// make fit: it exceeds the capacity, or the rate is 0 and the burst is spent.
type NeverError struct {
	Cost     int64
	Capacity int64  // of the limit that refuses
	Limit    string // its name
}

func (e *NeverError) Error() string {
	return fmt.Sprintf("aforo: a cost of %d never fits in limit %s (capacity %d): waiting does not help", e.Cost, excerpt(e.Limit), e.Capacity)
}

// never is the error for somebody who would wait for what is refused for ever.
func (d Decision) never(cost int64) error {
	return &NeverError{Cost: cost, Capacity: d.Limit, Limit: d.Name}
}

// A DeadlineError is returned at once by Wait and Reserve when the turn would
// come only after the context's deadline. Nothing was taken. It is a
// context.DeadlineExceeded to errors.Is.
type DeadlineError struct {
	Wait time.Duration // until the turn
	Left time.Duration // until the deadline
}

func (e *DeadlineError) Error() string {
	return fmt.Sprintf("aforo: the turn comes in %v, after the context's deadline in %v", e.Wait, e.Left)
}

// Is makes a DeadlineError a context.DeadlineExceeded.
func (e *DeadlineError) Is(target error) bool { return target == context.DeadlineExceeded }

// A DebtError says that a charge would put a key deeper into debt than can be
// held exactly. Nothing was charged.
type DebtError struct {
	Units   int64
	Largest int64 // the largest charge that could be held now
}

func (e *DebtError) Error() string {
	return fmt.Sprintf("aforo: charge of %d units: the largest that this key can still hold exactly is %d", e.Units, e.Largest)
}
