package textbook

import (
	"math"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/sim"
)

// alone is one key under the right rule, over virtual time.
type alone struct {
	limit aforo.Limit
	state aforo.State
}

func newAlone(t *testing.T, text string) *alone {
	t.Helper()
	limit, err := aforo.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return &alone{limit: limit}
}

func (a *alone) take(at int64) (v aforo.Verdict) {
	a.state, v = a.limit.Take(a.state, at, 1)
	return v
}

func (a *alone) allow(at int64) bool { return a.take(at).Allowed }

// wrongLeak is a wrong leaky bucket: what has leaked since the last look is
// rounded down to whole units, and the look is written down all the same. Who asks
// before a whole unit has leaked throws the part away, every time.
type wrongLeak struct {
	rate, periodUS, burst int64
	level, last           int64
}

func (w *wrongLeak) allow(now int64) bool {
	w.level = max(0, w.level-(now-w.last)*w.rate/w.periodUS)
	w.last = now
	if w.level+1 > w.burst {
		return false
	}
	w.level++
	return true
}

// leak is what both leaky buckets allow in an hour.
type leak struct {
	Every        time.Duration
	Asked        int
	Wrong, Right int
}

func measureLeak(t *testing.T) leak {
	m := leak{Every: 5 * time.Second, Asked: 720} // an hour
	wrong := &wrongLeak{rate: 10, periodUS: minute, burst: 10, last: sim.Start.UnixMicro()}
	right := newAlone(t, "leaky_bucket 10/m")
	for i := range m.Asked {
		at := sim.Start.UnixMicro() + int64(i)*m.Every.Microseconds()
		m.Wrong += one(wrong.allow(at))
		m.Right += one(right.allow(at))
	}
	return m
}

// wrongFloat is a wrong token bucket: its tokens are a floating-point number, to
// which a tenth is added ten times and which is then less than one.
type wrongFloat struct {
	perSecond, burst float64
	tokens           float64
	last             int64
}

func (w *wrongFloat) allow(now int64) (allowed bool, wait time.Duration) {
	w.tokens = math.Min(w.burst, w.tokens+float64(now-w.last)/1e6*w.perSecond)
	w.last = now
	if w.tokens >= 1 {
		w.tokens--
		return true, 0
	}
	return false, time.Duration((1 - w.tokens) / w.perSecond * 1e9)
}

// float is what both token buckets allow somebody who asks ten times a second.
type float struct {
	Asked        int
	Tokens       float64 // after a second
	Wait         time.Duration
	Wrong, Right int
}

func measureFloat(t *testing.T) (m float) {
	wrong := &wrongFloat{perSecond: 1, burst: 1, tokens: 1, last: sim.Start.UnixMicro()}
	right := newAlone(t, "token_bucket 1/s burst 1")
	for m.Asked = 0; m.Asked < 6000; m.Asked++ { // ten minutes
		at := sim.Start.UnixMicro() + int64(m.Asked)*100_000
		allowed, wait := wrong.allow(at)
		m.Wrong += one(allowed)
		m.Right += one(right.allow(at))
		if m.Asked == 10 {
			if allowed {
				t.Error("the wrong one is due after a second")
			}
			m.Tokens, m.Wait = wrong.tokens, wait
		}
	}
	return m
}
