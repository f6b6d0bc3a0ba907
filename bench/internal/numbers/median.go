// Package numbers sums measurements up, and writes them as exactly as they
// deserve.
package numbers

import "slices"

// Median is the middle of the values: one bad repetition does not move it. Of
// none it is 0.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	default:
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
}
