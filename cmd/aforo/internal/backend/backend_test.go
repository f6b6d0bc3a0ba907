package backend

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A logbook is what was logged.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps what is logged.
func (l *logbook) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logbook) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func open(t *testing.T, c config.Store) (*Backend, *logbook) {
	t.Helper()
	log := new(logbook)
	b, err := Open(c, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b, log
}

// allow takes one unit of a key, by a limiter as each request has one.
func allow(t *testing.T, b *Backend, policy aforo.FailurePolicy, key string) (aforo.Decision, error) {
	t.Helper()
	store, err := b.Store(policy)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := aforo.ParseLimits("fixed_window 3/d")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Limiter(limits, store)
	if err != nil {
		t.Fatal(err)
	}
	return l.Allow(context.Background(), key)
}

func TestMemoryIsAlwaysWell(t *testing.T) {
	b, log := open(t, config.Store{})
	for i := range 4 {
		if d, err := allow(t, b, aforo.FailDeny, "k"); err != nil || d.Allowed != (i < 3) {
			t.Errorf("request %d: %+v, %v", i, d, err)
		}
	}
	b.Advise(context.Background())
	if n, known := b.Keys(); b.Check(context.Background()) != nil || b.Health() != nil || !known || n != 1 || b.Kind() != "memory" || log.count("") != 1 {
		t.Errorf("%v: %d keys, log %q", b, n, log.text.String())
	}
}

// TestWhatIsCountedWhileRedisFailsIsShared by all limiters of one policy, and the
// failure is logged once and not for each request.
func TestWhatIsCountedWhileRedisFailsIsShared(t *testing.T) {
	redis := redistest.Start(t)
	b, log := open(t, config.Store{Address: redis.URL(), Prefix: "shop", Budget: 5 * time.Second})
	if _, err := allow(t, b, aforo.FailLocal(1), "k"); err != nil || b.Health() != nil {
		t.Fatalf("while it works: %v, health %v", err, b.Health())
	}
	redis.Kill()
	for i := range 4 {
		d, err := allow(t, b, aforo.FailLocal(1), "k")
		if err != nil || d.Allowed != (i < 2) || d.Source != aforo.SourceLocal {
			t.Errorf("request %d while it fails: %+v, %v", i, d, err)
		}
	}
	if d, err := allow(t, b, 0, "k"); err == nil {
		t.Errorf("without a policy: %+v", d)
	}
	if b.Health() == nil || b.Check(context.Background()) == nil || log.count("the store fails") != 1 {
		t.Errorf("health %v, log %s", b.Health(), log.text.String())
	}
	redis.Restart()
	for deadline := time.Now().Add(20 * time.Second); b.Check(context.Background()) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it does not come back: %v", b.Health())
		}
	}
	if d, err := allow(t, b, aforo.FailLocal(1), "k"); err != nil || d.Source != aforo.SourceStore || b.Health() != nil {
		t.Errorf("when it works again: %+v, %v", d, err)
	}
	if log.count("the store works again") != 1 {
		t.Errorf("log %s", log.text.String())
	}
	for key := range redis.TTLs() {
		if !strings.HasPrefix(key, "shop:") {
			t.Errorf("a key is called %q", key)
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, tt := range []struct {
		options []redistest.Option
		want    string
	}{
		{nil, ""},
		{[]redistest.Option{redistest.Config("maxmemory", "100mb")}, ""}, // noeviction, by default
		{[]redistest.Option{redistest.Config("maxmemory", "100mb"), redistest.Config("maxmemory-policy", "allkeys-lru")}, "allkeys-lru"},
	} {
		b, log := open(t, config.Store{Address: redistest.Start(t, tt.options...).URL(), Budget: 5 * time.Second})
		b.Advise(context.Background())
		if tt.want == "" && log.text.Len() > 0 || log.count(tt.want) == 0 {
			t.Errorf("%q: log %q", tt.want, log.text.String())
		}
	}
	redis := redistest.Start(t, redistest.Password("hunter2"))
	url := redis.URL()
	redis.Kill()
	b, log := open(t, config.Store{Address: url})
	b.Advise(context.Background())
	if log.count("does not answer yet") != 1 || log.count("hunter2") > 0 || strings.Contains(b.String(), "hunter2") {
		t.Errorf("%v: log %q", b, log.text.String())
	}
}

func TestStoresThatAreNone(t *testing.T) {
	for _, c := range []config.Store{{Address: "localhost"}, {Address: "redis://h", Prefix: "a{"}, {Address: "redis://h", Budget: 1}} {
		if b, err := Open(c, slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%+v was opened: %v", c, b)
		}
	}
	b, _ := open(t, config.Store{Address: "redis://127.0.0.1:1"})
	if _, err := b.Store(-7); err == nil {
		t.Error("there is a policy -7")
	}
}
