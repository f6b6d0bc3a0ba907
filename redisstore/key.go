package redisstore

import (
	"strconv"

	"github.com/aforo-dev/aforo"
)

// A state's key is
//
//	prefix ":1{" length of name ":" name key "}" algorithm rate "/" period "+" capacity
//
// such as aforo:1{3:apiuser:42}tb100/60000000+20, with the period in microseconds.
// 1 is the version of what is stored. What stands in braces is the hash tag, by
// which a cluster finds the slot: all limits of one name and key lie in one. It is
// never empty, and braces in it that would end it are written %7D, so that no key
// can be taken for another or choose its slot.
func (s *Store) key(call *aforo.Call, i int) string {
	l := &call.Limits[i]
	var space [128]byte
	k := append(space[:0], s.prefix...)
	k = append(k, ":1{"...)
	k = strconv.AppendInt(k, int64(len(call.Name)), 10)
	k = append(k, ':')
	k = appendTag(k, call.Name)
	k = appendTag(k, call.Key)
	k = append(k, '}')
	k = append(k, codes[l.Algorithm()]...)
	k = strconv.AppendInt(k, l.Rate(), 10)
	k = append(k, '/')
	k = strconv.AppendInt(k, l.Period().Microseconds(), 10)
	k = append(k, '+')
	k = strconv.AppendInt(k, l.Capacity(), 10)
	return string(k)
}

func (s *Store) keys(call *aforo.Call) []string {
	keys := make([]string, len(call.Limits))
	for i := range keys {
		keys[i] = s.key(call, i)
	}
	return keys
}

func appendTag(k []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '}':
			k = append(k, "%7D"...)
		case '%':
			k = append(k, "%25"...)
		default:
			k = append(k, c)
		}
	}
	return k
}

var codes = [...]string{
	aforo.TokenBucket: "tb", aforo.LeakyBucket: "lb", aforo.FixedWindow: "fw",
	aforo.SlidingWindowLog: "sl", aforo.SlidingWindowCounter: "sc",
}
