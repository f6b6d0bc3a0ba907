package aforo

import (
	"context"
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// Memory is the store in this process. It takes no goroutine and no timer:
// keys that are as if they had never been used are dropped a few at a time,
// whenever a new key comes in. A key that is still limited is never dropped.
//
// Its methods may be called concurrently.
type Memory struct {
	seed   maphash.Seed
	clock  func() time.Time // nil for the process's own
	start  time.Time        // the anchor of the monotonic clock
	shards [64]memoryShard
}

type memoryShard struct {
	mu      sync.Mutex
	index   map[memoryID]int
	records []memoryRecord
	hand    int   // the record that is looked at next when sweeping
	swept   int64 // the latest instant at which a record that was swept expired
}

// memoryID is what a record is found by.
type memoryID struct {
	limit     limitID
	name, key string
}

type memoryRecord struct {
	id      memoryID
	state   State
	expires int64 // when the state is as if the key had never been used, in microseconds; never
}

// NewMemory makes an empty memory store. With a nil clock it reads the
// process's monotonic clock, set to the wall clock once, now: so later steps
// of the wall clock neither grant nor lock out anything. Another clock is for
// tests and simulations; it is read once a decision and may step back.
func NewMemory(clock func() time.Time) *Memory {
	return &Memory{seed: maphash.MakeSeed(), clock: clock, start: time.Now()}
}

// now is the instant in microseconds since the Unix epoch.
func (m *Memory) now() int64 {
	if m.clock != nil {
		return m.clock().UnixMicro()
	}
	return m.start.UnixMicro() + time.Since(m.start).Microseconds()
}

// Do implements Store. Its errors are that of a context that has ended,
// *DebtError and *CostError.
func (m *Memory) Do(ctx context.Context, call Call, verdicts []Verdict) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if call.Cost < 0 {
		return &CostError{Op: call.Op, Cost: call.Cost}
	}
	shard := m.shard(&call)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	now := m.now()
	switch call.Op {
	case OpTake, OpPeek:
		if call.At != 0 { // but never to before what is no longer known
			now = min(now, max(call.At, shard.swept))
		}
		shard.take(&call, now, verdicts)
	case OpCharge:
		return shard.charge(&call, now)
	case OpReset:
		for i := range call.Limits {
			shard.drop(call.id(i))
		}
	default:
		shard.giveBack(&call, now)
	}
	return nil
}

// States implements StateReader.
func (m *Memory) States(ctx context.Context, call Call, states []State) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	shard := m.shard(&call)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	for i := range call.Limits {
		states[i] = shard.state(call.id(i)).Clone()
	}
	return m.now(), nil
}

// Len is how many states are kept: one for each limit of each key. Those that
// are as if never used are counted until they are swept.
func (m *Memory) Len() int {
	n := 0
	for i := range m.shards {
		shard := &m.shards[i]
		shard.mu.Lock()
		n += len(shard.records)
		shard.mu.Unlock()
	}
	return n
}

// shard is where all limits of a key are kept, so that one lock holds them.
func (m *Memory) shard(call *Call) *memoryShard {
	return &m.shards[maphash.String(m.seed, call.Key)%uint64(len(m.shards))]
}

// id is what the state of the call's i-th limit is found by.
func (call *Call) id(i int) memoryID {
	return memoryID{call.Limits[i].limitID, call.Name, call.Key}
}

func (s *memoryShard) state(id memoryID) State {
	if i, ok := s.index[id]; ok {
		return s.records[i].state
	}
	return State{}
}

// take decides for all limits before it counts for any.
func (s *memoryShard) take(call *Call, now int64, verdicts []Verdict) {
	var states [maxLimits]State
	var dated [maxLimits]int64
	allowed := true
	for i := range call.Limits {
		l := &call.Limits[i]
		states[i] = s.state(call.id(i))
		if call.Prompt {
			verdicts[i], dated[i] = l.prompt(&states[i], now, call.Cost, call.At != 0)
		} else {
			verdicts[i], dated[i] = l.decide(&states[i], now, call.Cost), now
		}
		allowed = allowed && verdicts[i].Allowed
	}
	for i := range call.Limits {
		l := &call.Limits[i]
		switch {
		case !allowed && verdicts[i].Allowed:
			verdicts[i] = l.decide(&states[i], now, 0)
		case allowed && call.Op == OpTake && call.Cost > 0:
			s.set(call.id(i), l, l.use(states[i], dated[i], call.Cost), now)
		}
	}
}

// charge finds out whether all limits can hold it before it charges any.
func (s *memoryShard) charge(call *Call, now int64) error {
	if call.Cost == 0 {
		return nil
	}
	largest := int64(maxExact)
	for i := range call.Limits {
		state := s.state(call.id(i))
		largest = min(largest, call.Limits[i].headroom(&state, now))
	}
	if call.Cost > largest {
		return &DebtError{Units: call.Cost, Largest: largest}
	}
	for i := range call.Limits {
		l, id := &call.Limits[i], call.id(i)
		s.set(id, l, l.use(s.state(id), now, call.Cost), now)
	}
	return nil
}

// giveBack carries out OpRefund and OpUndo.
func (s *memoryShard) giveBack(call *Call, now int64) {
	for i := range call.Limits {
		l, id := &call.Limits[i], call.id(i)
		state := s.state(id)
		if state.unused() {
			continue
		}
		if call.Op == OpUndo {
			state = l.Undo(state, now, call.At, call.Cost)
		} else {
			state = l.Refund(state, now, call.Cost)
		}
		s.set(id, l, state, now)
	}
}

// set keeps a state until it is as if never used.
func (s *memoryShard) set(id memoryID, l *Limit, state State, now int64) {
	expires := l.decide(&state, now, 0).Reset
	if expires != int64(never) {
		expires = after(now, expires)
	}
	i, ok := s.index[id]
	if !ok {
		s.sweep(now)
		if s.index == nil {
			s.index = make(map[memoryID]int)
		}
		id.key = strings.Clone(id.key) // it may be part of something large
		i = len(s.records)
		s.index[id] = i
		s.records = append(s.records, memoryRecord{id: id})
	}
	s.records[i].state, s.records[i].expires = state, expires
}

// sweep looks at a few records and drops those that are as if never used. Two
// for each new one are enough: they go faster than they come. The hand moves
// down, so that what takes the place of a dropped record has been looked at.
func (s *memoryShard) sweep(now int64) {
	for range min(2, len(s.records)) {
		if s.hand--; s.hand < 0 || s.hand >= len(s.records) {
			s.hand = len(s.records) - 1
		}
		if r := &s.records[s.hand]; r.expires != int64(never) && r.expires <= now {
			s.swept = max(s.swept, r.expires)
			s.drop(r.id)
		}
	}
}

// drop forgets a record; the last one takes its place.
func (s *memoryShard) drop(id memoryID) {
	i, ok := s.index[id]
	if !ok {
		return
	}
	delete(s.index, id)
	last := len(s.records) - 1
	if i != last {
		s.records[i] = s.records[last]
		s.index[s.records[i].id] = i
	}
	s.records[last] = memoryRecord{}
	s.records = s.records[:last]
}
