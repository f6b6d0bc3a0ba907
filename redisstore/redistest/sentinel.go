package redistest

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// MasterSet is the name under which a Sentinels' sentinels know the master.
const MasterSet = "aforo"

// Sentinels are a master, a replica and three sentinels that watch them.
type Sentinels struct {
	// Servers are the two that hold data; the first is the master at first.
	Servers   []*Server
	Sentinels []*Server
	tb        testing.TB
}

// StartSentinels starts a Sentinel set and waits until its sentinels know of
// each other and of the replica. Options hold for the two that hold data;
// those that set passwords or TLS are not for it.
func StartSentinels(tb testing.TB, options ...Option) *Sentinels {
	tb.Helper()
	options = append([]Option{Config("repl-diskless-sync-delay", "0"), Config("repl-ping-replica-period", "1")}, options...)
	s := &Sentinels{tb: tb}
	master := Start(tb, options...)
	replica := Start(tb, append(options, Config("replicaof", "127.0.0.1", strconv.Itoa(master.port)))...)
	s.Servers = []*Server{master, replica}
	Wait(tb, "the replica is in step", func() bool { return replica.Info("replication", "master_link_status") == "up" })
	for range 3 {
		s.Sentinels = append(s.Sentinels, start(tb, []string{"--sentinel"}, []Option{
			Config("sentinel", "monitor", MasterSet, "127.0.0.1", strconv.Itoa(master.port), "2"),
			Config("sentinel", "down-after-milliseconds", MasterSet, "1000"),
			Config("sentinel", "failover-timeout", MasterSet, "5000"),
		}))
	}
	Wait(tb, "the sentinels know of each other and of the replica", func() bool {
		for _, sentinel := range s.Sentinels {
			others, _ := sentinel.Do("SENTINEL", "SENTINELS", MasterSet).([]any)
			replicas, _ := sentinel.Do("SENTINEL", "REPLICAS", MasterSet).([]any)
			if len(others) != len(s.Sentinels)-1 || len(replicas) != 1 {
				return false
			}
		}
		return true
	})
	return s
}

// Master is whom the sentinels name; the test ends if they do not agree
// within a minute.
func (s *Sentinels) Master() (master *Server) {
	s.tb.Helper()
	Wait(s.tb, "the sentinels agree on a master", func() bool {
		master = s.agreed()
		return master != nil
	})
	return master
}

func (s *Sentinels) agreed() *Server {
	port := ""
	for _, sentinel := range s.Sentinels {
		if !sentinel.process.running() {
			continue
		}
		reply, err := sentinel.Try("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MasterSet)
		parts, _ := reply.([]any)
		if err != nil || len(parts) != 2 || port != "" && port != parts[1] {
			return nil
		}
		port = parts[1].(string)
	}
	for _, server := range s.Servers {
		if strconv.Itoa(server.port) == port {
			return server
		}
	}
	return nil
}

// Failover has the sentinels put the replica into the place of the running
// master, waits until they all say so, and returns it. They give up what takes more
// than their failover timeout, as it may on a busy machine, and are told again.
func (s *Sentinels) Failover() (master *Server) {
	s.tb.Helper()
	old, told := s.Master(), time.Time{}
	Wait(s.tb, fmt.Sprintf("another than port %d is the master", old.port), func() bool {
		if master = s.agreed(); master == old && time.Since(told) > 7*time.Second {
			if _, err := s.Sentinels[0].Try("SENTINEL", "FAILOVER", MasterSet); err == nil {
				told = time.Now()
			}
		}
		return s.tookOver(master, old)
	})
	return master
}

// KillMaster kills the master as kill -9 does, waits until the sentinels have
// noticed and put the replica into its place, and returns that.
func (s *Sentinels) KillMaster() *Server {
	s.tb.Helper()
	old := s.Master()
	old.Kill()
	return s.awaitOther(old)
}

func (s *Sentinels) awaitOther(old *Server) (master *Server) {
	s.tb.Helper()
	Wait(s.tb, fmt.Sprintf("another than port %d is the master", old.port), func() bool {
		master = s.agreed()
		return s.tookOver(master, old)
	})
	return master
}

func (s *Sentinels) tookOver(master, old *Server) bool {
	return master != nil && master != old && master.Info("replication", "role") == "master"
}

// URL names the sentinels and the master set:
// redis://127.0.0.1:1?addr=127.0.0.1:2&addr=127.0.0.1:3&master_set=aforo.
func (s *Sentinels) URL() string {
	return manyURL(addresses(s.Sentinels), url.Values{"master_set": {MasterSet}})
}

// ClientOption is what a client needs to find and follow the master.
func (s *Sentinels) ClientOption() rueidis.ClientOption {
	return rueidis.ClientOption{
		InitAddress: addresses(s.Sentinels),
		Sentinel:    rueidis.SentinelOption{MasterSet: MasterSet},
	}
}
