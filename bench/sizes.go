package main

import "strconv"

// Sizes is how much is measured.
type Sizes struct {
	Reps     int   // repetitions, whose median counts
	Hot      int   // decisions of a repetition on one key
	Keys     int   // keys of the large tables
	Draws    int   // decisions of a repetition on a large table
	Curve    []int // keys along the curve
	PeerKeys int   // more keys than this only for Aforo and the yardsticks
	BigTable int   // keys of the largest table whose memory is measured
	Grow     int   // new keys in the measurement of growth
	Log      int   // the large limit of the sliding log
}

func fullSizes() Sizes {
	return Sizes{
		Reps: 5, Hot: 1_000_000, Keys: 1_000_000, Draws: 500_000,
		Curve: []int{10_000, 100_000, 1_000_000, 10_000_000}, PeerKeys: 1_000_000,
		BigTable: 10_000_000, Grow: 5_000_000, Log: 100_000,
	}
}

// quickSizes only show that everything works.
func quickSizes() Sizes {
	return Sizes{
		Reps: 2, Hot: 20_000, Keys: 20_000, Draws: 20_000,
		Curve: []int{1_000, 20_000, 100_000}, PeerKeys: 20_000,
		BigTable: 100_000, Grow: 50_000, Log: 1_000,
	}
}

// short writes a count as people say it: 10k, 1M.
func short(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 1_000 && n%1_000 == 0:
		return strconv.Itoa(n/1_000) + "k"
	}
	return strconv.Itoa(n)
}
