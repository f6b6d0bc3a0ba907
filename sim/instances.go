package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// MaxInstances is the largest number of instances of a service.
const MaxInstances = 1000

// Instances are the processes of a service that decide, behind a load balancer.
// The zero Instances is one process with a store of its own, and the right
// time.
type Instances struct {
	// N is how many there are, at most MaxInstances. 0 is 1.
	N int
	// Random makes the load balancer choose each time anew; otherwise they
	// take turns.
	Random bool
	// Shared makes them share one store; otherwise each has its own.
	Shared bool
	// Latency is how long a question to the shared store takes, there and
	// back, drawn between the two.
	Latency [2]time.Duration
	// Skew is by how much the clock of the last instance is ahead; the first
	// has the right time, and the others are evenly between. It is not
	// negative.
	Skew time.Duration
	// OwnClocks makes a shared store decide by the clock of the instance that
	// asks; otherwise it decides by its own, which is right.
	OwnClocks bool
}

// ParseInstances reads instances as people write them: how many, and then any
// of
//
//	random           the load balancer chooses by chance; without, they take turns
//	shared           one store for all; without, each has its own
//	latency 1ms..5ms of the shared store, there and back; or one time for all
//	skew 2s          how far the clock of the last one is ahead; others between
//	own clocks       the shared store decides by the clock of who asks
//
// as in "4 random shared latency 1ms..5ms". The error is a *TextError.
func ParseInstances(text string) (Instances, error) {
	words := split(text)
	var in Instances
	wrong := func(w word, field, problem string) (Instances, error) {
		return Instances{}, &TextError{What: "instances", Text: text, Place: w.place, Field: field, Value: w.text, Problem: problem, Good: "4 shared latency 1ms..5ms"}
	}
	next := func() word {
		if len(words) == 0 {
			return word{"", len(text)}
		}
		w := words[0]
		words = words[1:]
		return w
	}
	first := next()
	n, err := readNumber(first.text, MaxInstances)
	if err != nil {
		return wrong(first, "number", err.Error())
	}
	in.N = int(n)
	for len(words) > 0 {
		w := next()
		switch w.text {
		case "random":
			in.Random = true
		case "shared":
			in.Shared = true
		case "latency":
			w = next()
			in.Latency, err = readLatency(w.text)
		case "skew":
			w = next()
			in.Skew, err = readDuration(w.text)
		case "own":
			if w = next(); w.text != "clocks" {
				return wrong(w, "word", "write own clocks")
			}
			in.OwnClocks = true
		default:
			return wrong(w, "word", "there are random, shared, latency, skew and own clocks")
		}
		if err != nil {
			return wrong(w, "time", err.Error())
		}
	}
	if !in.Shared && (in.OwnClocks || in.Latency[1] > 0) {
		return wrong(word{text, 0}, "store", "latency and own clocks are of a shared store")
	}
	return in, nil
}

func readDuration(text string) (time.Duration, error) {
	us, err := readTime(text)
	return time.Duration(us) * time.Microsecond, err
}

func readLatency(text string) (latency [2]time.Duration, err error) {
	low, high, drawn := strings.Cut(text, "..")
	if latency[0], err = readDuration(low); err != nil {
		return latency, err
	}
	if latency[1] = latency[0]; drawn {
		latency[1], err = readDuration(high)
	}
	switch {
	case err != nil:
		return latency, err
	case latency[1] < latency[0]:
		return latency, fmt.Errorf("the first of the two is the shorter")
	case latency[1] > time.Minute:
		return latency, fmt.Errorf("the longest is 1m")
	}
	return latency, nil
}

// String is the instances as ParseInstances reads them.
func (in Instances) String() string {
	texts := []string{fmt.Sprint(max(1, in.N))}
	if in.Random {
		texts = append(texts, "random")
	}
	if in.Shared {
		texts = append(texts, "shared")
	}
	if low, high := in.Latency[0], in.Latency[1]; high > 0 {
		text := "latency " + writeTime(low.Microseconds())
		if high > low {
			text += ".." + writeTime(high.Microseconds())
		}
		texts = append(texts, text)
	}
	if in.Skew > 0 {
		texts = append(texts, "skew "+writeTime(in.Skew.Microseconds()))
	}
	if in.OwnClocks {
		texts = append(texts, "own clocks")
	}
	return strings.Join(texts, " ")
}

// MarshalText writes the instances as String does.
func (in Instances) MarshalText() ([]byte, error) { return []byte(in.String()), nil }

// UnmarshalText reads instances as ParseInstances does.
func (in *Instances) UnmarshalText(text []byte) error {
	parsed, err := ParseInstances(string(text))
	if err == nil {
		*in = parsed
	}
	return err
}

// balancer says which instance decides a request, and when.
type balancer struct {
	Instances
	chance *rand.Rand
	turn   int
}

func newBalancer(in Instances, seed uint64) *balancer {
	in.N = min(max(1, in.N), MaxInstances)
	in.Skew, in.Latency[0], in.Latency[1] = max(0, in.Skew), max(0, in.Latency[0]), max(0, in.Latency[1])
	return &balancer{Instances: in, chance: rand.New(rand.NewPCG(seed, 1<<63))}
}

// instance chooses who decides the next request.
func (b *balancer) instance() int {
	switch {
	case b.N == 1:
		return 0
	case b.Random:
		return b.chance.IntN(b.N)
	}
	b.turn++
	return (b.turn - 1) % b.N
}

// latency is how long the next question takes, in microseconds.
func (b *balancer) latency() int64 {
	low, high := b.Latency[0].Microseconds(), b.Latency[1].Microseconds()
	if high > low {
		low += b.chance.Int64N(high - low + 1)
	}
	return low
}

// store is the number of the store that an instance asks.
func (b *balancer) store(instance int) int {
	if b.Shared {
		return 0
	}
	return instance
}

// stores is how many there are.
func (b *balancer) stores() int {
	if b.Shared {
		return 1
	}
	return b.N
}

// clock is what a decision that falls at an instant takes it to be, in
// microseconds.
func (b *balancer) clock(instance int, at int64) int64 {
	if b.N == 1 || b.Shared && !b.OwnClocks {
		return at
	}
	return at + spaced(int64(instance), b.Skew.Microseconds(), int64(b.N-1))
}

// Drawn tells whether another seed would make another run of the same traffic.
func (in Instances) Drawn() bool { return in.N > 1 && in.Random || in.Latency[0] != in.Latency[1] }
