package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// ErrPaused is the error of a call that was not sent, since the server has failed
// several times in a row and its pause has not passed: see WithBreaker.
var ErrPaused = errors.New("redisstore: the server has failed and is not asked for a while")

// ErrBudget is the error of a call that was not answered within its budget. It may
// have been carried out, or still be.
var ErrBudget = errors.New("redisstore: no answer within the budget")

// callerGone is the error of a call whose context has ended, which is no fault of
// the server.
type callerGone struct{ error }

// A guard bounds the time of calls, and stops asking a server that fails.
type guard struct {
	runner    Runner
	deadlines deadlines
	breaker   *gobreaker.CircuitBreaker[string]
	failed    atomic.Bool // the last call has; until then, the breaker has nothing to say
}

func newGuard(runner Runner, budget time.Duration, failures uint32, pause time.Duration) *guard {
	return &guard{
		runner:    runner,
		deadlines: deadlines{budget: budget},
		breaker: gobreaker.NewCircuitBreaker[string](gobreaker.Settings{
			Timeout:     pause,
			ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failures },
			IsExcluded:  func(err error) bool { return errors.As(err, new(callerGone)) },
		}),
	}
}

// run runs a script within the budget, unless the server is not to be asked.
func (g *guard) run(ctx context.Context, now time.Time, script *Script, keys []string, argument string) (string, error) {
	if !g.failed.Load() {
		answer, err := g.ask(ctx, now, script, keys, argument)
		if err == nil {
			return answer, nil
		}
		g.count(err)
		return "", unwrapGone(err)
	}
	return g.probe(ctx, now, script, keys, argument)
}

// count lets the breaker know of a failure.
func (g *guard) count(err error) {
	_, _ = g.breaker.Execute(func() (string, error) { return "", err })
	g.failed.Store(true)
}

// probe is run by the breaker.
func (g *guard) probe(ctx context.Context, now time.Time, script *Script, keys []string, argument string) (string, error) {
	answer, err := g.breaker.Execute(func() (string, error) { return g.ask(ctx, now, script, keys, argument) })
	switch {
	case err == nil:
		g.failed.Store(false)
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		err = ErrPaused
	}
	return answer, unwrapGone(err)
}

// ask asks within the budget. The deadline of a caller who may go before is not given
// to the client, which would give up the connection, that others use, with the call.
func (g *guard) ask(ctx context.Context, now time.Time, script *Script, keys []string, argument string) (string, error) {
	if !g.deadlines.mayGo(ctx, now) {
		return g.askToTheEnd(ctx, now, script, keys, argument)
	}
	type reply struct {
		answer string
		err    error
	}
	replies := make(chan reply)
	go func() {
		answer, err := g.askToTheEnd(context.WithoutCancel(ctx), now, script, keys, argument)
		select {
		case replies <- reply{answer, err}:
		case <-ctx.Done():
			if err != nil { // it has failed all the same
				g.count(err)
			}
		}
	}()
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-ctx.Done():
		return "", callerGone{ctx.Err()}
	}
}

func (g *guard) askToTheEnd(ctx context.Context, now time.Time, script *Script, keys []string, argument string) (string, error) {
	within, cancel := g.deadlines.within(ctx, now)
	if cancel != nil {
		defer cancel()
	}
	answer, err := execute(within, g.runner, script, keys, argument)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil && time.Since(now) < g.deadlines.least():
		return "", callerGone{ctx.Err()} // and the server might have answered in time
	case within.Err() != nil, errors.Is(err, context.DeadlineExceeded): // which the connection may notice before
		return "", fmt.Errorf("%w of %v: %w", ErrBudget, g.deadlines.budget, err)
	}
	return "", fmt.Errorf("redisstore: %w", err)
}

func unwrapGone(err error) error {
	if gone := (callerGone{}); errors.As(err, &gone) {
		return gone.error
	}
	return err
}

// deadlines are the ends of budgets. To make a context for every call would cost as
// much as the call: those that begin at almost the same time share one, and so have
// up to a sixteenth less than the budget.
type deadlines struct {
	budget  time.Duration
	current atomic.Pointer[deadline]
}

// A deadline is a context that ends at the end of the budget of who began when it
// was made.
type deadline struct {
	context.Context
	made time.Time
}

// short is a budget that a call may be left to use up when its caller has gone.
const short = 100 * time.Millisecond

// mayGo tells whether a caller may be gone long before the budget has passed.
func (d *deadlines) mayGo(ctx context.Context, now time.Time) bool {
	if d.budget > short {
		return ctx.Done() != nil
	}
	ends, ok := ctx.Deadline()
	return ok && ends.Before(now.Add(d.budget))
}

// within is a context that ends with the budget. Cancel, if it is not nil, is to be
// called at the end.
func (d *deadlines) within(ctx context.Context, now time.Time) (_ context.Context, cancel context.CancelFunc) {
	if d.budget > short {
		return context.WithTimeout(ctx, d.budget)
	}
	shared := d.shared(now)
	if ctx == context.Background() {
		return shared, nil
	}
	return withValues{shared, ctx}, nil
}

// least is how long a call has at least.
func (d *deadlines) least() time.Duration { return d.budget - d.budget/16 }

func (d *deadlines) shared(now time.Time) *deadline {
	current := d.current.Load()
	if current != nil && now.Sub(current.made) < d.budget-d.least() {
		return current
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.budget)
	context.AfterFunc(ctx, cancel)
	next := &deadline{ctx, now}
	d.current.Store(next)
	return next
}

// withValues is a context with the values of another.
type withValues struct {
	*deadline
	values context.Context
}

// Value implements context.Context.
func (w withValues) Value(key any) any { return w.values.Value(key) }
