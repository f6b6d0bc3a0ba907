package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// job is what a process of its own is asked to measure, so that nothing of what
// was measured before is in its memory.
type job struct {
	Kind  string // memory, growth or log
	Peer  string
	Keys  int
	Limit int
}

// jobVariable holds the job in the environment of that process.
const jobVariable = "AFORO_BENCH_JOB"

var jobs = map[string]func(job) (map[string]float64, error){
	"memory": measureMemory,
	"growth": measureGrowth,
	"log":    measureLog,
}

// inChild carries out a job in a new process of this program.
func inChild(j job) (map[string]float64, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), jobVariable+"="+string(text))
	child.Stderr = os.Stderr
	out, err := child.Output()
	if err != nil {
		return nil, fmt.Errorf("measuring %s of %s: %w", j.Kind, j.Peer, err)
	}
	var found map[string]float64
	err = json.Unmarshal(out, &found)
	return found, err
}

// runJob does what this process was started for, and tells whether it was
// started for a job at all.
func runJob() (was bool, err error) {
	text, was := os.LookupEnv(jobVariable)
	if !was {
		return false, nil
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return true, err
	}
	measure, ok := jobs[j.Kind]
	if !ok {
		return true, fmt.Errorf("there is no job %q", j.Kind)
	}
	found, err := measure(j)
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(os.Stdout).Encode(found)
}
