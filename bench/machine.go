package main

import (
	"bufio"
	"cmp"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// thisMachine describes where the run takes place. What a system does not tell
// stays empty.
func thisMachine() Machine {
	memory, _, _ := strings.Cut(fieldOf("/proc/meminfo", "MemTotal"), " ")
	kB, _ := strconv.Atoi(memory)
	return Machine{
		CPU:      cmp.Or(fieldOf("/proc/cpuinfo", "model name"), runtime.GOARCH),
		Cores:    runtime.NumCPU(),
		MemoryMB: kB / 1024,
		OS:       cmp.Or(strings.Trim(fieldOf("/etc/os-release", "PRETTY_NAME"), `"`), runtime.GOOS),
		Kernel:   firstLine("/proc/sys/kernel/osrelease"),
		Arch:     runtime.GOARCH,
		Go:       runtime.Version(),
	}
}

// load is the load average of the last minute.
func load() string {
	one, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return one
}

// fieldOf finds the value of a name in a file of "name: value" or "name=value".
func fieldOf(path, name string) string {
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
