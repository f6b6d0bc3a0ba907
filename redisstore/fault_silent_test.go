package redisstore_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// through is the address of a server behind a proxy.
func through(p *redistest.Proxy) string { return "redis://" + p.Addr() }

// A server that is stopped (SIGSTOP) accepts connections and calls and answers
// nothing. It costs a budget for each call until the breaker opens, and then one
// at a time; what it had been sent and carries out later is counted at most once.
func TestAStoppedServer(t *testing.T) { // alone, since it counts goroutines
	s := redistest.Start(t)
	store := open(t, s.URL(), hurried()...)
	const callers, silence = 16, time.Second
	l := startLoad(t, store, callers, newTargets(2))
	goroutines, before := runtime.NumGoroutine(), store.Stats()
	s.Pause()
	time.Sleep(silence)
	after := store.Stats()
	more := runtime.NumGoroutine() - goroutines
	s.Resume()

	// Each caller may have been under way; then one call each pause and budget.
	if most := int64(callers + 5 + silence/(2*brief)); after.Failed-before.Failed > 2*most {
		t.Errorf("%d calls failed in %v, expected some %d", after.Failed-before.Failed, silence, most)
	}
	if after.Paused == before.Paused {
		t.Error("the breaker has held no call back")
	}
	if more > 200 {
		t.Errorf("%d goroutines more while the server was silent", more)
	}
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// A network that loses everything without a word, for new connections too, until
// those are made anew.
func TestALostNetwork(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.NewProxy(t, s.Addr())
	l := startLoad(t, open(t, through(p), hurried()...), 8, newTargets(2))
	p.LoseAll(true)
	time.Sleep(10 * brief)
	p.Cut() // and what is made now is lost too
	time.Sleep(10 * brief)
	p.LoseAll(false)
	p.Cut()
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// Connections that a router has forgotten, while new ones work: they are found out.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.NewProxy(t, s.Addr())
	l := startLoad(t, open(t, through(p), hurried()...), 8, newTargets(2))
	p.LoseOpen()
	begun := time.Now()
	l.await(500)
	t.Logf("works again after %v", time.Since(begun))
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// A network that takes 300 ms, six times the budget: every call is a failure, but
// arrives, and is counted once. The limiter answers by what was declared.
func TestASlowNetwork(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.NewProxy(t, s.Addr())
	store := open(t, through(p), hurried()...)
	l := startLoad(t, store, 8, newTargets(2))
	p.Delay(150*time.Millisecond, 150*time.Millisecond)
	time.Sleep(6 * brief)
	before := l.answers.Load()
	time.Sleep(10 * brief)
	if answers := l.answers.Load() - before; answers > 0 {
		t.Errorf("%d answers that take 300ms came within %v", answers, brief)
	}
	p.Delay(0, 0)
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// With a budget that is longer than the way, a slow network changes no decision.
func TestASlowNetworkWithinTheBudget(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.NewProxy(t, s.Addr())
	p.Delay(150*time.Millisecond, 150*time.Millisecond)
	l := startLoad(t, open(t, through(p), redisstore.WithBudget(unhurried)), 64, newTargets(2))
	l.await(500)
	l.noFailures()
	l.countedOnce(patient(t, s.URL()), 0)
	noImmortal(t, s)
}

// A reply that is lost says nothing about whether its request was counted. It was,
// once; asking again would make it two.
func TestALostReplyIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	for _, a := range aforo.Algorithms() {
		s := redistest.Start(t)
		p := redistest.NewProxy(t, s.Addr())
		option := rueidis.ClientOption{InitAddress: []string{p.Addr()},
			PipelineMultiplex: -1} // one connection, so that the one that is warm is used
		store := newStore(t, connect(t, option), redisstore.WithBudget(2*brief))
		call := aforo.Call{Op: aforo.OpTake, Key: "k", Limits: []aforo.Limit{aforo.Per(10, forLong).Using(a)}, Cost: 1}
		verdicts := make([]aforo.Verdict, 1)
		redistest.Wait(t, "a first call warms the connection up", func() bool {
			return store.Do(context.Background(), call, verdicts) == nil
		})
		before := verdicts[0].Remaining
		p.LoseReplies(true)
		if err := store.Do(context.Background(), call, verdicts); !errors.Is(err, redisstore.ErrBudget) {
			t.Errorf("%v: with the reply lost: %v", a, err)
		}
		p.Cut()
		p.LoseReplies(false)
		call.Op, call.Cost = aforo.OpPeek, 0
		if err := patient(t, s.URL()).Do(context.Background(), call, verdicts); err != nil {
			t.Fatal(err)
		}
		if counted := before - verdicts[0].Remaining; counted != 1 {
			t.Errorf("%v: one call was counted %d times", a, counted)
		}
	}
}

// A server that is silent when the store is made answers when it is no longer.
func TestAServerThatIsSilentAtFirst(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Pause()
	store := open(t, s.URL(), hurried()...)
	err := store.Do(context.Background(), take("k", "3/h"), make([]aforo.Verdict, 1))
	if !errors.Is(err, redisstore.ErrBudget) {
		t.Errorf("a silent server: %v", err)
	}
	s.Resume()
	redistest.Wait(t, "it answers", func() bool {
		return store.Do(context.Background(), take("k", "3/h"), make([]aforo.Verdict, 1)) == nil
	})
}

// TestCallersWhoDoNotWait: a silent server opens the breaker as well if all callers are
// gone before the budget has passed.
func TestCallersWhoDoNotWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		budget time.Duration
		going  func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"whose deadline is sooner", brief, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, brief/5)
		}},
		{"who give up", brief, cancelled},
		{"who give up early", 4 * brief, cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t)
			store := open(t, s.URL(), redisstore.WithBudget(c.budget), redisstore.WithBreaker(2, time.Minute))
			verdicts := make([]aforo.Verdict, 1)
			if err := patient(t, s.URL()).Do(context.Background(), take("k", "5/m"), verdicts); err != nil {
				t.Fatal(err)
			}
			s.Pause()
			defer s.Resume()
			redistest.Wait(t, "the breaker opens", func() bool {
				ctx, cancel := c.going(context.Background())
				defer cancel()
				return errors.Is(store.Do(ctx, take("k", "5/m"), verdicts), redisstore.ErrPaused)
			})
		})
	}
}

// cancelled is a context that ends soon, of which nobody knows before.
func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(brief/5, cancel)
	return ctx, cancel
}

// TestCallersWhoGo: contexts that end while calls are on their way disturb neither
// others nor what is counted: what was told once, and what nobody was told at most once.
func TestCallersWhoGo(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	store := patient(t, s.URL())
	limits := take("k", "1000000/52w, sliding_window_log 1000000/52w").Limits
	var told, gone atomic.Int64
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() {
			for n := range 100 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+(i*100+n)%50)*50*time.Microsecond)
				err := store.Do(ctx, aforo.Call{Op: aforo.OpTake, Key: "k", Limits: limits, Cost: 1}, make([]aforo.Verdict, 2))
				switch {
				case err == nil:
					told.Add(1)
				case errors.Is(err, ctx.Err()) && !errors.Is(err, redisstore.ErrBudget):
					gone.Add(1)
				default:
					t.Errorf("the server was there, and so was the caller, or not: %v", err)
				}
				cancel()
			}
		})
	}
	callers.Wait()
	verdicts := make([]aforo.Verdict, 2)
	if err := store.Do(context.Background(), aforo.Call{Op: aforo.OpPeek, Key: "k", Limits: limits}, verdicts); err != nil {
		t.Fatal(err)
	}
	for i, v := range verdicts {
		if counted := 1_000_000 - v.Remaining; counted < told.Load() || counted > told.Load()+gone.Load() {
			t.Errorf("%v: %d counted, %d callers were told, %d had gone", limits[i], counted, told.Load(), gone.Load())
		}
	}
	t.Logf("%d told, %d gone", told.Load(), gone.Load())
}
