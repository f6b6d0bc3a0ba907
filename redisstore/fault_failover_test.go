package redisstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// A master that has become a replica refuses to write: what was to be counted is a
// failure, at once, and nothing is counted.
func TestAMasterBecomesAReplica(t *testing.T) {
	t.Parallel()
	other, s := redistest.Start(t), redistest.Start(t)
	l := startLoad(t, open(t, s.URL(), hurried()...), 8, newTargets(2))
	host, port := splitAddr(t, other.Addr())
	s.Do("REPLICAOF", host, port)
	redistest.Wait(t, "calls fail", func() bool { return l.failures() > 20 })
	err := patient(t, s.URL()).Do(context.Background(), take("k", "3/h"), make([]aforo.Verdict, 1))
	var refused *rueidis.RedisError
	if !errors.As(err, &refused) {
		t.Errorf("a replica was asked to count: %v", err)
	}
	s.Do("REPLICAOF", "NO", "ONE")
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, s.URL()), 1) // what was there has been replaced by the other's
	noImmortal(t, s)
}

// When Sentinel puts a replica into the place of the master, decisions go on there.
// What the former had counted and not passed on is forgotten: once, at the most the
// capacity.
func TestSentinelFailsOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fail func(*redistest.Sentinels) *redistest.Server
	}{
		{"told to", (*redistest.Sentinels).Failover},
		{"the master is killed", (*redistest.Sentinels).KillMaster},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.StartSentinels(t)
			l := startLoad(t, open(t, s.URL(), hurried()...), 8, newTargets(2))
			master := c.fail(s)
			l.await(500)
			calls := master.Calls("evalsha")
			redistest.Wait(t, "the new master is asked", func() bool { return master.Calls("evalsha") > calls })
			l.within(brief)
			l.countedOnce(patient(t, s.URL()), 1)
			noImmortal(t, master)
		})
	}
}
