package redisstore

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/aforo-dev/aforo"
)

// maxExact is the largest number that scripts hold exactly, with all below it.
const maxExact = 1<<53 - 1

// encode packs a call as the scripts read it: see lua/call.lua. Now is an instant
// in microseconds that stands for the server's clock, 0 in all but tests.
func encode(call *aforo.Call, now int64) string {
	var space [(3 + 6*4 + 5) * 8]byte
	more := int64(0)
	if call.At != 0 || call.Prompt || now != 0 {
		more = 1
	}
	b := appendNumbers(space[:0], int64(call.Op), call.Cost, more)
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
	if more != 0 {
		prompt := int64(0)
		if call.Prompt {
			prompt = 1
		}
		b = appendNumbers(b, call.At/1e6, call.At%1e6, prompt, now/1e6, now%1e6)
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

var errAnswer = errors.New("redisstore: the server's answer is not that of the script")

// decode reads the answer to a call, and appends the states to space: see
// lua/one_answer.lua.
func decode(call *aforo.Call, text string, space []aforo.State) (a answer, err error) {
	seconds, rest, ok := strings.Cut(text, " ")
	micros, rest, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 || seconds == "" {
		return a, errAnswer
	}
	s, err := strconv.ParseInt(seconds[1:], 10, 64)
	us, err2 := strconv.ParseInt(micros, 10, 64)
	if err != nil || err2 != nil {
		return a, errAnswer
	}
	a.fits, a.now, a.states = seconds[0] == '1', s*1e6+us, space
	for i := range call.Limits {
		l := &call.Limits[i]
		size := stateSize(l.Algorithm())
		switch {
		case strings.HasPrefix(rest, "-"):
			a.states, rest = append(a.states, aforo.State{}), rest[1:]
		case len(rest) >= size:
			a.states, rest = append(a.states, state(l, call.Cost, rest[1:size])), rest[size:]
		default:
			return a, errAnswer
		}
	}
	if rest != "" {
		return a, errAnswer
	}
	return a, nil
}

// stateSize is how many bytes of a state are answered: the mark, and numbers of 8.
func stateSize(a aforo.Algorithm) int {
	if a == aforo.SlidingWindowCounter {
		return 1 + 4*8
	}
	return 1 + 3*8
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
		case 1+8*len(kept) == stateSize(l.Algorithm()): // the last is the end of the key
			states[i] = aforo.State{At: kept[0], Used: kept[1]}
			if l.Algorithm() == aforo.SlidingWindowCounter {
				states[i].Prev = kept[2]
			}
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
func state(l *aforo.Limit, cost int64, numbers string) (s aforo.State) {
	at, used := number(numbers, 0), number(numbers, 1)
	switch l.Algorithm() {
	case aforo.SlidingWindowCounter:
		return aforo.State{At: at, Used: used, Prev: number(numbers, 2)}
	case aforo.SlidingWindowLog:
	default:
		return aforo.State{At: at, Used: used}
	}
	tick, third := l.Numbers().Tick, number(numbers, 2)
	if third != 0 {
		first := used + cost - l.Capacity()
		s, _ = l.Charge(s, third*tick, first)
		used -= first
	}
	s, _ = l.Charge(s, at*tick, used)
	return s
}
