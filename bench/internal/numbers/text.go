package numbers

import (
	"fmt"
	"math"
	"strconv"
)

// Text writes a number with three digits.
func Text(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 100:
		return Thousands(int64(math.Round(v)))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// Thousands writes a whole number with commas.
func Thousands(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}
