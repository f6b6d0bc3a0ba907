package aforo

import (
	"math"
	"math/bits"
	"time"
)

// Never is the wait after which a request is still refused: its cost exceeds
// the capacity, or the rate is 0. It is the longest Duration there is.
const Never time.Duration = math.MaxInt64

// A Decision is the answer to "has this client done too much, too recently?".
// A refusal is a decision like any other, never an error.
type Decision struct {
	// Allowed tells whether the request may pass. If not, it has changed
	// nothing.
	Allowed bool

	// Unlimited tells that no limit applies; all other fields but Allowed
	// are then zero.
	Unlimited bool

	// Source is who decided. It is SourceStore, unless the store has failed
	// or did not have to be asked.
	Source Source

	// Name is the name of the limit that this decision reports. Of several
	// limits it is the refusing one with the longest wait or, if all allow,
	// the one with the least Remaining / Limit.
	Name string

	// Limit is the capacity of that limit, in units.
	Limit int64

	// Window is the time in which the whole of Limit comes back: the period of
	// a window, the time in which a full bucket drains; Never if the rate is 0.
	Window time.Duration

	// Remaining is how many units more would be allowed at this instant, by
	// all limits: 0 <= Remaining <= Limit.
	Remaining int64

	// RetryAfter is 0 if the request is allowed. Otherwise the same request
	// is allowed after this wait, if nobody else uses the key, and not
	// before; or it is Never.
	RetryAfter time.Duration

	// ResetAfter is how long until the key is as if it had never been used;
	// Never if the rate is 0 and something has been used.
	ResetAfter time.Duration

	// Delay is when a leaky bucket releases an allowed request. It is 0 for
	// the other algorithms. Who only polices may ignore it.
	Delay time.Duration
}

// A Verdict is what one limit says of a request, as stores exchange it: exact,
// in whole microseconds of the store's clock, with -1 for never.
//
// Waits longer than 292,271 years are cut to that.
type Verdict struct {
	Allowed   bool
	Source    Source
	Remaining int64 // units; see Decision
	Retry     int64 // microseconds, or -1; see Decision.RetryAfter
	Reset     int64 // microseconds, or -1; see Decision.ResetAfter
	Delay     int64 // microseconds, or -1; see Decision.Delay
	At        int64 // the instant of the decision, microseconds since the Unix epoch
}

// micros is a time in microseconds, with never for what no wait helps.
type micros int64

const never micros = -1

// duration is the time as Go has it. What is longer than 292 years, the most
// that a Duration holds, is cut to just below Never.
func (m micros) duration() time.Duration {
	switch {
	case m == never:
		return Never
	case m > math.MaxInt64/1000:
		return Never - 1
	}
	return time.Duration(m) * time.Microsecond
}

// longer tells whether waiting m is longer than waiting n.
func (m micros) longer(n micros) bool { return n != never && (m == never || m > n) }

// decision is the verdict of one limit as a user reads it.
func (v *Verdict) decision(l *Limit, d *Decision) {
	d.Allowed, d.Source, d.Name, d.Limit, d.Window, d.Remaining = v.Allowed, v.Source, l.label(), l.capacity, l.whole, v.Remaining
	d.RetryAfter = micros(v.Retry).duration()
	d.ResetAfter = micros(v.Reset).duration()
	d.Delay = micros(v.Delay).duration()
}

// combine makes one decision of several limits: all allow, or none does. No
// limits are no limit.
func combine(limits []Limit, verdicts []Verdict) (d Decision) {
	if len(limits) == 0 {
		return Decision{Allowed: true, Unlimited: true}
	}
	reported := 0
	for i := 1; i < len(limits); i++ {
		if reports(&limits[i], &verdicts[i], &limits[reported], &verdicts[reported]) {
			reported = i
		}
	}
	verdicts[reported].decision(&limits[reported], &d)
	for i := range verdicts {
		v := &verdicts[i]
		d.Remaining = min(d.Remaining, v.Remaining)
		d.ResetAfter = max(d.ResetAfter, micros(v.Reset).duration())
		d.Delay = max(d.Delay, micros(v.Delay).duration())
	}
	if !d.Allowed {
		d.Delay = 0
	}
	return d
}

// reports tells whether a rather than b is the limit that a decision names.
// Ties are broken by what the limits are, so that their order never matters.
func reports(a *Limit, va *Verdict, b *Limit, vb *Verdict) bool {
	switch {
	case va.Allowed != vb.Allowed:
		return !va.Allowed
	case !va.Allowed && va.Retry != vb.Retry:
		return micros(va.Retry).longer(micros(vb.Retry))
	}
	// va.Remaining/a.capacity < vb.Remaining/b.capacity, without overflow; of
	// a capacity of 0, nothing remains.
	ahi, alo := bits.Mul64(uint64(va.Remaining), uint64(max(1, b.capacity)))
	bhi, blo := bits.Mul64(uint64(vb.Remaining), uint64(max(1, a.capacity)))
	switch {
	case ahi != bhi:
		return ahi < bhi
	case alo != blo:
		return alo < blo
	case va.Reset != vb.Reset:
		return micros(va.Reset).longer(micros(vb.Reset))
	case a.capacity != b.capacity:
		return a.capacity < b.capacity
	}
	return a.text < b.text
}
