package redisstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

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

	guard    *guard
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
// with DisableRetry, so that nothing is counted twice; with a ConnWriteTimeout and a
// Dialer.Timeout of a second or so and a Dialer.KeepAlive of half of that, since
// connections that the network has forgotten are found out only within these; and, if
// many ask at once, with PipelineMultiplex -1 and a MaxFlushDelay of 20us, with which a
// decision costs half as much CPU. Open does all that.
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
	s.guard = newGuard(runner, s.budget, s.failures, s.pause)
	return s, nil
}

// Do implements aforo.Store.
func (s *Store) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if call.Cost < 0 {
		return &aforo.CostError{Op: call.Op, Cost: call.Cost}
	}
	now, keys := time.Now(), s.keys(&call)
	who := subject(keys[0])
	if call.Op == aforo.OpTake && s.refusals.answer(who, &call, s.elapsed(now), verdicts) {
		s.calls.remembered.Add(1)
		return nil
	}
	given := s.refusals.givenBack(who).Load()
	text, err := s.run(ctx, now, scriptFor(&call), keys, encode(&call, s.now()))
	if call.Op != aforo.OpTake && call.Op != aforo.OpPeek {
		s.refusals.giveBack(who) // even after an error: it may have been carried out
	}
	if err != nil || call.Op == aforo.OpReset {
		return err
	}
	var space [3]aforo.State
	found, err := decode(&call, text, space[:0])
	switch {
	case err != nil:
		return err
	case call.Op == aforo.OpCharge && !found.fits:
		return debtError(&call, &found)
	case call.Op == aforo.OpTake || call.Op == aforo.OpPeek:
		if call.Decide(found.states, found.now, verdicts) != found.fits {
			return errAnswer
		}
	}
	switch {
	case call.Op != aforo.OpTake:
	case found.fits:
		s.refusals.forget(who)
	default:
		s.refusals.add(who, &call, &found, s.elapsed(now), s.elapsed(time.Now()), given, verdicts)
	}
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
	text, err := s.run(ctx, time.Now(), readStates, s.keys(&call), encode(&call, s.now()))
	if err != nil {
		return 0, err
	}
	return decodeStates(&call, text, states)
}

// run runs a script.
func (s *Store) run(ctx context.Context, now time.Time, script *Script, keys []string, argument string) (string, error) {
	s.calls.sent.Add(1)
	answer, err := s.guard.run(ctx, now, script, keys, argument)
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, ErrPaused):
		s.calls.sent.Add(-1)
		s.calls.paused.Add(1)
	default:
		s.calls.failed.Add(1)
	}
	return answer, err
}

// now is the clock of a test in microseconds, 0 if there is none.
func (s *Store) now() int64 {
	if s.clock == nil {
		return 0
	}
	return s.clock().UnixMicro()
}

// elapsed is a clock of this process that does not step, in microseconds.
func (s *Store) elapsed(now time.Time) int64 {
	if s.clock == nil {
		return now.Sub(start).Microseconds()
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
	_, err := s.run(ctx, time.Now(), scriptFor(&call), s.keys(&call), encode(&call, 0))
	return err
}
