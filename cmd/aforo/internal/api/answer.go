package api

import (
	"time"

	"github.com/aforo-dev/aforo"
)

// An Answer is a decision as JSON. All times are in milliseconds, rounded up,
// and counted from the decision:
//
//	{
//	  "allowed": false,
//	  "policy": "login",
//	  "limit": "sliding_window_log 5/15m",
//	  "capacity": 5,
//	  "remaining": 0,
//	  "retry_after_ms": 841200,
//	  "reset_after_ms": 899000,
//	  "delay_ms": 0
//	}
//
// The fields other than policy, source, never and limits are always there.
type Answer struct {
	Standing

	// Policy is the policy that was asked for; it is missing if the request
	// brought its own limit.
	Policy string `json:"policy,omitempty"`

	// Source is who decided, if it was not the store: "remembered", for a refusal
	// that still holds; or, while the store fails, "local", "allow" or "deny".
	Source string `json:"source,omitempty"`

	// Limits is what each limit says, if there are several: the fields above
	// are then those of the limit that decided, but Remaining, ResetAfter and
	// Delay count for all of them together.
	Limits []Standing `json:"limits,omitempty"`
}

// A Standing is where a key stands with a limit.
type Standing struct {
	Allowed bool `json:"allowed"`

	// Never is true if the request is refused however long one waits. Clients
	// that read null as 0 need it.
	Never bool `json:"never,omitempty"`

	// Limit is the limit in its shortest form.
	Limit string `json:"limit"`

	// Capacity is how many units fit at once; null if there is no limit.
	Capacity *int64 `json:"capacity"`

	// Remaining is how many units more would be allowed now; null if there
	// is no limit.
	Remaining *int64 `json:"remaining"`

	// RetryAfter is 0 if the request is allowed, or else after how many
	// milliseconds it would be, if nobody else uses the key; null if never.
	RetryAfter *int64 `json:"retry_after_ms"`

	// ResetAfter is after how many milliseconds the key is as if it had never
	// been used; null if never.
	ResetAfter *int64 `json:"reset_after_ms"`

	// Delay is after how many milliseconds a leaky bucket releases an allowed
	// request, 0 for the other algorithms; null if never.
	Delay *int64 `json:"delay_ms"`
}

// NewAnswer is a decision as JSON, made by limiter for a policy, or for none,
// with what each of its limits says.
func NewAnswer(policy string, limiter *aforo.Limiter, d aforo.Decision, each []aforo.Decision) Answer {
	limits := limiter.Limits().List()
	a := Answer{Policy: policy}
	if d.Source != aforo.SourceStore {
		a.Source = d.Source.String()
	}
	if d.Unlimited {
		zero := new(int64)
		a.Standing = Standing{Allowed: true, Limit: limits[0].String(), RetryAfter: zero, ResetAfter: zero, Delay: zero}
		return a
	}
	text := make(map[string]string, len(limits))
	for _, l := range limits {
		text[l.Name()] = l.String()
	}
	a.Standing = standing(d, text[d.Name])
	if len(each) > 1 {
		for _, one := range each {
			a.Limits = append(a.Limits, standing(one, text[one.Name]))
		}
	}
	return a
}

func standing(d aforo.Decision, limit string) Standing {
	return Standing{
		Allowed:    d.Allowed,
		Never:      d.RetryAfter == aforo.Never,
		Limit:      limit,
		Capacity:   &d.Limit,
		Remaining:  &d.Remaining,
		RetryAfter: milliseconds(d.RetryAfter),
		ResetAfter: milliseconds(d.ResetAfter),
		Delay:      milliseconds(d.Delay),
	}
}

// milliseconds rounds up, since who comes back a fraction too early is refused
// again. It is nil for never.
func milliseconds(d time.Duration) *int64 {
	if d == aforo.Never {
		return nil
	}
	n := int64(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		n++
	}
	return &n
}
