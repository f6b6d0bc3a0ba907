package redistest

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/rueidis"
)

// A Cluster is three masters and three replicas on this machine.
type Cluster struct {
	// Nodes are the six servers: at first, 0 to 2 are masters with a third of
	// the slots each, and 3 to 5 their replicas.
	Nodes []*Server
	tb    testing.TB
}

const (
	slotCount   = 16384
	masterCount = 3
	nodeTimeout = "2000" // ms without an answer until a node counts as failing
)

// StartCluster starts a cluster and waits until every node finds it whole.
// Options hold for each node; those that set passwords or TLS are not for it.
func StartCluster(tb testing.TB, options ...Option) *Cluster {
	tb.Helper()
	options = append([]Option{
		Config("cluster-enabled", "yes"), Config("cluster-node-timeout", nodeTimeout),
		Config("cluster-replica-validity-factor", "0"), Config("repl-diskless-sync-delay", "0"),
	}, options...)
	c := &Cluster{tb: tb}
	for range 2 * masterCount {
		c.Nodes = append(c.Nodes, Start(tb, options...))
	}
	c.giveSlots()
	c.meet()
	for i, replica := range c.Nodes[masterCount:] {
		replica.Do("CLUSTER", "REPLICATE", c.Nodes[i].id())
	}
	c.WaitOK()
	return c
}

// giveSlots gives each of the first three nodes a third. Their epochs differ
// from the start, so that nobody has to settle a conflict later.
func (c *Cluster) giveSlots() {
	c.tb.Helper()
	for i, node := range c.Nodes {
		node.Do("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
		if i >= masterCount {
			continue
		}
		command := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * slotCount / masterCount; slot < (i+1)*slotCount/masterCount; slot++ {
			command = append(command, strconv.Itoa(slot))
		}
		node.Do(command...)
	}
}

// meet introduces everybody to everybody, which is faster than gossip.
func (c *Cluster) meet() {
	c.tb.Helper()
	for i, node := range c.Nodes {
		for _, other := range c.Nodes[:i] {
			node.Do("CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(other.port))
		}
	}
	Wait(c.tb, "every node knows all others", func() bool {
		return !slices.ContainsFunc(c.Nodes, func(node *Server) bool {
			view := node.clusterView()
			return len(view) != len(c.Nodes) || slices.ContainsFunc(view, func(n clusterNode) bool { return n.has("handshake") })
		})
	})
}

// WaitOK waits until every node that runs finds the cluster whole, all agree
// who the masters are, and the replicas that run are in step.
func (c *Cluster) WaitOK() {
	c.tb.Helper()
	Wait(c.tb, "the cluster is ok everywhere", func() bool {
		agreed := ""
		for _, node := range c.Nodes {
			if node.process.running() && !node.clusterOK(&agreed) {
				return false
			}
		}
		return true
	})
}

// clusterOK tells whether a node finds the cluster whole, sees the masters
// that are agreed (it sets them if they are not yet) and follows one if it is
// a replica.
func (s *Server) clusterOK(agreed *string) bool {
	info, err := s.Try("CLUSTER", "INFO")
	if err != nil {
		return false
	}
	state, _ := infoField(info.(string), "cluster_state")
	assigned, _ := infoField(info.(string), "cluster_slots_ok")
	if state != "ok" || assigned != strconv.Itoa(slotCount) {
		return false
	}
	var masters []string
	for _, n := range s.clusterView() {
		if n.has("master") && len(n.slots) > 0 {
			masters = append(masters, n.address+" "+strings.Join(n.slots, " "))
		}
		if n.has("myself") && n.has("slave") && s.Info("replication", "master_link_status") != "up" {
			return false
		}
	}
	slices.Sort(masters)
	view := strings.Join(masters, "\n")
	if *agreed == "" {
		*agreed = view
	}
	return view == *agreed
}

// A clusterNode is a line of CLUSTER NODES.
type clusterNode struct {
	id, address, master string
	flags, slots        []string
}

func (n clusterNode) has(flag string) bool { return slices.Contains(n.flags, flag) }

// clusterView is whom a node knows.
func (s *Server) clusterView() (nodes []clusterNode) {
	reply, err := s.Try("CLUSTER", "NODES")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(reply.(string)) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		address, _, _ := strings.Cut(fields[1], "@")
		n := clusterNode{id: fields[0], address: address, flags: strings.Split(fields[2], ","), master: fields[3]}
		for _, slots := range fields[8:] {
			if !strings.HasPrefix(slots, "[") { // a slot on the move
				n.slots = append(n.slots, slots)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func (s *Server) id() string {
	s.tb.Helper()
	return s.Do("CLUSTER", "MYID").(string)
}

// Masters are the nodes that run and are masters now, in the order of Nodes.
func (c *Cluster) Masters() (masters []*Server) {
	c.tb.Helper()
	for _, node := range c.Nodes {
		if node.process.running() && node.Info("replication", "role") == "master" {
			masters = append(masters, node)
		}
	}
	return masters
}

// Replica is a running replica of a master, as the replica sees it.
func (c *Cluster) Replica(master *Server) *Server {
	c.tb.Helper()
	for _, node := range c.Nodes {
		if node.process.running() && node.Info("replication", "role") == "slave" &&
			node.Info("replication", "master_port") == strconv.Itoa(master.port) {
			return node
		}
	}
	c.tb.Fatalf("no replica of port %d", master.port)
	return nil
}

// Failover has a replica of a running master take its place without losing
// anything (CLUSTER FAILOVER), waits until all agree, and returns it.
func (c *Cluster) Failover(master *Server) *Server {
	c.tb.Helper()
	replica := c.Replica(master)
	replica.Do("CLUSTER", "FAILOVER")
	c.awaitMaster(replica)
	return replica
}

// KillMaster kills a master as kill -9 does, waits until the others have put
// its replica into its place, and returns that.
func (c *Cluster) KillMaster(master *Server) *Server {
	c.tb.Helper()
	replica := c.Replica(master)
	master.Kill()
	c.awaitMaster(replica)
	return replica
}

func (c *Cluster) awaitMaster(node *Server) {
	c.tb.Helper()
	Wait(c.tb, fmt.Sprintf("port %d is a master", node.port), func() bool {
		return node.Info("replication", "role") == "master"
	})
	c.WaitOK()
}

// Addrs are the addresses of all nodes.
func (c *Cluster) Addrs() (addrs []string) { return addresses(c.Nodes) }

// URL names all nodes: redis://127.0.0.1:1?addr=127.0.0.1:2&...
func (c *Cluster) URL() string { return manyURL(c.Addrs(), nil) }

// ClientOption is what a client needs to connect.
func (c *Cluster) ClientOption() rueidis.ClientOption {
	return rueidis.ClientOption{InitAddress: c.Addrs()}
}

func addresses(servers []*Server) (addrs []string) {
	for _, s := range servers {
		addrs = append(addrs, s.Addr())
	}
	return addrs
}

// manyURL is the first address with the others, and more, as parameters.
func manyURL(addrs []string, parameters url.Values) string {
	if parameters == nil {
		parameters = url.Values{}
	}
	parameters["addr"] = addrs[1:]
	u := url.URL{Scheme: "redis", Host: addrs[0], Path: "/", RawQuery: parameters.Encode()}
	return u.String()
}
