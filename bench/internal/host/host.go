// Package host tells where and with what a measurement took place.
package host

import (
	"bufio"
	"cmp"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is where a run took place.
type Machine struct {
	CPU      string
	Cores    int
	MemoryMB int
	OS       string
	Kernel   string
	Arch     string
	Go       string
	// Load is the load average of the last minute, before the run and after
	// it. What is above the run's own one to two is other people's work.
	LoadBefore, LoadAfter string
}

// This describes where the run takes place. What a system does not tell stays
// empty.
func This() Machine {
	memory, _, _ := strings.Cut(FieldOf("/proc/meminfo", "MemTotal"), " ")
	kB, _ := strconv.Atoi(memory)
	return Machine{
		CPU:        cmp.Or(FieldOf("/proc/cpuinfo", "model name"), runtime.GOARCH),
		Cores:      runtime.NumCPU(),
		MemoryMB:   kB / 1024,
		OS:         cmp.Or(strings.Trim(FieldOf("/etc/os-release", "PRETTY_NAME"), `"`), runtime.GOOS),
		Kernel:     firstLine("/proc/sys/kernel/osrelease"),
		Arch:       runtime.GOARCH,
		Go:         runtime.Version(),
		LoadBefore: Load(),
	}
}

// Load is the load average of the last minute.
func Load() string {
	one, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return one
}

// FileName is the name of a file of results: the date, such as 2026-01-31, and
// the processor, in letters that every system takes.
func (m Machine) FileName(date string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return ' '
	}, strings.ToLower(m.CPU))
	return date + "-" + strings.Join(strings.Fields(plain), "-") + ".json"
}

// FieldOf finds the value of a name in a file of "name: value" or "name=value".
func FieldOf(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		i := strings.IndexAny(lines.Text(), ":=")
		if i > 0 && strings.TrimSpace(lines.Text()[:i]) == name {
			return strings.TrimSpace(lines.Text()[i+1:])
		}
	}
	return ""
}

func firstLine(path string) string {
	data, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}
