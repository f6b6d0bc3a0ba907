package aforo

import (
	"context"
	"testing"
	"time"
)

// twoClocks is a machine's wall clock and the one that never steps.
type twoClocks struct{ wall, since time.Duration }

func (c *twoClocks) pass(d time.Duration) { c.wall, c.since = c.wall+d, c.since+d }

func (c *twoClocks) both() (int64, time.Duration) { return c.wall.Microseconds(), c.since }

// shows is what the store's clock shows, as now does with the process's clocks.
func (c *twoClocks) shows(own *clock) time.Duration {
	if int64(c.since) >= own.compare.Load() {
		own.follow(c.both)
	}
	return time.Duration(own.anchor.Load()+c.since.Microseconds()) * time.Microsecond
}

// TestTheClockFollowsTheWallClockForward: when the machine was suspended, or its
// clock set, windows are aligned again within a second of use; and the clock never
// steps back.
func TestTheClockFollowsTheWallClockForward(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		name string
		step time.Duration // of the wall clock, against the other
		want time.Duration // by how much the clock is then ahead of what it was
	}{
		{"nothing", 0, 0},
		{"slewing and leap smears", 400 * time.Millisecond, 0},
		{"a suspend of eight hours", 8 * time.Hour, 8 * time.Hour},
		{"NTP finds the clock 90s late", 90 * time.Second, 90 * time.Second},
		{"NTP finds the year, after a start in 1970", 20_000 * day, 20_000 * day},
		{"NTP finds the clock 90s early", -90 * time.Second, 0},
	} {
		machine := &twoClocks{wall: 1000 * day}
		var own clock
		own.set(time.UnixMicro(machine.wall.Microseconds()))
		machine.pass(700 * time.Millisecond)
		before := machine.shows(&own)
		machine.wall += test.step
		machine.pass(2 * time.Second)
		if got := machine.shows(&own) - before - 2*time.Second; got != test.want {
			t.Errorf("%s: the clock moved by %v, want %v", test.name, got, test.want)
		}
	}
}

// TestAClockThatWasSetBackIsFollowedAgainWhenItIsAhead: what was lost by a step
// back is not counted twice by the step forward that mends it.
func TestAClockThatWasSetBackIsFollowedAgainWhenItIsAhead(t *testing.T) {
	machine := &twoClocks{wall: 1000 * time.Hour}
	var own clock
	own.set(time.UnixMicro(machine.wall.Microseconds()))
	last := machine.shows(&own)
	for _, step := range []time.Duration{time.Hour, -time.Hour, time.Hour, -time.Hour, 2 * time.Hour} {
		machine.wall += step
		machine.pass(1500 * time.Millisecond)
		now := machine.shows(&own)
		if now < last || now < machine.wall {
			t.Errorf("after a step of %v: the clock shows %v, before it was %v, on the wall it is %v", step, now, last, machine.wall)
		}
		last = now
	}
	if last != machine.wall {
		t.Errorf("the clock shows %v, on the wall it is %v", last, machine.wall)
	}
}

// TestAReaderWhoIsHeldUpSetsNothing: between the reading of the one clock and the
// other, once.
func TestAReaderWhoIsHeldUpSetsNothing(t *testing.T) {
	var own clock
	own.set(time.UnixMicro(0))
	readings := []time.Duration{10 * time.Second, 4 * time.Second} // on the wall
	own.follow(func() (int64, time.Duration) {
		wall := readings[0]
		readings = readings[1:]
		return wall.Microseconds(), 4 * time.Second
	})
	if anchor := own.anchor.Load(); anchor != 0 || len(readings) != 0 {
		t.Errorf("the clock was set by %dus, with %d readings left", anchor, len(readings))
	}
}

// TestWindowsEndByTheWallClockAfterASuspend asks a store whose clock has stood
// still for half a day: its days end at midnight again.
func TestWindowsEndByTheWallClockAfterASuspend(t *testing.T) {
	m := NewMemory()
	l := memoryLimiter(t, m, "fixed_window 1/d")
	m.clock.anchor.Add(-12 * time.Hour.Microseconds())
	m.clock.compare.Store(0) // as after a second of use
	d, err := l.Allow(context.Background(), "key")
	if err != nil || !d.Allowed {
		t.Fatalf("%+v, %v", d, err)
	}
	if end := time.Now().Add(d.ResetAfter).UTC(); end.Round(24*time.Hour).Sub(end).Abs() > time.Minute {
		t.Errorf("the day ends at %v", end)
	}
}
