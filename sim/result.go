package sim

import (
	"time"

	"github.com/aforo-dev/aforo"
)

// A Result is what limits did to a load.
type Result struct {
	Limits aforo.Limits

	// Allowed and Refused are how many requests were, with how many units.
	Allowed, Refused           int
	AllowedUnits, RefusedUnits int64

	// Keys is how many keys there were.
	Keys int

	// Touched is how many keys were refused at least once.
	Touched int

	// Worst is the key that was refused most often (the first of the load, if
	// there are several), with how many of its requests were refused and how
	// many it made. It is zero if nobody was refused.
	Worst KeyResult

	// MeanDelay, P99Delay and LongestDelay are how long the allowed requests
	// were held back, by the queue of a leaky bucket and by the way to a shared
	// store: on average, all but the 1 % that waited longest, and at most. The
	// longest is Never if a request is never released.
	MeanDelay, P99Delay, LongestDelay time.Duration

	// Most is the most that passed in any one window.
	Most Most

	// LongestWait is the longest wait that a refusal told, of those after
	// which waiting helps.
	LongestWait time.Duration

	// LongestStarvation is the longest time during which a client got nothing
	// though it asked: from a first refusal to the next request that was
	// allowed, or, if it did not ask by then, to the end of the wait that it was
	// told last.
	LongestStarvation time.Duration

	// StateBytes is how much a store remembers of one key at most: 8 bytes a
	// number, and the entries of a log as they are packed.
	StateBytes int

	// Over and Under are the requests that were decided otherwise than by exact
	// sliding window logs of the same rates that got the same requests: those
	// that were allowed and that the logs refused, and the other way round. So
	// the logs allowed Allowed - Over + Under. Of an unlimited limit they are 0.
	Over, Under int

	// Series is the rates over time, if Options.Step asked for it.
	Series Series

	// Events are the first decisions, if Options.Events asked for them.
	Events []Event
}

// A KeyResult is what happened to one key.
type KeyResult struct {
	Key      string
	Requests int
	Refused  int
}

// Most is the largest number of units that passed for one key in any window as
// long as a limit's period, wherever it starts: those of a leaky bucket when it
// releases them, others when they are decided. Of several limits it is the one
// whose rate was exceeded by the largest factor.
type Most struct {
	Units  int64
	Rate   int64 // what the limit says
	Period time.Duration
	Key    string
}

// A Series is units over time. A request that comes or passes after the end of
// the load is in the last stretch if it comes at its last instant, and is left
// out otherwise.
type Series struct {
	From int64         // microseconds since the Unix epoch
	Step time.Duration // how long each stretch is
	In   []int64       // units asked for in each
	Out  []int64       // units that passed in each

	// Level is what each limit held at the end of each stretch of the key of
	// the first request, in all stores together: see Gauge.
	Level [][]float64
}

// An Event is one decision.
type Event struct {
	At       int64 // when the client sent, in microseconds since the Unix epoch
	Decided  int64 // when the store decided
	Client   string
	Key      string
	Cost     int64
	Instance int // who was asked, from 0
	Allowed  bool
	Retry    int64 // microseconds until the same request is allowed; 0 if it is, -1 is never
	Delay    int64 // microseconds until it is released; -1 is never
	Limits   []LimitEvent
}

// A LimitEvent is what one limit had to do with a decision.
type LimitEvent struct {
	Verdict       aforo.Verdict // by this limit alone
	Before, After float64       // its Gauge
	Reason        Reason
}
