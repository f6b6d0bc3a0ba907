package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// add adds requests with these times, each under its time as a key, with the
// place in which it was added as its status.
func add(t testing.TB, q *Requests, times []int64) {
	t.Helper()
	for i, at := range times {
		if err := q.Add(&Entry{Time: at, Status: i % 1000, Refused: i%3 == 0}, fmt.Append(nil, at)); err != nil {
			t.Fatal(err)
		}
	}
}

func collect(t *testing.T, q *Requests) (list []Request) {
	t.Helper()
	if err := q.Each(func(r Request) error { list = append(list, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// shapes are orders in which times may come.
func shapes(n int) map[string][]int64 {
	random := rand.New(rand.NewPCG(1, 2))
	all := map[string][]int64{}
	for i := range n {
		at := int64(i)
		all["in order"] = append(all["in order"], at)
		all["backwards"] = append(all["backwards"], -at)
		all["all at once"] = append(all["all at once"], 7)
		all["nearly in order"] = append(all["nearly in order"], at/3+random.Int64N(4))
		all["two files"] = append(all["two files"], at%int64(max(1, n/2)))
		all["shuffled"] = append(all["shuffled"], random.Int64N(int64(n/2+1))-100)
	}
	return all
}

// TestRequestsInOrderOfTime: whatever the order and whether a temporary file is
// needed, requests come by time, and of one instant as they were added.
func TestRequestsInOrderOfTime(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, n := range []int{0, 1, 2, 1023, 1024, 1025, 2048, 10_000} {
		for name, times := range shapes(n) {
			q := NewRequests(1)
			add(t, q, times)
			var want []Request
			for i, at := range times {
				want = append(want, Request{Time: at, Key: q.index[fmt.Sprint(at)], Status: uint16(i % 1000), Refused: i%3 == 0})
			}
			slices.SortStableFunc(want, func(a, b Request) int { return cmp.Compare(a.Time, b.Time) })
			for range 2 { // again from the beginning
				if got := collect(t, q); !slices.Equal(got, want) {
					t.Errorf("%d requests, %s: not in order", n, name)
				}
			}
			for _, r := range want {
				if q.Key(r.Key) != fmt.Sprint(r.Time) {
					t.Fatalf("key %q at %d", q.Key(r.Key), r.Time)
				}
			}
			if q.Len() != int64(n) || (q.spill != nil) != (n > 1024) {
				t.Errorf("%d requests, %d runs", q.Len(), len(q.runs))
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestRequestsKnowWhatCameLate(t *testing.T) {
	q := NewRequests(0)
	if first, last := q.Span(); !first.IsZero() || !last.IsZero() {
		t.Error("no requests have a span")
	}
	add(t, q, []int64{3e6, 1e6, 2e6, 0, 3e6})
	if n, by := q.OutOfOrder(); n != 3 || by != 3*time.Second {
		t.Errorf("%d out of order by %v, want 3 by 3s", n, by)
	}
	if first, last := q.Span(); first != time.UnixMicro(0).UTC() || last != time.UnixMicro(3e6).UTC() {
		t.Errorf("it spans %v to %v", first, last)
	}
	if q.Keys() != 4 {
		t.Errorf("%d keys, want 4", q.Keys())
	}
}

// TestRequestsLeaveNoFile: the temporary file has no name even while it is used.
func TestRequestsLeaveNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	q := NewRequests(1)
	add(t, q, shapes(5000)["shuffled"])
	collect(t, q)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files %v, %v", files, err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

func TestRequestsWithoutTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/gone")
	q := NewRequests(1)
	var err error
	for i := 0; err == nil && i < 5000; i++ {
		err = q.Add(&Entry{Time: int64(i)}, []byte("a"))
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestRequestsStop(t *testing.T) {
	stop := errors.New("stop")
	for _, n := range []int{10, 5000} {
		q := NewRequests(1)
		add(t, q, shapes(n)["shuffled"])
		calls := 0
		err := q.Each(func(Request) error {
			if calls++; calls == 3 {
				return stop
			}
			return nil
		})
		if err != stop || calls != 3 {
			t.Errorf("error %v after %d", err, calls)
		}
		q.Close()
	}
}

// TestRequestsInBoundedMemory: requests beyond the bound take no memory.
func TestRequestsInBoundedMemory(t *testing.T) {
	q := NewRequests(1 << 20)
	defer q.Close()
	e := Entry{}
	key := []byte("a")
	if err := q.Add(&e, key); err != nil {
		t.Fatal(err)
	}
	grown := testing.AllocsPerRun(1, func() {
		for range 1_000_000 {
			e.Time++
			if err := q.Add(&e, key); err != nil {
				t.Fatal(err)
			}
		}
	})
	if cap(q.held) > 2*q.most || grown > 100 {
		t.Errorf("%d are held, %v allocations", cap(q.held), grown)
	}
}

func TestRecordsComeBack(t *testing.T) {
	for _, r := range []Request{{}, {-1, 1<<32 - 1, 599, true}, {1 << 62, 7, 0, false}} {
		b := appendRecord(nil, r)
		if len(b) != recordSize || readRecord(b) != r {
			t.Errorf("%+v comes back as %+v", r, readRecord(b))
		}
	}
}

func BenchmarkRequests(b *testing.B) {
	for _, name := range []string{"in order", "nearly in order", "shuffled"} {
		times := shapes(4 << 20)[name]
		b.Run(name, func(b *testing.B) {
			key := bytes.Repeat([]byte("k"), 12)
			b.ResetTimer()
			for done := 0; done < b.N; {
				q := NewRequests(0)
				for i := 0; i < len(times) && done < b.N; i++ {
					if err := q.Add(&Entry{Time: times[i]}, key); err != nil {
						b.Fatal(err)
					}
					done++
				}
				if err := q.Each(func(Request) error { return nil }); err != nil {
					b.Fatal(err)
				}
				q.Close()
			}
		})
	}
}
