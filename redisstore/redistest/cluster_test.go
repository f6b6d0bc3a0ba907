package redistest

import (
	"strings"
	"testing"

	"github.com/redis/rueidis"
)

func TestACluster(t *testing.T) {
	t.Parallel()
	c := StartCluster(t)
	if masters := c.Masters(); len(masters) != 3 {
		t.Fatalf("%d masters", len(masters))
	}
	slot := c.Slot("k")
	owner := c.Owner(slot)
	var other *Server
	for _, master := range c.Masters() {
		if master != owner {
			other = master
			if _, err := master.Try("GET", "k"); err == nil || !strings.HasPrefix(err.Error(), "MOVED") {
				t.Errorf("another master than the owner: %v", err)
			}
		}
	}
	t.Run("moves a slot", func(t *testing.T) {
		owner.Do("SET", "k", "v")
		owner.Do("SET", "{k}second", "v")
		m := c.Move(slot, other)
		m.Begin()
		if v := owner.Do("GET", "k"); v != "v" {
			t.Errorf("a key that has not moved yet: %v", v)
		}
		if _, err := owner.Try("GET", "{k}new"); err == nil || !strings.HasPrefix(err.Error(), "ASK") {
			t.Errorf("a key that is not there: %v", err)
		}
		if !m.Key() || m.Keys() != 1 || m.Key() {
			t.Error("not one key was moved, and then the other")
		}
		if _, err := owner.Try("GET", "k"); err == nil || !strings.HasPrefix(err.Error(), "ASK") {
			t.Errorf("a key that has moved: %v", err)
		}
		m.Finish()
		if _, err := owner.Try("GET", "k"); err == nil || !strings.HasPrefix(err.Error(), "MOVED") {
			t.Errorf("after the move: %v", err)
		}
		if c.Owner(slot) != other || other.Do("GET", "k") != "v" {
			t.Error("the new owner does not have it")
		}
		c.WaitOK()
	})
	t.Run("fails over", func(t *testing.T) {
		replica := c.Failover(owner)
		if _, err := owner.Try("SET", "k", "v"); err == nil || !strings.HasPrefix(err.Error(), "MOVED") {
			t.Errorf("the former master: %v", err)
		}
		replica = c.KillMaster(replica)
		if replica != owner || len(c.Masters()) != 3 {
			t.Error("the last of the two did not take over")
		}
	})
}

func TestSentinelsFailOver(t *testing.T) {
	t.Parallel()
	s := StartSentinels(t)
	first := s.Master()
	if first != s.Servers[0] {
		t.Fatal("another is the master at first")
	}
	first.Do("SET", "k", "v")
	Wait(t, "the replica has it", func() bool { return s.Servers[1].Do("GET", "k") == "v" })
	second := s.Failover()
	if second != s.Servers[1] || second.Do("GET", "k") != "v" {
		t.Error("the replica did not take over")
	}
}

func TestSentinelsReplaceADeadMaster(t *testing.T) {
	t.Parallel()
	s := StartSentinels(t)
	if master := s.KillMaster(); master != s.Servers[1] {
		t.Error("the replica did not take over")
	}
}

func TestURLsAreUnderstood(t *testing.T) {
	servers := []*Server{{port: 1}, {port: 2}, {port: 3}}
	for _, c := range []struct {
		url  string
		want rueidis.ClientOption
	}{
		{(&Cluster{Nodes: servers}).URL(), (&Cluster{Nodes: servers}).ClientOption()},
		{(&Sentinels{Sentinels: servers}).URL(), (&Sentinels{Sentinels: servers}).ClientOption()},
	} {
		got, err := rueidis.ParseURL(c.url)
		if err != nil || strings.Join(got.InitAddress, " ") != strings.Join(c.want.InitAddress, " ") || got.Sentinel.MasterSet != c.want.Sentinel.MasterSet {
			t.Errorf("%s: %v %v %v", c.url, got.InitAddress, got.Sentinel.MasterSet, err)
		}
	}
}
