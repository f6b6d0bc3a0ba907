package textbook

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
	"github.com/aforo-dev/aforo/redisstore/redistest"
	"github.com/aforo-dev/aforo/sim"
)

// waits are what wrong and right limiters tell those that they refuse.
type waits struct {
	Half          half
	WindowEnd     windowEnd
	Whole         map[string]int64 // seconds, by what says it
	OtherInstance wait
	Counter       wait
}

// wrongHalf is a wrong bucket that rounds its tokens to the nearest whole one, so
// that half a token is one.
type wrongHalf struct {
	perSecond, burst float64
	tokens           float64
	last             int64
}

func (w *wrongHalf) allow(now int64) (allowed bool, wait time.Duration) {
	w.tokens = math.Min(w.burst, w.tokens+float64(now-w.last)/1e6*w.perSecond)
	w.last = now
	if math.Round(w.tokens) < 1 {
		return false, time.Duration(math.Round((1 - w.tokens) / w.perSecond * 1e9))
	}
	w.tokens--
	return true, 0
}

// half is how a bucket of 6 a minute answers when it is used up.
type half struct {
	Told         time.Duration
	Wrong, Right time.Duration // when somebody who asks each second is allowed
}

func measureHalf(t *testing.T) (m half) {
	start := sim.Start.UnixMicro()
	wrong := &wrongHalf{perSecond: 0.1, burst: 6, tokens: 6, last: start}
	right := newAlone(t, "token_bucket 6/m")
	for range 6 {
		wrong.allow(start)
		right.allow(start)
	}
	_, m.Told = wrong.allow(start)
	if told := right.take(start).Retry; m.Told.Microseconds() != told {
		t.Errorf("they tell %v and %v", m.Told, told)
	}
	for i := int64(1); m.Wrong == 0 || m.Right == 0; i++ {
		after := time.Duration(i) * time.Second
		if allowed, _ := wrong.allow(start + i*second); allowed && m.Wrong == 0 {
			m.Wrong = after
		}
		if m.Right == 0 && right.allow(start+i*second) {
			m.Right = after
		}
	}
	return m
}

// wrongWindowEnd tells how long it is until a window ends as many do: in seconds,
// rounded down, and from an end that is 0 when the entry has just been forgotten.
func wrongWindowEnd(now, end int64) (seconds int64) { return (end - now) / second }

// windowEnd is what is told shortly before a fixed window ends.
type windowEnd struct {
	Wrong, Right []int64 // seconds, 600 ms and 1 ms before
	Forgotten    int64   // by the wrong one, when its entry has gone
}

func measureWindowEnd(t *testing.T) (m windowEnd) {
	now := sim.Start
	limiter := aforo.Must(mustParse(t, "fixed_window 5/m"), aforo.WithClock(func() time.Time { return now }))
	handler := httplimit.Middleware(limiter, httplimit.PeerIP)(http.NotFoundHandler())
	ask := func() *http.Response {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Result()
	}
	for range 5 {
		ask()
	}
	end := sim.Start.Add(time.Minute)
	for _, before := range []time.Duration{600 * time.Millisecond, time.Millisecond} {
		now = end.Add(-before)
		m.Wrong = append(m.Wrong, wrongWindowEnd(now.UnixMicro(), end.UnixMicro()))
		answer := ask()
		var wait int64
		if _, err := fmt.Sscan(answer.Header.Get("Retry-After"), &wait); err != nil || answer.StatusCode != http.StatusTooManyRequests {
			t.Errorf("%v before: %d %v %v", before, answer.StatusCode, answer.Header, err)
		}
		m.Right = append(m.Right, wait)
	}
	if now = end; ask().StatusCode == http.StatusTooManyRequests {
		t.Error("it refuses in the next window")
	}
	m.Forgotten = wrongWindowEnd(end.UnixMicro(), 0)
	return m
}

// measureWhole is what an eleventh request in 20 s is told, at 10 a minute.
func measureWhole(t *testing.T) map[string]int64 {
	told := map[string]int64{"wrong": mustParse(t, "10/m").Period().Microseconds() / second} // whatever has happened
	for _, algorithm := range five {
		a := newAlone(t, algorithm+" 10/m")
		for i := int64(0); i < 10; i++ {
			a.allow(sim.Start.UnixMicro() + 2*i*second)
		}
		v := a.take(sim.Start.UnixMicro() + 20*second)
		if v.Allowed != strings.HasSuffix(algorithm, "bucket") {
			t.Errorf("%s: the eleventh request: %+v", algorithm, v)
		}
		told[algorithm] = v.Retry / second
	}
	return told
}

// A wait is what somebody is told who is refused, in seconds.
type wait struct{ Wrong, Right int64 }

// wrongMergedWait is what an instance tells that has added up the counts of others,
// which have no times.
func wrongMergedWait() int64 { return 0 }

// measureOtherInstance is what an instance says of what another has used up: over
// virtual time, and that it is so on a real server.
func measureOtherInstance(t *testing.T) wait {
	server := redistest.Start(t)
	a, b := sharedLimiter(t, server, "10/m"), sharedLimiter(t, server, "10/m")
	for range 10 {
		if d, err := a.Allow(t.Context(), "user:42"); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
	}
	d, err := b.Allow(t.Context(), "user:42")
	if err != nil || d.Allowed || d.RetryAfter <= 0 || d.RetryAfter > 6*time.Second {
		t.Errorf("the other instance says %+v, %v", d, err)
	}
	r := run(t, "at 0s*10 1s*2", "10/m", sim.Options{Instances: sim.Instances{N: 2, Shared: true}})
	return wait{wrongMergedWait(), int64(r.LongestWait / time.Second)}
}

// measureCounterWait is what a sliding window counter tells after 60 in the minute
// before and 12 in the first 12 seconds of this one, at 60 a minute. The wrong one
// tells the end of the window.
func measureCounterWait(t *testing.T) wait {
	a := newAlone(t, "sliding_window_counter 60/m")
	for range 60 {
		a.allow(sim.Start.UnixMicro() + 30*second)
	}
	for i := int64(1); i <= 12; i++ {
		a.allow(sim.Start.UnixMicro() + minute + i*second)
	}
	now := sim.Start.UnixMicro() + minute + 12*second
	v := a.take(now)
	if v.Allowed {
		t.Error("it is not used up")
	}
	return wait{Wrong: (sim.Start.UnixMicro() + 2*minute - now) / second, Right: v.Retry / second}
}

func measureWaits(t *testing.T) waits {
	return waits{measureHalf(t), measureWindowEnd(t), measureWhole(t), measureOtherInstance(t), measureCounterWait(t)}
}

func mustParse(t *testing.T, text string) aforo.Limit {
	t.Helper()
	limit, err := aforo.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return limit
}
