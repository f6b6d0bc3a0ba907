package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"github.com/sony/gobreaker/v2"

	"github.com/aforo-dev/aforo"
)

// A Store is an aforo.Store in Redis or Valkey. Its methods may be called
// concurrently.
type Store struct {
	runner   Runner
	prefix   string
	budget   time.Duration
	failures uint32
	pause    time.Duration
	remember int

	breaker  *gobreaker.CircuitBreaker[string]
	refusals *refusals
	clock    func() time.Time // a test's, in place of the server's
	calls    counters
}

// A Runner runs scripts on the server that holds their keys. New and Open have
// one; it is for other clients.
type Runner interface {
	// Run runs a script with its keys, which all lie in one slot, and one
	// argument, and returns its answer. It sends the script's text only if
	// the server does not know it, and sends nothing again of which it does
	// not know whether it was carried out.
	Run(ctx context.Context, script *Script, keys []string, argument string) (string, error)
}

// New makes a store on a client of rueidis, which the caller closes. Make the client
// with DisableRetry, so that nothing is counted twice.
func New(client rueidis.Client, options ...Option) (*Store, error) {
	if client == nil {
		return nil, errors.New("redisstore: New: the client is nil")
	}
	return NewWith(rueidisRunner{client}, options...)
}

// NewWith makes a store on another client.
func NewWith(runner Runner, options ...Option) (*Store, error) {
	if runner == nil {
		return nil, errors.New("redisstore: NewWith: the runner is nil")
	}
	s := &Store{runner: runner, prefix: "aforo", budget: 50 * time.Millisecond,
		failures: 5, pause: 100 * time.Millisecond, remember: 10_000}
	for _, option := range options {
		if option == nil {
			continue
		}
		if err := option(s); err != nil {
			return nil, err
		}
	}
	s.refusals = newRefusals(s.remember)
	s.breaker = gobreaker.NewCircuitBreaker[string](gobreaker.Settings{
		Timeout:     s.pause,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= s.failures },
		IsExcluded:  func(err error) bool { return errors.As(err, new(callerGone)) },
	})
	return s, nil
}

// ErrPaused is the error of a call that was not sent, since the server has failed
// several times in a row and its pause has not passed: see WithBreaker.
var ErrPaused = errors.New("redisstore: the server has failed and is not asked for a while")

// ErrBudget is the error of a call that was not answered within its budget. It may
// have been carried out, or still be.
var ErrBudget = errors.New("redisstore: no answer within the budget")

// callerGone is the error of a call whose context has ended, which is no fault of
// the server.
type callerGone struct{ error }

// Do implements aforo.Store.
func (s *Store) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if call.Cost < 0 {
		return &aforo.CostError{Op: call.Op, Cost: call.Cost}
	}
	keys := s.keys(&call)
	if call.Op == aforo.OpTake && s.refusals.answer(subject(keys[0]), &call, s.elapsed(), verdicts) {
		s.calls.remembered.Add(1)
		return nil
	}
	sent := s.elapsed()
	text, err := s.run(ctx, scriptFor(&call), &call, keys)
	if err != nil {
		return err
	}
	found, err := decode(&call, text)
	if err != nil {
		return err
	}
	switch call.Op {
	case aforo.OpTake, aforo.OpPeek:
		if call.Decide(found.states, found.now, verdicts) != found.fits {
			return errAnswer
		}
		switch {
		case call.Op == aforo.OpPeek:
			return nil
		case !found.fits:
			s.refusals.add(subject(keys[0]), &call, found, sent, s.elapsed(), verdicts)
			return nil
		}
	case aforo.OpCharge:
		if !found.fits {
			return debtError(&call, &found)
		}
	}
	s.refusals.forget(subject(keys[0]))
	return nil
}

// debtError is that of the limit which can hold the least.
func debtError(call *aforo.Call, found *answer) error {
	var least *aforo.DebtError
	for i := range call.Limits {
		var debt *aforo.DebtError
		_, err := call.Limits[i].Charge(found.states[i], found.now, call.Cost)
		if errors.As(err, &debt) && (least == nil || debt.Largest < least.Largest) {
			least = debt
		}
	}
	if least == nil {
		return errAnswer
	}
	return least
}

// States implements aforo.StateReader.
func (s *Store) States(ctx context.Context, call aforo.Call, states []aforo.State) (int64, error) {
	text, err := s.run(ctx, readStates, &call, s.keys(&call))
	if err != nil {
		return 0, err
	}
	return decodeStates(&call, text, states)
}

// run runs a script within the budget, unless the breaker is open.
func (s *Store) run(ctx context.Context, script *Script, call *aforo.Call, keys []string) (string, error) {
	text, err := s.breaker.Execute(func() (string, error) {
		s.calls.sent.Add(1)
		within, cancel := context.WithTimeout(ctx, s.budget)
		defer cancel()
		text, err := s.execute(within, script, call, keys)
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return "", callerGone{ctx.Err()}
		case within.Err() != nil, errors.Is(err, context.DeadlineExceeded): // which the connection may notice before
			return "", fmt.Errorf("%w of %v: %w", ErrBudget, s.budget, err)
		}
		return "", fmt.Errorf("redisstore: %w", err)
	})
	var gone callerGone
	switch {
	case err == nil:
		return text, nil
	case errors.As(err, &gone):
		return "", gone.error
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		s.calls.paused.Add(1)
		return "", ErrPaused
	}
	s.calls.failed.Add(1)
	return "", err
}

// execute runs a script. What lies under its keys and is not of a state's type gives
// way: the script has then changed nothing.
func (s *Store) execute(ctx context.Context, script *Script, call *aforo.Call, keys []string) (string, error) {
	argument := encode(call, s.now())
	text, err := s.runner.Run(ctx, script, keys, argument)
	if err == nil || !strings.Contains(err.Error(), "WRONGTYPE") {
		return text, err
	}
	types := make([]byte, len(keys))
	for i := range types {
		types[i] = 's'
		if call.Limits[i].Algorithm() == aforo.SlidingWindowLog {
			types[i] = 'l'
		}
	}
	if _, err := s.runner.Run(ctx, removeForeign, keys, string(types)); err != nil {
		return "", err
	}
	return s.runner.Run(ctx, script, keys, argument)
}

// now is the clock of a test in microseconds, 0 if there is none.
func (s *Store) now() int64 {
	if s.clock == nil {
		return 0
	}
	return s.clock().UnixMicro()
}

// elapsed is a clock of this process that does not step, in microseconds.
func (s *Store) elapsed() int64 {
	if s.clock == nil {
		return time.Since(start).Microseconds()
	}
	return s.clock().UnixMicro()
}

var start = time.Now()

// Stats are how many calls a store has had so far.
type Stats struct {
	Sent       int64 // to the server
	Failed     int64 // of these, not answered as they should be
	Paused     int64 // not sent, since the server has failed: ErrPaused
	Remembered int64 // not sent, since a refusal still held
}

type counters struct{ sent, failed, paused, remembered atomic.Int64 }

// Stats are how many calls the store has had so far.
func (s *Store) Stats() Stats {
	return Stats{s.calls.sent.Load(), s.calls.failed.Load(), s.calls.paused.Load(), s.calls.remembered.Load()}
}

// Ping asks the server whether it works, as a decision would. It says what is wrong.
func (s *Store) Ping(ctx context.Context) error {
	call := aforo.Call{Op: aforo.OpPeek, Name: "aforo", Key: "ping", Limits: []aforo.Limit{aforo.PerSecond(1)}}
	_, err := s.run(ctx, scriptFor(&call), &call, s.keys(&call))
	return err
}
