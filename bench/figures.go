package main

import "github.com/aforo-dev/aforo/bench/internal/numbers"

// spread is the least and the greatest of the repetitions.
func spread(x Sample) string {
	least, most := x.Values[0], x.Values[0]
	for _, v := range x.Values {
		least, most = min(least, v), max(most, v)
	}
	return numbers.Text(least) + "-" + numbers.Text(most)
}

// nothing is below what a figure shows. A ratio to it would be of noise.
const nothing = 0.005

// ratio is how many times as much as another something is.
func ratio(x, other float64) string {
	switch {
	case x < nothing && other < nothing:
		return "1.00x"
	case other < nothing:
		return "-"
	}
	return numbers.Text(x/other) + "x"
}

// isLess tells whether one costs less than another by as much as is shown.
func isLess(x, other float64) bool { return other >= nothing && x < other*0.995 }
