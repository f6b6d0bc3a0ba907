package redisstore_test

import (
	"testing"
	"time"

	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// brief is the default budget, with a breaker that tries again soon.
const brief = 50 * time.Millisecond

func hurried() []redisstore.Option {
	return []redisstore.Option{redisstore.WithBudget(brief), redisstore.WithBreaker(5, brief)}
}

// A server that is killed and comes back with what it has on disk has lost
// nothing; one that comes back empty admits each capacity once more.
func TestKillAndRestart(t *testing.T) {
	for _, c := range []struct {
		name      string
		options   []redistest.Option
		forgotten int64
	}{
		{"with everything on disk", []redistest.Option{redistest.Persistent()}, 0},
		{"with nothing on disk", nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, c.options...)
			l := startLoad(t, open(t, s.URL(), hurried()...), 8, newTargets(2))
			s.Kill()
			time.Sleep(4 * brief)
			s.Restart()
			l.await(500)
			l.within(brief)
			l.countedOnce(patient(t, s.URL()), c.forgotten)
			noImmortal(t, s)
		})
	}
}
