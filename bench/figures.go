package main

import (
	"fmt"
	"math"
	"strconv"
)

// figure writes a number as exactly as a measurement deserves: three digits.
func figure(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return thousands(int64(math.Round(v)))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

func thousands(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// spread is the least and the greatest of the repetitions.
func spread(x Sample) string {
	least, most := x.Values[0], x.Values[0]
	for _, v := range x.Values {
		least, most = min(least, v), max(most, v)
	}
	return figure(least) + "-" + figure(most)
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
	return figure(x/other) + "x"
}

// isLess tells whether one costs less than another by as much as is shown.
func isLess(x, other float64) bool { return other >= nothing && x < other*0.995 }
