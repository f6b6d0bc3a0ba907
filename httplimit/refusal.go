package httplimit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aforo-dev/aforo"
)

// A problem is an answer instead of the handler's, as problem details (RFC
// 9457) have it. Nothing in it comes from the request but its cost.
type problem struct {
	Type       string   `json:"type"`
	Title      string   `json:"title"`
	Status     int      `json:"status"`
	Detail     string   `json:"detail"`
	Violated   []string `json:"violated-policies,omitempty"` // draft-ietf-httpapi-ratelimit-headers
	RetryAfter int64    `json:"retry_after_ms,omitempty"`    // rounded up
}

// refusedProblem is a 429 about all limits that refused.
func refusedProblem(d aforo.Decision, each []aforo.Decision, cost int64) *problem {
	p := &problem{
		Type:   "https://iana.org/assignments/http-problem-types#quota-exceeded",
		Title:  "Quota exceeded",
		Status: http.StatusTooManyRequests,
		Detail: refusedDetail(d, cost),
	}
	for i := range each {
		if !each[i].Allowed {
			p.Violated = append(p.Violated, each[i].Name)
		}
	}
	if d.RetryAfter != aforo.Never {
		p.RetryAfter = wholes(d.RetryAfter, time.Millisecond)
	}
	return p
}

// refusedDetail says in a sentence which limit refused, what it allows and
// when to come back.
func refusedDetail(d aforo.Decision, cost int64) string {
	unit := "requests"
	switch {
	case cost != 1:
		unit = "units"
	case d.Limit == 1:
		unit = "request"
	}
	window := "in all"
	if d.Window != aforo.Never {
		window = "per " + spell(d.Window)
	}
	next := "waiting does not help"
	switch {
	case d.RetryAfter != aforo.Never:
		// A wait so long that it cannot be rounded up is cut: 292 years.
		wait := seconds(min(d.RetryAfter, aforo.Never-time.Second))
		next = "try again in " + spell(time.Duration(wait)*time.Second)
	case cost > d.Limit && cost != 1:
		next = fmt.Sprintf("this request costs %d, so waiting does not help", cost)
	}
	return fmt.Sprintf("The limit %q allows %d %s %s: %s.", d.Name, d.Limit, unit, window, next)
}

// spell writes a duration without the zeros at its end: 15m, not 15m0s.
func spell(d time.Duration) string {
	text := d.String()
	for _, zeros := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zeros) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// missingProblem is a 400 for a request without a key.
func missingProblem(what string) *problem {
	return &problem{
		Type:   "about:blank",
		Title:  http.StatusText(http.StatusBadRequest),
		Status: http.StatusBadRequest,
		Detail: "Requests are limited by something that this one lacks: " + what + ".",
	}
}

// failedProblem is a 503 that keeps to itself what went wrong.
func failedProblem() *problem {
	return &problem{
		Type:   "about:blank",
		Title:  http.StatusText(http.StatusServiceUnavailable),
		Status: http.StatusServiceUnavailable,
		Detail: "Whether this request is within its limit could not be found out.",
	}
}

// answer writes the whole response: as plain text to a client that prefers
// that, to others as JSON.
func (p *problem) answer(w http.ResponseWriter, r *http.Request) {
	body, contentType := []byte(p.Detail+"\n"), "text/plain; charset=utf-8"
	if !prefersText(r.Header["Accept"]) {
		body, _ = json.Marshal(p) // strings and numbers: it cannot fail
		body, contentType = append(body, '\n'), "application/problem+json"
	}
	header := w.Header()
	setNoStore(header)
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone needs no answer
	}
}

// setNoStore keeps caches from answering others with this response; RFC 6585,
// section 4, demands it of a 429.
func setNoStore(header http.Header) { header["Cache-Control"] = []string{"no-store"} }

// RetryAfter is a Dialect that every middleware speaks: on a refusal it writes
// Retry-After as delay-seconds (RFC 9110, section 10.2.3), rounded up and at
// least 1, or not at all if waiting does not help, and keeps caches from
// storing the response. It is for those who answer refusals by other means.
func RetryAfter(header http.Header, d aforo.Decision, _ []aforo.Decision) {
	if d.Allowed {
		return
	}
	setNoStore(header)
	if d.RetryAfter != aforo.Never {
		header["Retry-After"] = []string{strconv.FormatInt(max(1, seconds(d.RetryAfter)), 10)}
	}
}
