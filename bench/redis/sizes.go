package main

import "time"

// Sizes is how much is measured.
type Sizes struct {
	Repetitions int           // rounds, whose median counts
	Slice       time.Duration // for which each subject is asked in a round
	Callers     []int         // that ask at once
	Keys        int           // of the workload with many
	Stored      int           // keys in the server while memory is measured
	Log         int           // the limit of the long log
	Budget      time.Duration // of Aforo's calls
}

// fullSizes have a budget that is larger than the default, so that on a machine with
// other work fewer calls fail, and not so large that each needs a timer of its own.
func fullSizes() Sizes {
	return Sizes{Repetitions: 11, Slice: 150 * time.Millisecond, Callers: []int{1, 8, target, mostCallers},
		Keys: 10_000, Stored: 100_000, Log: 100_000, Budget: 90 * time.Millisecond}
}

// quickSizes are so small that their figures say nothing. Nothing is to fail.
func quickSizes() Sizes {
	return Sizes{Repetitions: 2, Slice: 10 * time.Millisecond, Callers: []int{1, target},
		Keys: 100, Stored: 1000, Log: 2000, Budget: 10 * time.Second}
}

// target is the number of callers for which Aforo has set itself targets.
const target = 64
