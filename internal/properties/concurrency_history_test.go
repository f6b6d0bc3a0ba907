package properties

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/anishathalye/porcupine"
)

// A request is what somebody does to a key, while the clock stands between two
// instants; and a reply is what he is told.
type request struct {
	op, key  string
	units    int64
	from, to int64 // the store read the clock in between
}

type reply struct {
	decision aforo.Decision
	debt     bool
}

// clockStep is how far the coarse clock moves at once.
const clockStep = second / 8

// linear says that a history is one which the pure rules could have given, one
// operation after the other, each at an instant between its call and its
// return.
func linear(limits []aforo.Limit) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: byKey,
		Init:      func() []any { return []any{make([]aforo.State, len(limits))} },
		Equal:     reflect.DeepEqual,
		Step: func(state, in, out any) (next []any) {
			for at := in.(request).from; at <= in.(request).to; at += clockStep {
				if s, ok := step(limits, state.([]aforo.State), in.(request), out.(reply), at); ok {
					next = append(next, s)
				}
			}
			return next
		},
	}
	return model.ToModel()
}

func byKey(history []porcupine.Operation) (parts [][]porcupine.Operation) {
	index := map[string]int{}
	for _, op := range history {
		key := op.Input.(request).key
		i, ok := index[key]
		if !ok {
			i = len(parts)
			index[key], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], op)
	}
	return parts
}

// step is what the pure rules make of a request at an instant, and whether that
// is what its caller was told.
func step(limits []aforo.Limit, states []aforo.State, in request, out reply, at int64) ([]aforo.State, bool) {
	g := newLedger(limits)
	for _, s := range states {
		g.states[in.key] = append(g.states[in.key], s.Clone())
	}
	ok := true
	switch in.op {
	case "take":
		each, allowed := g.take(in.key, at, in.units)
		ok = g.agrees(out.decision, each, allowed)
	case "peek":
		each, allowed := g.decide(in.key, at, in.units)
		ok = g.agrees(out.decision, each, allowed)
	case "charge":
		ok = g.charge(in.key, at, in.units) != out.debt
	case "refund":
		g.refund(in.key, at, in.units)
	case "reset":
		g.states[in.key] = make([]aforo.State, len(limits))
	}
	for i := range g.states[in.key] { // an empty log is no log, to DeepEqual
		g.states[in.key][i] = g.states[in.key][i].Clone()
	}
	return g.states[in.key], ok
}

// A recorder lets clients loose on a limiter, and writes down what they do.
type recorder struct {
	limiter *aforo.Limiter
	clock   atomic.Int64 // the store's, in microseconds
	order   atomic.Int64 // numbers calls and returns as they happen

	mu      sync.Mutex
	history []porcupine.Operation
}

func newRecorder(t *testing.T, limits []aforo.Limit) *recorder {
	r := &recorder{}
	r.clock.Store(today)
	ls, err := aforo.NewLimits(limits...)
	if err != nil {
		t.Fatal(err)
	}
	r.limiter, err = aforo.NewLimiter(ls, aforo.WithClock(func() time.Time { return time.UnixMicro(r.clock.Load()) }))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *recorder) client(id int, random *rand.Rand, requests int, drift bool) error {
	ops := []string{"take", "take", "take", "take", "peek", "charge", "refund", "reset"}
	for range requests {
		in := request{op: ops[random.IntN(len(ops))], key: string(rune('a' + random.IntN(2))), units: random.Int64N(4)}
		op := porcupine.Operation{ClientId: id, Call: r.order.Add(1)}
		in.from = r.clock.Load()
		out, err := r.do(in)
		if err != nil {
			return err
		}
		in.to = r.clock.Load()
		op.Return = r.order.Add(1)
		op.Input, op.Output = in, out
		r.mu.Lock()
		r.history = append(r.history, op)
		r.mu.Unlock()
		if drift && random.IntN(4) == 0 {
			r.clock.Add(clockStep)
		}
	}
	return nil
}

func (r *recorder) do(in request) (out reply, err error) {
	ctx := context.Background()
	switch in.op {
	case "take":
		out.decision, err = r.limiter.AllowN(ctx, in.key, in.units)
	case "peek":
		out.decision, err = r.limiter.Peek(ctx, in.key, in.units)
	case "charge":
		err = r.limiter.Charge(ctx, in.key, in.units)
		out.debt = errors.As(err, new(*aforo.DebtError))
		if out.debt {
			err = nil
		}
	case "refund":
		err = r.limiter.Refund(ctx, in.key, in.units)
	case "reset":
		err = r.limiter.Reset(ctx, in.key)
	}
	return out, err
}

// together runs clients at once and waits for them.
func together(clients int, client func(id int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, clients)
	for id := range clients {
		wg.Go(func() { errs[id] = client(id) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func contended() map[string][]aforo.Limit {
	sets := map[string][]aforo.Limit{}
	for _, a := range aforo.Algorithms() {
		sets[a.String()] = []aforo.Limit{aforo.Per(5, time.Second).Using(a)}
	}
	sets["two limits"] = []aforo.Limit{aforo.PerSecond(4), aforo.Per(6, 3*time.Second).Using(aforo.SlidingWindowLog)}
	return sets
}

// Whatever clients do at once, each decision is the one that the rules give for
// some order of what was done.
func TestConcurrentHistoriesAreLinear(t *testing.T) {
	for name, limits := range contended() {
		for _, drift := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, clock moving %v", name, drift), func(t *testing.T) {
				for round := range 20 {
					seed := rand.Uint64()
					r := newRecorder(t, limits)
					for epoch := range 4 { // the clock that stands moves in between
						err := together(4, func(id int) error {
							return r.client(id, rand.New(rand.NewPCG(seed, uint64(epoch*10+id))), 12, drift)
						})
						if err != nil {
							t.Fatal(err)
						}
						r.clock.Add(clockStep * 3)
					}
					if !porcupine.CheckOperations(linear(limits), r.history) {
						t.Fatalf("round %d, seed %d: no order explains %d operations", round, seed, len(r.history))
					}
				}
			})
		}
	}
}

// A checker that believes everything is worth nothing: two who are both told
// that they took the only unit cannot be believed.
func TestTheCheckerSeesADoubleGrant(t *testing.T) {
	limits := []aforo.Limit{aforo.PerHour(1)}
	r := newRecorder(t, limits)
	in := request{op: "take", key: "a", units: 1, from: today, to: today}
	out, err := r.do(in)
	if err != nil {
		t.Fatal(err)
	}
	twice := []porcupine.Operation{
		{ClientId: 0, Input: in, Output: out, Call: 1, Return: 3},
		{ClientId: 1, Input: in, Output: out, Call: 2, Return: 4},
	}
	if !porcupine.CheckOperations(linear(limits), twice[:1]) || porcupine.CheckOperations(linear(limits), twice) {
		t.Fatal("two grants of one unit are believed, or one is not")
	}
}
