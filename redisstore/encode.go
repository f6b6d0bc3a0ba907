package redisstore

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/aforo-dev/aforo"
)

// maxExact is the largest number that scripts hold exactly, with all below it.
const maxExact = 1<<53 - 1

// encode packs a call as the scripts read it: see lua/call.lua. Now is an instant
// in microseconds that stands for the server's clock, 0 in all but tests.
func encode(call *aforo.Call, now int64) string {
	var space [(7 + 6*4) * 8]byte
	b := appendNumbers(space[:0], int64(call.Op), call.Cost, call.At/1e6, call.At%1e6, 0, now/1e6, now%1e6)
	if call.Prompt {
		binary.LittleEndian.PutUint64(b[4*8:], math.Float64bits(1))
	}
	for i := range call.Limits {
		l := &call.Limits[i]
		n := l.Numbers()
		b = appendNumbers(b, int64(l.Algorithm()), n.Tick)
		switch l.Algorithm() {
		case aforo.TokenBucket, aforo.LeakyBucket:
			b = appendNumbers(b, n.Drain, n.Unit, n.Full, n.Fill)
		case aforo.SlidingWindowCounter:
			b = appendNumbers(b, n.Period, n.Capacity, maxExact/n.Period, 0)
		default:
			b = appendNumbers(b, n.Period, n.Capacity, width(n.Period), 0)
		}
	}
	return string(b)
}

func appendNumbers(b []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(n)))
	}
	return b
}

// width is how many bytes tell instants apart that are less than a period apart.
func width(period int64) int64 {
	w := int64(1)
	for w < 7 && period > 1<<(8*w) {
		w++
	}
	return w
}

// An answer is what a script has answered.
type answer struct {
	fits   bool
	now    int64 // microseconds since the epoch
	states []aforo.State
}

var errAnswer = errors.New("aforo: the server's answer is not that of the script")

// decode reads the answer to a call, and appends the states to space.
func decode(call *aforo.Call, text string, space []aforo.State) (a answer, err error) {
	n := len(call.Limits)
	if len(text) != (3+3*n)*8 {
		return a, errAnswer
	}
	a.fits, a.now = number(text, 0) != 0, number(text, 1)*1e6+number(text, 2)
	a.states = space
	for i := range n {
		at, used, third := number(text, 3+3*i), number(text, 4+3*i), number(text, 5+3*i)
		a.states = append(a.states, state(&call.Limits[i], call.Cost, at, used, third))
	}
	return a, nil
}

// decodeStates reads the answer of the states script: see lua/states.lua.
func decodeStates(call *aforo.Call, text string, states []aforo.State) (now int64, err error) {
	numbers := make([]int64, len(text)/8)
	for i := range numbers {
		numbers[i] = number(text, i)
	}
	if len(numbers) < 2+len(call.Limits) {
		return 0, errAnswer
	}
	now, rest := numbers[0]*1e6+numbers[1], numbers[2:]
	for i := range call.Limits {
		l := &call.Limits[i]
		if len(rest) == 0 || int64(len(rest)) <= rest[0] {
			return 0, errAnswer
		}
		kept := rest[1 : 1+rest[0]]
		rest = rest[1+rest[0]:]
		states[i] = aforo.State{}
		switch {
		case l.Algorithm() == aforo.SlidingWindowLog:
			for ; len(kept) >= 2; kept = kept[2:] {
				states[i], _ = l.Charge(states[i], kept[0]*l.Numbers().Tick, kept[1])
			}
		case len(kept) == 3:
			states[i] = aforo.State{At: kept[0], Used: kept[1], Prev: kept[2]}
		case len(kept) == 2:
			states[i] = aforo.State{At: kept[0], Used: kept[1]}
		}
	}
	return now, nil
}

func number(text string, i int) int64 {
	var bits uint64
	for k := range 8 {
		bits |= uint64(text[8*i+k]) << (8 * k)
	}
	return int64(math.Float64frombits(bits))
}

// state is what a script has found, as the rules take it. Of a log it is as much as
// the rule needs to say the same: what must go before the cost fits has gone when
// the entry at the third number has; the rest is at the newest entry's instant.
func state(l *aforo.Limit, cost, at, used, third int64) (s aforo.State) {
	if l.Algorithm() != aforo.SlidingWindowLog {
		return aforo.State{At: at, Used: used, Prev: third}
	}
	tick := l.Numbers().Tick
	if third != 0 {
		first := used + cost - l.Capacity()
		s, _ = l.Charge(s, third*tick, first)
		used -= first
	}
	s, _ = l.Charge(s, at*tick, used)
	return s
}
