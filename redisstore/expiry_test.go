package redisstore_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A key lives as long as its state says something, whatever the period: no shorter,
// and at most a second and, if every unit lengthens its life, a sixteenth longer, with
// what is rounded up.
func TestAKeyLivesAsLongAsItsState(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	store := patient(t, s.URL())
	for _, period := range []time.Duration{90 * time.Millisecond, 1500 * time.Millisecond, 1900 * time.Millisecond,
		time.Minute, 600_001 * time.Millisecond, 30 * 24 * time.Hour, 12345678 * time.Microsecond} {
		for _, a := range aforo.Algorithms() {
			s.Do("FLUSHALL")
			call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: []aforo.Limit{aforo.Per(3, period).Using(a)}, Cost: 1}
			for range 3 {
				verdicts := make([]aforo.Verdict, 1)
				if err := store.Do(context.Background(), call, verdicts); err != nil {
					t.Fatalf("%v: %v", call.Limits[0], err)
				}
				over := verdicts[0].At + verdicts[0].Reset // in microseconds, when it is as if never used
				for key := range s.TTLs() {
					dies := diesAt(s, key)
					if dies == -2 { // it is over already, as a short period may be
						continue
					}
					if late := dies*1000 - over; late < 0 || late > 1_010_000+spare(a, period) {
						t.Errorf("%v: the key dies %dus after its state says nothing", call.Limits[0], late)
					}
				}
			}
		}
	}
}

// spare is how much longer than that, in microseconds, the key of an algorithm lives
// whose every unit lengthens its life.
func spare(a aforo.Algorithm, period time.Duration) int64 {
	if a == aforo.FixedWindow || a == aforo.SlidingWindowCounter {
		return 0
	}
	return period.Microseconds() / 16
}

// diesAt is the first millisecond since the epoch in which a key is dead: the one
// after that which the server says. It is -2 if the key is dead already, and -1 if
// it never dies.
func diesAt(s *redistest.Server, key string) int64 {
	reply, err := s.Try("PEXPIRETIME", key)
	if err != nil { // it is unknown before Redis 7
		const script = "local now, ttl = redis.call('TIME'), redis.call('PTTL', KEYS[1])\n" +
			"return ttl < 0 and ttl or now[1] * 1000 + math.floor(now[2] / 1000) + ttl"
		reply = s.Do("EVAL", script, "1", key)
	}
	if at := reply.(int64); at < 0 {
		return at
	}
	return reply.(int64) + 1
}

// A request every ten seconds for ten minutes: a key that is renewed all the time
// still counts in windows, and lives for one.
func TestASteadyClientIsNotCountedForEver(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, redistest.SteppableClock())
	store := patient(t, s.URL())
	call := take("k", "fixed_window 10/m")
	verdicts := make([]aforo.Verdict, 1)
	for i := range 60 {
		if err := store.Do(context.Background(), call, verdicts); err != nil || !verdicts[0].Allowed {
			t.Errorf("request %d: %+v, %v", i, verdicts[0], err)
		}
		for key, ttl := range s.TTLs() {
			if ttl <= 0 || ttl > 61_010 {
				t.Errorf("request %d: %s lives for %dms", i, key, ttl)
			}
		}
		s.StepClock(10 * time.Second)
	}
}

// A server that is 300 ms away: keys that die with their window are not gone too
// early, since the server says what the time is.
func TestASlowNetworkAdmitsNoMore(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.NewProxy(t, s.Addr())
	p.Delay(300*time.Millisecond, 0)
	store := open(t, through(p), redisstore.WithBudget(unhurried))
	call := take("k", "fixed_window 2/s")
	admitted := make(map[int64]int)
	answers := make(chan aforo.Verdict)
	const requests = 15
	for i := range requests { // five a second
		time.AfterFunc(time.Duration(i)*200*time.Millisecond, func() {
			verdicts := make([]aforo.Verdict, 1)
			if err := store.Do(context.Background(), call, verdicts); err != nil {
				t.Error(err)
			}
			answers <- verdicts[0]
		})
	}
	total := 0
	for range requests {
		if v := <-answers; v.Allowed {
			admitted[v.At/1_000_000]++
			total++
		}
	}
	for second, n := range admitted {
		if n > 2 {
			t.Errorf("%d admitted in the server's second %s", n, strconv.FormatInt(second, 10))
		}
	}
	if total < 4 {
		t.Errorf("only %d admitted in some 3 s at 2/s", total)
	}
}
