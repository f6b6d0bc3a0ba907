package aforo

import (
	"fmt"
	"strings"
)

// maxLimits is how many limits may hold together on one key. It bounds what a
// decision costs, and lets it be made without allocating.
const maxLimits = 16

// Limits are one or more limits that hold together: a request passes all of
// them and is counted by all of them, or by none. The order in which they are
// listed never matters. The zero Limits holds none.
type Limits struct {
	list []Limit
}

// NewLimits is the limits together, at most 16. None may stand twice, since a
// request would be counted twice, and Unlimited stands alone. The error is a
// *LimitError.
func NewLimits(limits ...Limit) (Limits, error) {
	wrong := func(value, problem, good string) (Limits, error) {
		return Limits{}, &LimitError{Field: "limit", Value: value, Place: -1, Problem: problem, Good: good}
	}
	if len(limits) == 0 {
		return wrong("", "there is none", goodLimit)
	}
	if len(limits) > maxLimits {
		return wrong(fmt.Sprintf("%d limits", len(limits)), fmt.Sprintf("at most %d hold together", maxLimits), "10/s burst 20, 1000/h")
	}
	for i, l := range limits {
		if err := l.Validate(); err != nil {
			return Limits{}, err
		}
		if l.unlimited && len(limits) > 1 {
			return wrong("unlimited", "it stands alone: together with other limits it would mean nothing", "unlimited")
		}
		for _, other := range limits[:i] {
			if l.limitID == other.limitID {
				return wrong(l.text, "it stands twice, so that each request would count twice", "10/s burst 20, 1000/h")
			}
			if l.Name() == other.Name() {
				return wrong(l.Name(), "two limits have this name, so that nobody could tell which one refused", `"per-second", "per-hour"`)
			}
		}
	}
	return Limits{append([]Limit(nil), limits...)}, nil
}

// Len is how many limits there are.
func (ls Limits) Len() int { return len(ls.list) }

// List is a copy of the limits, in the order in which they were given.
func (ls Limits) List() []Limit { return append([]Limit(nil), ls.list...) }

// String is the limits in the grammar of ParseLimits.
func (ls Limits) String() string {
	texts := make([]string, len(ls.list))
	for i, l := range ls.list {
		texts[i] = l.text
	}
	return strings.Join(texts, ", ")
}

// MarshalText writes the limits as String does.
func (ls Limits) MarshalText() ([]byte, error) {
	if len(ls.list) == 0 {
		_, err := NewLimits()
		return nil, err
	}
	return []byte(ls.String()), nil
}

// UnmarshalText reads limits as ParseLimits does.
func (ls *Limits) UnmarshalText(text []byte) error {
	parsed, err := ParseLimits(string(text))
	if err == nil {
		*ls = parsed
	}
	return err
}
