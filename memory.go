package aforo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Memory is the store in this process. A decision costs one clock read, a hash
// and one place in a table; refusals and looks write nothing. It takes no
// goroutine and no timer: states that are as if never used are dropped a few at
// a time, as others are decided, and the memory of those that are gone is given
// back. It keeps no keys but 73 bits of two hashes, under seeds that nobody can
// know, and nothing that the garbage collector has to follow, but for sliding
// window logs.
//
// Make one with NewMemory. Its methods may be called concurrently.
type Memory struct {
	hashing hashing
	clock   clock
	max     int64 // how many states may be kept; 0 is no bound

	directory atomic.Pointer[directory]
	kept      atomic.Int64
	aside     atomic.Uint32 // the partition that is swept next, out of turn
	splitting sync.Mutex
}

// A MemoryOption changes what NewMemory makes.
type MemoryOption func(*Memory)

// WithMemoryClock makes the store read another clock, for tests and
// simulations. It is read once a decision and may step back. Default: the
// process's monotonic clock, set to the wall clock when the store is made, and
// again, within a second of use, whenever that is a second or more ahead: so
// windows stay aligned to within a second when the machine was suspended or NTP
// has set the clock forward. If the wall clock is set back, the store's goes on,
// so that nobody is locked out; windows begin as they would have, until the wall
// clock has caught up or the process begins anew.
func WithMemoryClock(clock func() time.Time) MemoryOption {
	return func(m *Memory) { m.clock.other = clock }
}

// WithMaxKeys bounds how many states are kept, one for each limit of each key;
// decisions that run at the same time may exceed it by one each. Default: 0, no
// bound.
//
// What is as if never used is dropped first, and costs nobody anything. Beyond
// that nothing is ever forgotten. While the store is full of keys that are being
// limited, new keys share states instead, 1,024 for each limit: those that share
// one are limited together, and so may be refused for what others have done; the
// keys that are known are decided as always. As soon as there is room, new keys
// have states of their own again.
func WithMaxKeys(states int64) MemoryOption {
	return func(m *Memory) { m.max = max(0, states) }
}

// NewMemory makes an empty memory store.
func NewMemory(options ...MemoryOption) *Memory {
	m := &Memory{hashing: newHashing()}
	m.clock.set(time.Now())
	m.directory.Store(newDirectory())
	for _, option := range options {
		option(m)
	}
	return m
}

// Len is how many states are kept: one for each limit of each key. Those that
// are as if never used are counted until they are swept.
func (m *Memory) Len() int { return int(m.kept.Load()) }

// Do implements Store. Its errors are that of a context that has ended,
// *DebtError and *CostError.
func (m *Memory) Do(ctx context.Context, call Call, verdicts []Verdict) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if call.Cost < 0 {
		return &CostError{Op: call.Op, Cost: call.Cost}
	}
	return m.do(&call, m.hashing.space(call.Name), verdicts)
}

// do is Do for a call that has been checked, in the space of its name.
func (m *Memory) do(call *Call, space identity, verdicts []Verdict) error {
	id := m.hashing.identify(space, call.Key)
	var now int64
	var done bool
	switch n := len(call.Limits); {
	case call.Op != OpTake && call.Op != OpPeek || call.At != 0 || call.Prompt || n > maxAtOnce:
		now = m.clock.now()
	case n == 1:
		now, done = m.takeOne(&call.Limits[0], id, call.Cost, call.counts(), &verdicts[0])
	default:
		now, done = m.takeSeveral(call, id, verdicts)
	}
	if done {
		return nil
	}
	return m.doHeld(call, id, now, verdicts)
}

// doHeld is do by somebody who holds the partition.
func (m *Memory) doHeld(call *Call, id identity, now int64, verdicts []Verdict) error {
	p := m.hold(id)
	if m.max > 0 && m.kept.Load() >= m.max {
		p, id = m.room(p, call, id, now)
	}
	more, err := 0, error(nil)
	switch call.Op {
	case OpTake, OpPeek:
		if call.At != 0 { // but never to before what is no longer known
			now = min(now, max(call.At, p.swept))
		}
		more = p.take(call, id, now, verdicts)
	case OpCharge:
		more, err = p.charge(call, id, now)
	case OpReset:
		more = p.reset(call, id)
	default:
		more = p.giveBack(call, id, now)
	}
	m.release(p, more)
	if often(now, id.a) {
		m.sweepAside(now)
	}
	return err
}

// States implements StateReader.
func (m *Memory) States(ctx context.Context, call Call, states []State) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	id := m.hashing.identify(m.hashing.space(call.Name), call.Key)
	p := m.hold(id)
	defer p.free()
	for i := range call.Limits {
		l := &call.Limits[i]
		state, _ := p.get(l, id.of(l))
		states[i] = state.Clone()
	}
	return m.clock.now(), nil
}
