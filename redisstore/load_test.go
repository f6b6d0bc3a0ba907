package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A load is callers who take one unit after the other while a fault happens,
// and a count of what they were told. Its periods are so long that no unit comes
// back meanwhile, so what the server has counted in the end must be what they
// were told, but for the calls of which they were told nothing.
type load struct {
	t       *testing.T
	store   aforo.Store
	targets []*target
	quit    chan struct{}
	callers sync.WaitGroup
	answers atomic.Int64
	slowest atomic.Int64 // nanoseconds of a decision
	stall   atomic.Int64 // nanoseconds that a sleeping goroutine came late
	mutex   sync.Mutex
	errors  map[string]int
}

// A target is a key and what its callers were told.
type target struct {
	call             aforo.Call
	allowed, refused atomic.Int64
	unknown          atomic.Int64 // sent, and no answer
}

// Capacities: no load reaches the roomy ones, every load the tight ones.
const (
	roomy, tight = 100_000, 25
	forLong      = 52 * 7 * 24 * time.Hour
)

// newTargets are, of so many keys each: a roomy and a tight limit of each
// algorithm, and a key with three limits.
func newTargets(keys int) (targets []*target) {
	add := func(key string, limits ...aforo.Limit) {
		targets = append(targets, &target{call: aforo.Call{Op: aforo.OpTake, Key: key, Limits: limits, Cost: 1}})
	}
	for k := range keys {
		for _, a := range aforo.Algorithms() {
			add(fmt.Sprint("roomy", k), aforo.Per(roomy, forLong).Using(a))
			add(fmt.Sprint("tight", k), aforo.Per(tight, forLong).Using(a))
		}
		add(fmt.Sprint("several", k), aforo.Per(roomy, forLong), aforo.Per(roomy, forLong).Using(aforo.SlidingWindowLog),
			aforo.Per(roomy+1, forLong).Using(aforo.FixedWindow))
	}
	return targets
}

// startLoad starts so many callers.
func startLoad(t *testing.T, store aforo.Store, callers int, targets []*target) *load {
	t.Helper()
	l := &load{t: t, store: store, targets: targets, quit: make(chan struct{}), errors: make(map[string]int)}
	for i := range callers {
		l.callers.Go(func() { l.take(i) })
	}
	l.callers.Go(l.watchStalls)
	t.Cleanup(l.end)
	l.await(100)
	return l
}

func (l *load) take(i int) {
	for ; ; i++ {
		select {
		case <-l.quit:
			return
		default:
			l.takeOne(l.targets[i%len(l.targets)])
		}
	}
}

func (l *load) takeOne(target *target) {
	verdicts := make([]aforo.Verdict, len(target.call.Limits))
	begun := time.Now()
	err := l.store.Do(context.Background(), target.call, verdicts)
	raise(&l.slowest, int64(time.Since(begun)))
	switch {
	case errors.Is(err, redisstore.ErrPaused):
		time.Sleep(time.Millisecond) // as nobody else would: to leave the processor to others
	case err != nil:
		target.unknown.Add(1)
		l.mutex.Lock()
		l.errors[port.ReplaceAllString(err.Error(), ":*")]++
		l.mutex.Unlock()
	case allowed(verdicts):
		target.allowed.Add(1)
		l.answers.Add(1)
	default:
		target.refused.Add(1)
		l.answers.Add(1)
	}
}

// port is what differs between errors that are the same.
var port = regexp.MustCompile(`:\d+`)

func allowed(verdicts []aforo.Verdict) bool {
	for i := range verdicts {
		if !verdicts[i].Allowed {
			return false
		}
	}
	return true
}

// watchStalls finds how long this machine lets a goroutine wait that could run.
func (l *load) watchStalls() {
	for {
		select {
		case <-l.quit:
			return
		default:
			begun := time.Now()
			time.Sleep(time.Millisecond)
			raise(&l.stall, int64(time.Since(begun)-time.Millisecond))
		}
	}
}

func raise(most *atomic.Int64, to int64) {
	for old := most.Load(); to > old && !most.CompareAndSwap(old, to); old = most.Load() {
	}
}

// await waits for so many more answers: the store works (again).
func (l *load) await(more int64) {
	l.t.Helper()
	from := l.answers.Load()
	redistest.Wait(l.t, "the store answers", func() bool { return l.answers.Load() >= from+more })
}

// end stops the callers.
func (l *load) end() {
	select {
	case <-l.quit:
	default:
		close(l.quit)
		l.callers.Wait()
	}
}

func (l *load) failures() (n int64) {
	for _, target := range l.targets {
		n += target.unknown.Load()
	}
	return n
}

// noFailures holds that every call was answered.
func (l *load) noFailures() {
	l.t.Helper()
	if l.failures() > 0 {
		l.t.Errorf("calls failed: %s", l.report())
	}
}

// within holds every decision to the budget. What the machine itself makes
// goroutines wait is not the store's.
func (l *load) within(budget time.Duration) {
	l.t.Helper()
	slowest, stall := time.Duration(l.slowest.Load()), time.Duration(l.stall.Load())
	if slowest > budget+100*time.Millisecond+3*stall {
		l.t.Errorf("a decision took %v, with a budget of %v (goroutines came up to %v late)", slowest, budget, stall)
	}
	l.t.Logf("slowest of %d answers and %d failures: %v; %s", l.answers.Load(), l.failures(), slowest, l.report())
}

func (l *load) report() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var list []string
	for text, n := range l.errors {
		list = append(list, fmt.Sprintf("%d times %s", n, text))
	}
	sort.Strings(list)
	return strings.Join(list, "; ")
}

// countedOnce compares, when the load has ended, what the server has counted
// with what the callers were told. Forgotten is how often a fault made the server
// forget keys, or the last of what it had counted: each time may admit the
// capacity once more, and no more than that.
func (l *load) countedOnce(store aforo.Store, forgotten int64) {
	l.t.Helper()
	l.end()
	for _, target := range l.targets {
		peek := target.call
		peek.Op, peek.Cost = aforo.OpPeek, 0
		verdicts := make([]aforo.Verdict, len(peek.Limits))
		if err := store.Do(context.Background(), peek, verdicts); err != nil {
			l.t.Fatalf("looking at %s: %v", target.call.Key, err)
		}
		told, unknown := target.allowed.Load(), target.unknown.Load()
		for i := range verdicts {
			limit := &peek.Limits[i]
			used := limit.Capacity() - verdicts[i].Remaining
			if used > told+unknown {
				l.t.Errorf("%s %v: %d counted of %d admitted and %d unknown", target.call.Key, *limit, used, told, unknown)
			}
			if forgotten == 0 && used < told {
				l.t.Errorf("%s %v: only %d counted of %d admitted", target.call.Key, *limit, used, told)
			}
			if most := limit.Capacity() * (1 + forgotten); told > most {
				l.t.Errorf("%s %v: %d admitted, the most is %d", target.call.Key, *limit, told, most)
			}
		}
	}
}
