package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aforo-dev/aforo/bench/internal/host"
	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// Results is what a run found, as it is written to a file.
type Results struct {
	Date     time.Time
	Quick    bool `json:",omitempty"` // sizes so small that the figures say nothing
	Seconds  float64
	Machine  host.Machine
	Sizes    Sizes
	Peers    []PeerInfo
	Sections []Section
	// Warnings tell where a limiter did not answer as it had to.
	Warnings []string `json:",omitempty"`
}

// PeerInfo is what was measured.
type PeerInfo struct {
	Name, Module, Version, What, Differs string
	Yardstick, Waits                     bool
}

// Section is a table: cases across, subjects down. In all of them less is
// better.
type Section struct {
	Name  string // as -only knows it
	Title string
	Note  string
	Cases []Case
}

// Case is one column of a table.
type Case struct {
	Name, Unit string
	Samples    []Sample
}

// Sample is one cell: what each repetition found, and their median.
type Sample struct {
	Subject string
	Median  float64
	Values  []float64
}

// add notes what a repetition found.
func (s *Section) add(caseName, unit, subject string, value float64) {
	i := slices.IndexFunc(s.Cases, func(c Case) bool { return c.Name == caseName })
	if i < 0 {
		i = len(s.Cases)
		s.Cases = append(s.Cases, Case{Name: caseName, Unit: unit})
	}
	c := &s.Cases[i]
	j := slices.IndexFunc(c.Samples, func(x Sample) bool { return x.Subject == subject })
	if j < 0 {
		j = len(c.Samples)
		c.Samples = append(c.Samples, Sample{Subject: subject})
	}
	x := &c.Samples[j]
	x.Values = append(x.Values, value)
	x.Median = numbers.Median(x.Values)
}

// sample finds a cell.
func (c *Case) sample(subject string) (Sample, bool) {
	for _, x := range c.Samples {
		if x.Subject == subject {
			return x, true
		}
	}
	return Sample{}, false
}

// subjects lists who is in a section, in the order in which they came.
func (s *Section) subjects() (list []string) {
	for _, c := range s.Cases {
		for _, x := range c.Samples {
			if !slices.Contains(list, x.Subject) {
				list = append(list, x.Subject)
			}
		}
	}
	return list
}

// section finds a section; nil if it was not measured.
func (r *Results) section(name string) *Section {
	for i := range r.Sections {
		if r.Sections[i].Name == name {
			return &r.Sections[i]
		}
	}
	return nil
}

// isYardstick tells whether a subject is no limiter.
func (r *Results) isYardstick(subject string) bool {
	return slices.ContainsFunc(r.Peers, func(p PeerInfo) bool { return p.Name == subject && p.Yardstick })
}

func saveResults(path string, r *Results) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

func loadResults(path string) (*Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
