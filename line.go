package aforo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Those who wait for the same key stand in a line, in this process, first come
// first served. Nothing is taken for them before their turn: so who gives up
// leaves nothing behind, under every algorithm and in every store. Only the
// head of a line asks the store, again when the store has said that it may.
// Its turn is dated to that instant and not to when it was woken up, so that
// late timers never lower the rate.
//
// A line has a timer only while somebody stands in it.

// lines are the lines of a limiter, by key.
type lines struct {
	waiting atomic.Int64 // how many lines there are: 0 spares everybody the lock
	mu      sync.Mutex
	byKey   map[string]*line
}

type line struct {
	limiter *Limiter
	key     string

	mu    sync.Mutex
	gone  bool // it is no longer among the lines: who has found it looks again
	turns []*turn
	timer *time.Timer
	due   time.Time // when the head may ask again; the zero Time is now
	at    int64     // the same instant on the store's clock; 0 is now
}

// A turn is a place in a line.
type turn struct {
	ctx    context.Context
	limits []Limit
	cost   int64

	joined time.Time

	ready chan struct{} // closed when the turn has come, or failed
	err   error         // why it failed; to be read after ready
	at    int64         // when it came, on the store's clock
}

// join puts a turn at the end of its line. If it is the only one, it may have
// come when join returns.
func (l *Limiter) join(ctx context.Context, call Call) (*line, *turn) {
	t := &turn{
		ctx:    context.WithoutCancel(ctx),
		limits: call.Limits,
		cost:   call.Cost,
		joined: time.Now(),
		ready:  make(chan struct{}),
	}
	for {
		ln := l.lines.get(l, call.Key)
		ln.mu.Lock()
		if !ln.gone {
			ln.turns = append(ln.turns, t)
			if len(ln.turns) == 1 {
				ln.advance()
			}
			ln.mu.Unlock()
			return ln, t
		}
		ln.mu.Unlock()
	}
}

// get finds the line of a key, or opens it.
func (ls *lines) get(l *Limiter, key string) *line {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ln := ls.byKey[key]
	if ln == nil {
		if ls.byKey == nil {
			ls.byKey = make(map[string]*line)
		}
		ln = &line{limiter: l, key: key}
		ls.byKey[key] = ln
		ls.waiting.Add(1)
	}
	return ln
}

// find is the line of a key if there is one.
func (ls *lines) find(key string) *line {
	if ls.waiting.Load() == 0 {
		return nil
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.byKey[key]
}

// serve lets those go first whose turn has come, before somebody else asks.
func (ls *lines) serve(key string) {
	if ln := ls.find(key); ln != nil {
		ln.mu.Lock()
		ln.advance()
		ln.mu.Unlock()
	}
}

// retry lets the head ask at once, since there may be more room than it knows.
func (ls *lines) retry(key string) {
	if ln := ls.find(key); ln != nil {
		ln.mu.Lock()
		ln.askNow()
		ln.mu.Unlock()
	}
}

func (ln *line) askNow() {
	ln.due, ln.at = time.Time{}, 0
	ln.advance()
}

// advance lets in everybody whose turn has come, and sets the timer for the
// next. The caller holds ln.mu, as for all that follows.
func (ln *line) advance() {
	for len(ln.turns) > 0 {
		if wait := time.Until(ln.due); wait > 0 {
			ln.wakeIn(wait)
			return
		}
		head := ln.turns[0]
		if head.joined.After(ln.due) {
			ln.due, ln.at = time.Time{}, 0 // no turn comes before its request
		}
		ln.ask(head)
	}
	ln.close()
}

// ask asks the store for the head of the line.
func (ln *line) ask(head *turn) {
	call := Call{Op: OpTake, Name: ln.limiter.name, Key: ln.key,
		Limits: head.limits, Cost: head.cost, At: ln.at, Prompt: true}
	verdicts := make([]Verdict, len(call.Limits))
	if err := ln.limiter.store.Do(head.ctx, call, verdicts); err != nil {
		for len(ln.turns) > 0 { // a store that does not answer one answers nobody
			ln.leave(err)
		}
		return
	}
	allowed, wait := outcome(verdicts)
	asked := verdicts[0].At
	switch {
	case allowed:
		head.at = asked
		ln.leave(nil)
	case wait == never:
		ln.leave(combine(head.limits, verdicts).never(head.cost))
	default:
		if ln.at == 0 || asked < ln.at {
			ln.due = time.Now()
		}
		ln.due, ln.at = ln.due.Add(wait.duration()), after(asked, int64(wait))
	}
}

// leave takes the head out of the line: its turn has come, or failed.
func (ln *line) leave(err error) {
	head := ln.turns[0]
	ln.turns[0] = nil
	ln.turns = ln.turns[1:]
	head.err = err
	close(head.ready)
}

// outcome is whether all allow, and otherwise the longest wait.
func outcome(verdicts []Verdict) (allowed bool, wait micros) {
	allowed = true
	for i := range verdicts {
		if v := &verdicts[i]; !v.Allowed {
			allowed = false
			if micros(v.Retry).longer(wait) {
				wait = micros(v.Retry)
			}
		}
	}
	return allowed, wait
}

func (ln *line) wakeIn(wait time.Duration) {
	if ln.timer != nil {
		ln.timer.Reset(wait)
		return
	}
	ln.timer = time.AfterFunc(wait, func() {
		ln.mu.Lock()
		defer ln.mu.Unlock()
		if !ln.gone {
			ln.advance()
		}
	})
}

// close takes an empty line away.
func (ln *line) close() {
	if ln.gone {
		return
	}
	ln.gone = true
	if ln.timer != nil {
		ln.timer.Stop()
	}
	ls := &ln.limiter.lines
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.byKey, ln.key)
	ls.waiting.Add(-1)
}

// abandon takes a turn out of the line if it has not come yet, and tells
// whether it did. Who stood behind the head now asks in its place.
func (ln *line) abandon(t *turn) bool {
	ln.mu.Lock()
	defer ln.mu.Unlock()
	for i, other := range ln.turns {
		if other != t {
			continue
		}
		ln.turns = append(ln.turns[:i], ln.turns[i+1:]...)
		if i == 0 {
			ln.askNow()
		}
		return true
	}
	return false
}
