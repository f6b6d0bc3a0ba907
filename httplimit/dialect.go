package httplimit

import (
	"net/http"
	"strconv"
	"time"

	"github.com/aforo-dev/aforo"
)

// A Dialect writes header fields that tell a client where it stands. It gets
// the decision about the request and what each limit says, in the limiter's
// order: at least one. It runs before the handler, for allowed and for refused
// requests, concurrently; it must not keep or change each.
//
// Names are written as net/http spells them, X-Ratelimit-Limit; in HTTP their
// case does not matter.
type Dialect func(header http.Header, d aforo.Decision, each []aforo.Decision)

// XRateLimit writes the fields that most clients know, for the limit that the
// decision reports:
//
//	X-RateLimit-Limit      its capacity, in units
//	X-RateLimit-Remaining  how many units more would be allowed now, by all limits
//	X-RateLimit-Reset      seconds, rounded up, until all limits are as if unused
//
// Reset is missing if that never happens. No standard defines these fields.
func XRateLimit(header http.Header, d aforo.Decision, _ []aforo.Decision) {
	writeXRateLimit(header, d, seconds(d.ResetAfter))
}

// XRateLimitEpoch is XRateLimit with X-RateLimit-Reset as a date: whole seconds
// since the Unix epoch, rounded up. It counts from this machine's clock, which
// is also that of the Date field in the same response.
func XRateLimitEpoch(header http.Header, d aforo.Decision, _ []aforo.Decision) {
	reset := time.Now().Add(d.ResetAfter)
	epoch := reset.Unix()
	if reset.Nanosecond() > 0 {
		epoch++
	}
	writeXRateLimit(header, d, epoch)
}

func writeXRateLimit(header http.Header, d aforo.Decision, reset int64) {
	// The three numbers lie in one string, and the three values in one array.
	var buffer [3 * 20]byte
	b := strconv.AppendInt(buffer[:0], d.Limit, 10)
	limit := len(b)
	b = strconv.AppendInt(b, d.Remaining, 10)
	remaining := len(b)
	b = strconv.AppendInt(b, reset, 10)
	text := string(b)
	values := []string{text[:limit], text[limit:remaining], text[remaining:]}
	header["X-Ratelimit-Limit"] = values[0:1:1]
	header["X-Ratelimit-Remaining"] = values[1:2:2]
	if d.ResetAfter == aforo.Never {
		delete(header, "X-Ratelimit-Reset") // that of a middleware around this one
		return
	}
	header["X-Ratelimit-Reset"] = values[2:3:3]
}

// IETF writes the two fields of draft-ietf-httpapi-ratelimit-headers, as
// revisions 08 to 11 have them, for all limits:
//
//	RateLimit-Policy: "burst";q=20;w=12, "hour";q=1000;w=3600
//	RateLimit: "burst";r=7;t=8, "hour";r=880;t=432
//
//	q  the limit's capacity, in units
//	w  its Window in seconds, rounded up; missing below 1 s, or if never
//	r  how many units more this limit would allow now
//	t  seconds, rounded up, until it allows the request, if it refused it, or
//	   else until it is as if unused; missing if never
//
// They are Structured Fields (RFC 9651): so numbers above 999,999,999,999,999
// are written as that one, and characters that a String cannot hold as "?".
func IETF(header http.Header, _ aforo.Decision, each []aforo.Decision) {
	var buffer [256]byte // enough for two or three limits, on the stack
	b := buffer[:0]
	for i := range each {
		b = appendPolicy(b, &each[i], i == 0)
	}
	policies := len(b)
	for i := range each {
		b = appendQuota(b, &each[i], i == 0)
	}
	text := string(b)
	values := []string{text[:policies], text[policies:]}
	addValue(header, "Ratelimit-Policy", values[0:1:1])
	addValue(header, "Ratelimit", values[1:2:2])
}

// addValue adds a value after those that are there already: the fields are
// lists, and middlewares may be nested.
func addValue(header http.Header, name string, value []string) {
	if there := header[name]; len(there) > 0 {
		value = append(there, value...)
	}
	header[name] = value
}

func appendPolicy(b []byte, d *aforo.Decision, first bool) []byte {
	b = appendName(b, d.Name, first)
	b = appendParameter(b, ";q=", d.Limit)
	if d.Window >= time.Second && d.Window != aforo.Never {
		b = appendParameter(b, ";w=", seconds(d.Window))
	}
	return b
}

func appendQuota(b []byte, d *aforo.Decision, first bool) []byte {
	b = appendName(b, d.Name, first)
	b = appendParameter(b, ";r=", d.Remaining)
	wait := d.ResetAfter
	if !d.Allowed {
		wait = d.RetryAfter
	}
	if wait != aforo.Never {
		b = appendParameter(b, ";t=", seconds(wait))
	}
	return b
}

// appendName begins a member of a list with a String (RFC 9651, 4.1.6).
func appendName(b []byte, name string, first bool) []byte {
	if !first {
		b = append(b, ", "...)
	}
	b = append(b, '"')
	for _, c := range []byte(name) {
		switch {
		case c < ' ' || c > '~':
			c = '?'
		case c == '"' || c == '\\':
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// appendParameter adds an Integer parameter (RFC 9651, 4.1.1.2 and 4.1.4).
func appendParameter(b []byte, name string, value int64) []byte {
	const largest = 999_999_999_999_999
	b = append(b, name...)
	return strconv.AppendInt(b, min(value, largest), 10)
}

// seconds rounds up: who comes back a fraction too early is refused again.
func seconds(d time.Duration) int64 { return wholes(d, time.Second) }

// wholes is how many units a duration has at most: it rounds up.
func wholes(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}
