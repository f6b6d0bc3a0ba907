package redistest

import (
	"strconv"
	"strings"
)

// Slot is the slot of a key.
func (c *Cluster) Slot(key string) int {
	c.tb.Helper()
	return int(c.Nodes[0].Do("CLUSTER", "KEYSLOT", key).(int64))
}

// Owner is the node that says that a slot is its own.
func (c *Cluster) Owner(slot int) *Server {
	c.tb.Helper()
	for _, node := range c.Masters() {
		for _, n := range node.clusterView() {
			if n.has("myself") && n.owns(slot) {
				return node
			}
		}
	}
	c.tb.Fatalf("nobody owns slot %d", slot)
	return nil
}

func (n clusterNode) owns(slot int) bool {
	for _, text := range n.slots { // 5 or 0-5460
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err == nil && err2 == nil && from <= slot && slot <= to {
			return true
		}
	}
	return false
}

// A Move is a slot on its way from one master to another. Between Begin and
// Finish the old one answers ASK for keys that it does not have (any more), and
// TRYAGAIN for several keys of which it has some; from Finish on, MOVED.
type Move struct {
	cluster  *Cluster
	slot     string
	from, to *Server
}

// Move prepares to move a slot to a master; Begin, Keys, Finish do it.
func (c *Cluster) Move(slot int, to *Server) *Move {
	c.tb.Helper()
	return &Move{cluster: c, slot: strconv.Itoa(slot), from: c.Owner(slot), to: to}
}

// Begin has both masters know of the move: new keys are made at the new one.
func (m *Move) Begin() {
	m.cluster.tb.Helper()
	m.to.Do("CLUSTER", "SETSLOT", m.slot, "IMPORTING", m.from.id())
	m.from.Do("CLUSTER", "SETSLOT", m.slot, "MIGRATING", m.to.id())
}

// Key moves one of the keys that the old master has, and tells whether there was
// one.
func (m *Move) Key() bool {
	m.cluster.tb.Helper()
	return m.keys(1) == 1
}

// Keys moves the keys that the old master has (still), and returns how many.
func (m *Move) Keys() (moved int) {
	m.cluster.tb.Helper()
	for {
		n := m.keys(100)
		if n == 0 {
			return moved
		}
		moved += n
	}
}

func (m *Move) keys(most int) int {
	m.cluster.tb.Helper()
	keys := m.from.Do("CLUSTER", "GETKEYSINSLOT", m.slot, strconv.Itoa(most)).([]any)
	if len(keys) == 0 {
		return 0
	}
	command := []string{"MIGRATE", "127.0.0.1", strconv.Itoa(m.to.port), "", "0", "5000", "KEYS"}
	for _, key := range keys {
		command = append(command, key.(string))
	}
	m.from.Do(command...)
	return len(keys)
}

// Finish makes the new master the owner, and tells the other masters.
func (m *Move) Finish() {
	m.cluster.tb.Helper()
	m.to.Do("CLUSTER", "SETSLOT", m.slot, "NODE", m.to.id())
	for _, master := range m.cluster.Masters() {
		if master != m.to {
			master.Do("CLUSTER", "SETSLOT", m.slot, "NODE", m.to.id())
		}
	}
}
