package aforo

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// clockAt is a clock that a test sets, in microseconds.
type clockAt struct{ atomic.Int64 }

func (c *clockAt) now() time.Time { return time.UnixMicro(c.Load()) }

func newMemoryAt(options ...MemoryOption) (*Memory, *clockAt) {
	c := new(clockAt)
	c.Store(1_767_225_600_000_000)
	return NewMemory(append(options, WithMemoryClock(c.now))...), c
}

func memoryLimiter(t *testing.T, m *Memory, limits string) *Limiter {
	t.Helper()
	l, err := New(limits, WithStore(m))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func allow(t *testing.T, l *Limiter, key string) bool {
	t.Helper()
	d, err := l.Allow(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return d.Allowed
}

// slots is how many places there are in all tables.
func (m *Memory) slots() (n int) {
	d := m.directory.Load()
	for i := range d.count {
		p := d.partition(i)
		n += int(p.slots[0].Load()+p.slots[1].Load()) + len(p.odd)
	}
	return n
}

func TestAPartitionFillsOneCacheLine(t *testing.T) {
	if size := unsafe.Sizeof(partition{}); size > 64 || strconv.IntSize == 64 && size != 64 {
		t.Errorf("a partition takes %d bytes", size)
	}
}

// TestNothingIsLostWhileTheStoreGrows: keys are put in by several at once, each
// asked again while partitions split under it.
func TestNothingIsLostWhileTheStoreGrows(t *testing.T) {
	for _, text := range []string{"2/h", "sliding_window_counter 2/h", "sliding_window_log 2/h", "2/h, fixed_window 9/d, sliding_window_counter 9/w"} {
		m, _ := newMemoryAt()
		l := memoryLimiter(t, m, text)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 10_000 {
					key := fmt.Sprint(g, ":", i)
					allow(t, l, key)
					if earlier := fmt.Sprint(g, ":", i/2); i%2 == 1 && i > 1 && !allow(t, l, earlier) {
						t.Errorf("%s: key %s was refused its second request", text, earlier)
						return
					}
				}
			}()
		}
		wg.Wait()
		refused := 0
		for g := range 4 {
			for i := 1; i < 5_000; i++ { // those that have asked twice
				if !allow(t, l, fmt.Sprint(g, ":", i)) {
					refused++
				}
			}
		}
		if refused != 4*4999 {
			t.Errorf("%s: %d of %d keys are still known", text, refused, 4*4999)
		}
		if want := 40_000 * l.Limits().Len(); m.Len() != want {
			t.Errorf("%s: %d states are counted, want %d", text, m.Len(), want)
		}
	}
}

// TestMemoryStaysFull: the tables are well filled at any number of keys.
func TestMemoryStaysFull(t *testing.T) {
	m, _ := newMemoryAt()
	l := memoryLimiter(t, m, "10/h")
	for i := range 120_000 {
		allow(t, l, fmt.Sprint(i))
		if n := i + 1; n >= 20_000 && n%7_001 == 0 {
			if slots := m.slots(); slots*narrow*8 > 40*n {
				t.Errorf("%d keys take %d slots, %d bytes a key", n, slots, slots*narrow*8/n)
			}
		}
	}
}

// TestAnIdleTableIsGivenBack: when all keys but one are as if never used, those
// who use that one find the others and drop them.
func TestAnIdleTableIsGivenBack(t *testing.T) {
	for _, text := range []string{"10/s", "sliding_window_counter 10/s", "sliding_window_log 10/s"} {
		m, c := newMemoryAt()
		l := memoryLimiter(t, m, text)
		for i := range 50_000 {
			allow(t, l, fmt.Sprint(i))
		}
		c.Add(10_000_000)
		for range 300_000 {
			c.Add(200_000)
			allow(t, l, "busy")
		}
		if n := m.Len(); n > 1024 {
			t.Errorf("%s: %d states are left", text, n)
		}
		if n := m.slots(); n > 4*1024+256 {
			t.Errorf("%s: %d slots are left", text, n)
		}
	}
}

// TestAFloodOfKeys: a store that is full of keys forgets nobody, refuses nobody
// it knows, and is itself again when the flood is over.
func TestAFloodOfKeys(t *testing.T) {
	const maxKeys = 10_000
	for _, text := range []string{"10/m", "fixed_window 10/m", "sliding_window_counter 10/m", "sliding_window_log 10/m", "leaky_bucket 10/m"} {
		m, c := newMemoryAt(WithMaxKeys(maxKeys))
		l := memoryLimiter(t, m, text)
		for allow(t, l, "limited") {
		}
		for i := range 100 {
			allow(t, l, fmt.Sprint("known:", i))
		}
		refused := 0
		for i := range 10 * maxKeys {
			c.Add(10)
			if !allow(t, l, fmt.Sprint("once:", i)) {
				refused++
			}
			if i%1000 == 0 && allow(t, l, "limited") {
				t.Errorf("%s: after %d keys a client at its limit is allowed", text, i)
			}
		}
		for i := range 100 {
			if !allow(t, l, fmt.Sprint("known:", i)) {
				t.Errorf("%s: a client that is known is refused", text)
			}
		}
		if n := m.Len(); n > maxKeys+1024 {
			t.Errorf("%s: %d states are kept", text, n)
		}
		if refused == 0 {
			t.Errorf("%s: nobody in the flood was refused: the store was not full", text)
		}
		c.Add(3 * time.Minute.Microseconds())
		for i := range 1000 {
			for range 2 {
				if !allow(t, l, fmt.Sprint("new:", i)) {
					t.Errorf("%s: after the flood a new client is refused", text)
				}
			}
		}
	}
}

// TestChosenKeysDoNotChain: keys that stand in one place in one store, as an
// adversary could find out in a process of their own, are spread in another.
func TestChosenKeysDoNotChain(t *testing.T) {
	mine, theirs := NewMemory(), NewMemory()
	l := PerHour(1)
	var chosen []string
	for i := 0; len(chosen) < 500; i++ {
		if key := fmt.Sprint(i); mine.hashing.identify(identity{}, key).of(&l).tag>>56 == 0 && mine.hashing.identify(identity{}, key).a&(1<<partitionBits-1)>>16 == 0 {
			chosen = append(chosen, key)
		}
	}
	places, partitions := make(map[uint64]int), make(map[uint64]int)
	for _, key := range chosen {
		id := theirs.hashing.identify(identity{}, key)
		places[id.of(&l).tag>>56]++
		partitions[id.a&(1<<partitionBits-1)>>16]++
	}
	for what, spread := range map[string]map[uint64]int{"places": places, "partitions": partitions} {
		most := 0
		for _, n := range spread {
			most = max(most, n)
		}
		if len(spread) < 14 || most > 100 {
			t.Errorf("500 chosen keys stand in %d %s of another store, %d in one", len(spread), what, most)
		}
	}
}

// TestOddInstants: a clock before the epoch, or far beyond any table's, is
// decided as the rules do.
func TestOddInstants(t *testing.T) {
	for _, at := range []int64{-5_000_000, -1, 0, 1<<52 - 3, 1 << 52, 1 << 60} {
		m, c := newMemoryAt()
		l := memoryLimiter(t, m, "2/s, fixed_window 3/m, sliding_window_counter 4/h")
		model := make(map[int]State)
		for step := range 40 {
			c.Store(at + int64(step)*150_001)
			want := true
			for i, limit := range l.Limits().List() {
				want = want && limit.Peek(model[i], c.Load(), 1).Allowed
			}
			for i, limit := range l.Limits().List() {
				if want {
					model[i], _ = limit.Take(model[i], c.Load(), 1)
				}
			}
			if got := allow(t, l, "key"); got != want {
				t.Fatalf("from %d, step %d: allowed is %t", at, step, got)
			}
		}
	}
}
