package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// remembering is a store whose clock a test sets, and its server.
type remembering struct {
	*testing.T
	server *redistest.Server
	store  *redisstore.Store
	now    int64 // microseconds since the Unix epoch
}

func newRemembering(t *testing.T, options ...redisstore.Option) *remembering {
	r := &remembering{T: t, server: redistest.Start(t), now: 1_767_225_612_345_678}
	clock := redisstore.WithClock(func() time.Time { return time.UnixMicro(r.now) })
	r.store = open(t, r.server.URL(), append([]redisstore.Option{clock, redisstore.WithBudget(unhurried)}, options...)...)
	return r
}

// take takes from a key, and tells whether the server was asked.
func (r *remembering) take(limits, key string, cost int64) (v aforo.Verdict, asked bool) {
	r.Helper()
	before := r.store.Stats().Sent
	call := take(key, limits)
	call.Cost = cost
	verdicts := make([]aforo.Verdict, len(call.Limits))
	r.do(call, verdicts)
	return verdicts[0], r.store.Stats().Sent > before
}

func (r *remembering) do(call aforo.Call, verdicts []aforo.Verdict) {
	r.Helper()
	if err := r.store.Do(context.Background(), call, verdicts); err != nil {
		r.Fatalf("%v: %v", call.Op, err)
	}
}

// TestRefusalsAreRememberedUntilTheyRunOut: to the tick, with what the server would
// say at each instant.
func TestRefusalsAreRememberedUntilTheyRunOut(t *testing.T) {
	t.Parallel()
	for _, limits := range []string{"3/7s", "leaky_bucket 3/7s", "fixed_window 3/7s", "sliding_window_log 3/7s", "sliding_window_counter 3/7s", "3/7s, fixed_window 3/h"} {
		r := newRemembering(t)
		for range 3 {
			r.take(limits, "k", 1)
			r.now += 1000
		}
		first, asked := r.take(limits, "k", 1)
		if first.Allowed || !asked {
			t.Fatalf("%s: the fourth: %+v, asked %t", limits, first, asked)
		}
		until := r.now + first.Retry
		if limits == "3/7s, fixed_window 3/h" {
			continue // its longest wait is another
		}
		for r.now < until {
			v, asked := r.take(limits, "k", 1)
			if asked || v.Allowed || v.Source != aforo.SourceRemembered || v.At+v.Retry != until || v.Remaining != 0 {
				t.Errorf("%s: %dus before it runs out: %+v, asked %t", limits, until-r.now, v, asked)
			}
			r.now += max(1, (until-r.now)/3)
		}
		if v, asked := r.take(limits, "k", 1); !v.Allowed || !asked {
			t.Errorf("%s: when it has run out: %+v, asked %t", limits, v, asked)
		}
	}
}

// TestWhatIsGivenBackIsSeenAtOnce: by the store that gives it back.
func TestWhatIsGivenBackIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	for _, op := range []aforo.Op{aforo.OpReset, aforo.OpRefund, aforo.OpUndo} {
		r := newRemembering(t)
		const limits = "fixed_window 2/h, sliding_window_log 2/h"
		r.take("fixed_window 2/h", "k", 2)
		taken := r.now
		if _, asked := r.take("fixed_window 2/h", "k", 1); !asked {
			t.Error("the first refusal was no question")
		}
		if _, asked := r.take("fixed_window 2/h", "k", 1); asked {
			t.Error("the second refusal was a question")
		}
		call := take("k", limits) // under other limits, of which one is the same
		call.Op, call.At = op, taken
		r.do(call, nil)
		if v, _ := r.take("fixed_window 2/h", "k", 1); !v.Allowed {
			t.Errorf("after %v: %+v", op, v)
		}
	}
}

// An intercepted client lets something happen when the server has carried out a
// script, before its answer comes.
type intercepted struct {
	rueidis.Client
	carriedOut func() error
}

func (c *intercepted) Run(ctx context.Context, script *redisstore.Script, keys []string, argument string) (string, error) {
	answer, err := c.Do(ctx, c.B().Eval().Script(script.Text).Numkeys(int64(len(keys))).Key(keys...).Arg(argument).Build()).ToString()
	if then := c.carriedOut; then != nil && err == nil {
		c.carriedOut = nil
		err = then()
	}
	return answer, err
}

// TestWhatIsGivenBackMeanwhile: while a refusal is on its way to the process, or by a
// call whose outcome it does not know.
func TestWhatIsGivenBackMeanwhile(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := &intercepted{Client: connect(t, rueidis.ClientOption{InitAddress: []string{server.Addr()}})}
	store, err := redisstore.NewWith(client, redisstore.WithBudget(unhurried))
	if err != nil {
		t.Fatal(err)
	}
	ctx, verdicts := context.Background(), make([]aforo.Verdict, 1)
	lost := errors.New("the answer is lost")
	for _, op := range []aforo.Op{aforo.OpReset, aforo.OpRefund} {
		key := op.String()
		giveBack := take(key, "fixed_window 1/d")
		giveBack.Op = op
		for _, meanwhile := range []bool{true, false} {
			for range 2 { // of which one is refused
				if err := store.Do(ctx, take(key, "fixed_window 1/d"), verdicts); err != nil {
					t.Fatal(err)
				}
			}
			if meanwhile {
				store.Do(ctx, giveBack, nil)
				store.Do(ctx, take(key, "fixed_window 1/d"), verdicts)
				client.carriedOut = func() error { return store.Do(ctx, giveBack, nil) }
				if err := store.Do(ctx, take(key, "fixed_window 1/d"), verdicts); err != nil || verdicts[0].Allowed {
					t.Fatalf("%v: %+v, %v", op, verdicts[0], err)
				}
			} else {
				client.carriedOut = func() error { return lost }
				if err := store.Do(ctx, giveBack, nil); !errors.Is(err, lost) {
					t.Fatalf("%v: %v", op, err)
				}
			}
			if err := store.Do(ctx, take(key, "fixed_window 1/d"), verdicts); err != nil || !verdicts[0].Allowed {
				t.Errorf("after %v, meanwhile %t: %+v, %v", op, meanwhile, verdicts[0], err)
			}
		}
	}
}

// TestOtherCostsAndKeysAreAsked, as are looks and those who wait in line.
func TestOtherCostsAndKeysAreAsked(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.take("4/h", "k", 3)
	r.take("4/h", "k", 2) // refused
	if v, asked := r.take("4/h", "k", 1); !v.Allowed || !asked {
		t.Errorf("a smaller cost: %+v, asked %t", v, asked)
	}
	if v, asked := r.take("4/h", "other", 2); !v.Allowed || !asked {
		t.Errorf("another key: %+v, asked %t", v, asked)
	}
	r.take("4/h", "k", 2) // refused, and remembered
	for _, change := range []func(*aforo.Call){
		func(c *aforo.Call) { c.Op = aforo.OpPeek }, func(c *aforo.Call) { c.Prompt = true }, func(c *aforo.Call) { c.At = r.now },
		func(c *aforo.Call) { c.Name = "another" }, func(c *aforo.Call) { c.Limits = take("k", "5/h").Limits },
	} {
		call := take("k", "4/h")
		call.Cost = 2
		change(&call)
		before := r.store.Stats().Sent
		r.do(call, make([]aforo.Verdict, 1))
		if r.store.Stats().Sent == before {
			t.Errorf("not asked: %+v", call)
		}
	}
}

// TestRefusalsTakeBoundedMemory: the oldest are forgotten, and asked for again.
func TestRefusalsTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	r := newRemembering(t, redisstore.WithRefusals(2))
	for i := range 3 {
		r.take("1/h", fmt.Sprint(i), 1)
		r.take("1/h", fmt.Sprint(i), 1)
	}
	for i, want := range []bool{true, false, false} {
		if i == 0 {
			defer func() {
				if v, asked := r.take("1/h", "0", 1); v.Allowed || !asked {
					t.Errorf("the first: %+v, asked %t, want it forgotten", v, asked)
				}
			}()
			continue
		}
		if v, asked := r.take("1/h", fmt.Sprint(i), 1); v.Allowed || asked != want {
			t.Errorf("%d: %+v, asked %t", i, v, asked)
		}
	}
	none := newRemembering(t, redisstore.WithRefusals(0))
	for i := range 4 {
		if _, asked := none.take("1/h", "k", 1); !asked {
			t.Errorf("call %d was not asked, and nothing was to be remembered", i)
		}
	}
}

// TestARememberedRefusalIsNoLongerThanTheServers: on a server with its own clock and
// a slow network, whoever comes when the wait is over is allowed, by this process as
// by another.
func TestARememberedRefusalIsNoLongerThanTheServers(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr())
	proxy.Delay(30*time.Millisecond, 30*time.Millisecond)
	store := open(t, "redis://"+proxy.Addr(), redisstore.WithBudget(unhurried))
	l, err := aforo.New("1/s", aforo.WithStore(store)) // slow enough for five calls on a busy machine
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for round := range 3 {
		if d, err := l.Allow(ctx, "k"); err != nil || !d.Allowed {
			t.Fatalf("round %d: %+v, %v", round, d, err)
		}
		var d aforo.Decision
		for range 5 { // the first asks, the others do not
			if d, err = l.Allow(ctx, "k"); err != nil || d.Allowed {
				t.Fatalf("round %d: %+v, %v", round, d, err)
			}
		}
		if d.Source != aforo.SourceRemembered {
			t.Errorf("round %d: %+v", round, d)
		}
		timer := time.NewTimer(d.RetryAfter)
		<-timer.C
	}
}
