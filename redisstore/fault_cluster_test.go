package redisstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// Slots that move under load, through every phase: keys still at the old master,
// keys already at the new one (ASK), some of a call's keys here and some there
// (TRYAGAIN), and the new owner (MOVED). No call fails, and nothing is lost or
// counted twice.
func TestSlotsMoveUnderLoad(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	l := startLoad(t, open(t, c.URL(), redisstore.WithBudget(unhurried)), 8, newTargets(8))
	l.await(2000)
	masters := c.Masters()
	moved := 0
	for i, slot := range slotsInUse(c) {
		to := masters[i%len(masters)]
		if to == c.Owner(slot) {
			to = masters[(i+1)%len(masters)]
		}
		m := c.Move(slot, to)
		m.Begin()
		l.await(50)
		if m.Key() { // a call for several waits until it has all of them on one side
			time.Sleep(20 * time.Millisecond)
			moved += 1 + m.Keys()
		}
		l.await(50)
		m.Finish()
		l.await(50)
	}
	if moved == 0 {
		t.Error("no key has moved")
	}
	l.noFailures()
	l.countedOnce(patient(t, c.URL()), 0)
	noImmortal(t, c.Masters()...)
}

func slotsInUse(c *redistest.Cluster) (slots []int) {
	seen := make(map[int]bool)
	for _, master := range c.Masters() {
		for key := range master.TTLs() {
			if slot := c.Slot(key); !seen[slot] {
				seen[slot] = true
				slots = append(slots, slot)
			}
		}
	}
	return slots
}

// Replicas take their masters' places, once without loss and once by kill -9, of
// which what had not been passed on is forgotten.
func TestAClusterFailsOver(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	l := startLoad(t, open(t, c.URL(), hurried()...), 8, newTargets(6))
	c.Failover(c.Masters()[0])
	l.await(500)
	l.within(brief)
	c.KillMaster(c.Masters()[1])
	l.await(500)
	l.within(brief)
	l.countedOnce(patient(t, c.URL()), 2)
	noImmortal(t, c.Masters()...)
}

// No name or key can choose a slot or keep the limits of one call apart, whatever
// its bytes; and a cluster decides as a single server does.
func TestAnyKeyOnACluster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t)
	single := patient(t, redistest.Start(t).URL())
	cluster := patient(t, c.URL())
	parts := []string{"", "a{b", "}", "{", "{}", "{x}y", "x}{y", "%7D", "%", "\x00", "\xff{\n}", "user:42"}
	for _, name := range parts {
		for _, key := range parts {
			call := take(key, "2/h, sliding_window_log 3/h, fixed_window 4/h")
			call.Name = name
			for range 3 {
				here, there := make([]aforo.Verdict, 3), make([]aforo.Verdict, 3)
				if err := single.Do(context.Background(), call, here); err != nil {
					t.Fatal(err)
				}
				if err := cluster.Do(context.Background(), call, there); err != nil {
					t.Fatalf("name %q key %q: %v", name, key, err)
				}
				for i := range here {
					if here[i].Allowed != there[i].Allowed || here[i].Remaining != there[i].Remaining {
						t.Errorf("name %q key %q: %+v on a single server, %+v on a cluster", name, key, here[i], there[i])
					}
				}
			}
		}
	}
	slots := make(map[int]bool)
	for i := range 50 {
		call := take(fmt.Sprintf("{same}%d", i), "1/h")
		if err := cluster.Do(context.Background(), call, make([]aforo.Verdict, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, master := range c.Masters() {
		for key := range master.TTLs() {
			slots[c.Slot(key)] = true
		}
	}
	if len(slots) < 50 {
		t.Errorf("keys that begin with a tag of their own lie in %d slots", len(slots))
	}
}
