//go:build go1.25

package httplimit_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

// On the process's own clock, both dialects name the same instant, however far
// into a second it is.
func TestTheDialectsAgreeOnTheReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := aforo.Must(aforo.Per(2, 15*time.Minute).Using(aforo.SlidingWindowLog))
		delta := httplimit.Middleware(limiter, httplimit.PeerIP)(ok)
		epoch := httplimit.Middleware(limiter, httplimit.PeerIP, httplimit.WithDialects(httplimit.XRateLimitEpoch))(ok)
		reset := func(text string) int64 {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Error(err)
			}
			return n
		}
		for range 20 {
			ask(delta)
			now := time.Now()
			relative := reset(ask(delta).Header().Get("X-RateLimit-Reset"))
			absolute := reset(ask(epoch).Header().Get("X-RateLimit-Reset"))
			if relative < 0 || relative > 900 {
				t.Errorf("the reset in seconds is %d, the window is 900", relative)
			}
			if absolute < now.Unix() || absolute > now.Unix()+900+1 {
				t.Errorf("the reset at %d is not within the window from %d", absolute, now.Unix())
			}
			// Each is rounded up by itself, so they are at most 1 s apart.
			if between := now.Unix() + relative - absolute; between < -1 || between > 1 {
				t.Errorf("%d s from %v is not %d", relative, now, absolute)
			}
			time.Sleep(77_777 * time.Millisecond)
		}
	})
}

func TestWhoObeysRetryAfterIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httplimit.Middleware(aforo.Must(aforo.Per(3, 7*time.Second)), httplimit.PeerIP)(ok)
		waits := 0
		for range 100 {
			w := ask(h)
			if w.Code == 204 {
				time.Sleep(123 * time.Millisecond)
				continue
			}
			wait, err := strconv.Atoi(w.Header().Get("Retry-After"))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(wait) * time.Second)
			waits++
			if w := ask(h); w.Code != 204 {
				t.Errorf("refused after waiting %d s", wait)
			}
		}
		if waits == 0 {
			t.Error("nothing was refused")
		}
	})
}
