package aforo

import (
	"context"
	"errors"
	"slices"
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

	mu     sync.Mutex
	gone   bool // it is no longer among the lines: who has found it looks again
	turns  []*turn
	timer  *time.Timer
	due    time.Time // when the head may ask again; the zero Time is now
	at     int64     // the same instant on the store's clock; 0 is now
	asking bool      // the store is being asked for the head, and mu is free meanwhile
	stale  bool      // there may be more room than what the store will answer
	plan   *plan     // of all who stand in line, nil if it has to be made anew
}

// A turn is a place in a line.
type turn struct {
	ctx    context.Context
	key    string // as the caller gave it
	limits []Limit
	cost   int64
	joined time.Time

	ready chan struct{} // closed when the turn has come, has failed or was given up
	err   error         // why it did not come; to be read after ready
	at    int64         // when it came, on the store's clock
}

// errGivenUp is what a turn that was given up ends with.
var errGivenUp = errors.New("aforo: the reservation was cancelled or settled before its turn")

// join puts a turn at the end of its line. If it is the only one, it may have
// come when join returns.
func (l *Limiter) join(ctx context.Context, key string, call *Call) (*line, *turn) {
	t := &turn{ctx: ctx, key: key, limits: call.Limits, cost: call.Cost, joined: time.Now(), ready: make(chan struct{})}
	for {
		ln := l.lines.get(l, call.Key)
		ln.mu.Lock()
		if ln.gone {
			ln.mu.Unlock()
			continue
		}
		ln.turns = append(ln.turns, t)
		switch head := ln.turns[0]; {
		case head == t:
			ln.advance()
		case &head.limits[0] != &t.limits[0]: // they have changed under those who wait
			ln.askNow()
		}
		ln.mu.Unlock()
		return ln, t
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
		ln.plan = nil // which whoever asks now may cross
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

// askNow forgets when the head may ask again. The caller holds ln.mu, as for all
// that follows.
func (ln *line) askNow() {
	ln.due, ln.at, ln.stale, ln.plan = time.Time{}, 0, true, nil
	ln.advance()
}

// advance lets in everybody whose turn has come, and sets the timer for the
// next. It lets go of ln.mu while it asks a store that may be slow, so that nobody
// is held up who wants to give up; whoever else comes meanwhile leaves the rest to
// it.
func (ln *line) advance() {
	for !ln.asking && len(ln.turns) > 0 {
		if wait := time.Until(ln.due); wait > 0 {
			ln.wakeIn(wait)
			return
		}
		ln.ask(ln.turns[0])
	}
	if !ln.asking {
		ln.close()
	}
}

// ask asks the store for the head of the line.
func (ln *line) ask(head *turn) {
	if head.joined.After(ln.due) {
		ln.due, ln.at = time.Time{}, 0 // no turn comes before its request
	}
	head.limits = ln.limiter.limitsOf(head.ctx, head.key)
	if head.limits == nil { // by now it is unlimited
		ln.leave(nil)
		return
	}
	call := Call{Op: OpTake, Name: ln.limiter.name, Key: ln.key,
		Limits: head.limits, Cost: head.cost, At: ln.at, Prompt: true}
	verdicts := make([]Verdict, len(call.Limits))

	ln.stale = false
	if memory := ln.limiter.memory; memory != nil { // it never waits, and needs no context
		ln.answer(head, verdicts, memory.do(&call, ln.limiter.space, verdicts))
		return
	}
	ln.asking = true
	ln.mu.Unlock()
	err := ln.limiter.store.Do(head.ctx, call, verdicts)
	ln.mu.Lock()
	ln.asking = false
	if len(ln.turns) == 0 || ln.turns[0] != head {
		ln.giveBack(head, call, verdicts, err)
		return
	}
	ln.answer(head, verdicts, err)
}

// answer deals with what the store has said about the head.
func (ln *line) answer(head *turn, verdicts []Verdict, err error) {
	switch {
	case err != nil && head.ctx.Err() != nil:
		ln.leave(head.ctx.Err())
		return
	case err != nil: // a store that does not answer one answers nobody
		for len(ln.turns) > 0 {
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
	case ln.stale:
		ln.due, ln.at = time.Time{}, 0
	default:
		if ln.at == 0 || asked < ln.at {
			ln.due = time.Now()
		}
		ln.due, ln.at = ln.due.Add(wait.duration()), after(asked, int64(wait))
	}
}

// giveBack gives back what the store has taken for somebody who gave up while it
// was asked.
func (ln *line) giveBack(gone *turn, call Call, verdicts []Verdict, err error) {
	if allowed, _ := outcome(verdicts); err != nil || !allowed {
		return
	}
	call.Op, call.At = OpUndo, verdicts[0].At
	ln.asking = true
	ln.mu.Unlock()
	// If this fails, the units are lost; there is nobody left to tell.
	_ = ln.limiter.store.Do(context.WithoutCancel(gone.ctx), call, nil)
	ln.mu.Lock()
	ln.asking = false
}

// leave takes the head out of the line: its turn has come, or failed.
func (ln *line) leave(err error) {
	head := ln.turns[0]
	ln.turns[0] = nil
	ln.turns = ln.turns[1:]
	head.err = err
	close(head.ready)
	if err != nil {
		ln.plan = nil
	}
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
	i := slices.Index(ln.turns, t)
	if i < 0 {
		return false
	}
	ln.turns = slices.Delete(ln.turns, i, i+1)
	t.err = errGivenUp
	close(t.ready)
	ln.plan = nil
	if i == 0 {
		ln.askNow()
	}
	return true
}
