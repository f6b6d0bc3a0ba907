package main

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/host"
)

// memory measures what a key costs, each table in a process of its own. Bytes
// are the same each time, so three repetitions are enough.
func (r *run) memory() error {
	for _, n := range []int{r.Sizes.Keys, r.Sizes.BigTable} {
		s := &Section{
			Name: "memory", Title: "Memory of " + short(n) + " keys",
			Note: "Bytes and objects a key above an empty process. Key strings count where the limiter keeps them. Resident is what the system has given after unused memory was returned, peak the most it ever gave. GC is a forced collection of the whole table. At most three repetitions.",
		}
		list := refusing()
		if n > r.Sizes.PeerKeys {
			s.Name, list = "memory of Aforo", those(aforoName, floorName)
		}
		err := r.someRounds(min(r.Sizes.Reps, 3), s.Title, len(list), func(i int) error {
			figures, err := inChild(job{Kind: "memory", Peer: list[i].Name, Keys: n})
			if err != nil {
				return err
			}
			r.noteMemory(s, list[i].Name, n, figures)
			return nil
		})
		r.keep(s)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *run) noteMemory(s *Section, subject string, n int, figures map[string]float64) {
	for _, column := range []struct{ figure, unit string }{
		{"heap", "B"}, {"in use", "B"}, {"objects", ""}, {"resident", "B"}, {"peak", "B"},
	} {
		s.add(column.figure, column.unit, subject, figures[column.figure]/float64(n))
	}
	s.add("GC", "ms", subject, figures["GC"])
	if lost := figures["forgotten"]; lost > 0 && subject != loopName {
		r.wrong[s.Title+": "+subject] = lost / 1000
	}
}

// measureMemory runs in a process of its own. That every key is refused the
// second time shows that the table really holds them all.
func measureMemory(j job) (map[string]float64, error) {
	p, err := peerNamed(j.Peer)
	if err != nil {
		return nil, err
	}
	empty := memoryNow()
	l, err := p.New(shut(j.Keys))
	if err != nil {
		return nil, err
	}
	fill(l, j.Keys)
	full := memoryNow()
	full.minus(empty)
	full["GC"] = collection()
	step := max(1, j.Keys/1000)
	for i := 0; i < j.Keys; i += step {
		if l.Allow(key(i)) {
			full["forgotten"]++
		}
	}
	l.Close()
	return full, nil
}

// figures are named numbers.
type figures map[string]float64

func (f figures) minus(g figures) {
	for name := range f {
		f[name] = max(0, f[name]-g[name])
	}
}

// memoryNow is what the process holds when its garbage has gone.
func memoryNow() figures {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return figures{
		"heap": float64(m.HeapAlloc), "in use": float64(m.HeapInuse), "objects": float64(m.HeapObjects),
		"resident": processBytes("VmRSS"), "peak": processBytes("VmHWM"),
	}
}

// processBytes is a line of the process's status; 0 where there is none.
func processBytes(name string) float64 {
	text, _, _ := strings.Cut(host.FieldOf("/proc/self/status", name), " ")
	kB, _ := strconv.ParseFloat(text, 64)
	return kB * 1024
}

// collection is how long a forced collection takes, in ms: the middle of three.
func collection() float64 {
	var times []float64
	for range 3 {
		began := time.Now()
		runtime.GC()
		times = append(times, float64(time.Since(began))/1e6)
	}
	slices.Sort(times)
	return times[1]
}
