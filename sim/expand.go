package sim

import (
	"strings"

	"github.com/aforo-dev/aforo"
)

// Expand is the limits that a text stands for, as columns to be compared side
// by side. A limit that names its algorithm, or several limits that hold
// together, stand for themselves; one that names none is played by all five.
func Expand(text string) ([]aforo.Limits, error) {
	limits, err := aforo.ParseLimits(text)
	if err != nil {
		return nil, err
	}
	list := limits.List()
	if len(list) > 1 || list[0].IsUnlimited() || namesAlgorithm(text) {
		return []aforo.Limits{limits}, nil
	}
	var all []aforo.Limits
	for _, a := range aforo.Algorithms() {
		one, err := aforo.NewLimits(withAlgorithm(list[0], a))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func namesAlgorithm(text string) bool {
	_, err := aforo.ParseAlgorithm(strings.Fields(text)[0])
	return err == nil
}

// withAlgorithm is the limit at the same rate under another algorithm. A burst
// goes with the buckets only.
func withAlgorithm(l aforo.Limit, a aforo.Algorithm) aforo.Limit {
	if a == aforo.TokenBucket || a == aforo.LeakyBucket {
		return l.Using(a)
	}
	return aforo.Per(l.Rate(), l.Period()).Using(a)
}
