package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
)

type validateOptions struct {
	output string
}

func newValidateCommand(s streams) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check configuration files and explain their limits",
		Long: `Validate reads configuration files as "aforo serve" does, says in plain words
what each policy lets through, and what is wrong with a file and where. The
file - is standard input.

With --output json it prints one object a line for each file:

  {"file":"aforo.yaml","valid":true,"policies":[{"name":"login","limits":[
    {"limit":"sliding_window_log 5/15m","means":"at most 5 in any ..."}]}]}
  {"file":"bad.yaml","valid":false,"errors":[{"file":"bad.yaml","line":3,
    "column":12,"field":"policies.a.limit","message":"...","excerpt":"..."}]}

A policy of which the file says what its keys are has them as "key".`,
		Example: `  aforo validate aforo.yaml

  # Standard input
  echo 'policies: {login: {limit: 5/15m}}' | aforo validate -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("there is no file to validate; for example: aforo validate aforo.yaml")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return validate(args, o, s) },
	}
	addOutputFlag(cmd, &o.output)
	return cmd
}

// validate reports about all files, whatever is wrong with some.
func validate(files []string, o validateOptions, s streams) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	var wrong []error
	for _, file := range files {
		c, err := readConfig(file, s.in)
		if err != nil {
			wrong = append(wrong, err)
		}
		if o.output == "json" {
			err = json.NewEncoder(s.out).Encode(newReport(file, c, err))
		} else if err == nil {
			err = explain(file, c, s)
		} else {
			continue
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(wrong...)
}

// explain prints what the policies of a file mean.
func explain(file string, c *config.Config, s streams) error {
	count := fmt.Sprintf("%d policies", len(c.Policies))
	if len(c.Policies) == 1 {
		count = "1 policy"
	}
	if _, err := fmt.Fprintf(s.out, "%s is valid: %s\n", file, count); err != nil {
		return err
	}
	writePolicies(s.out, c.Policies)
	for _, p := range c.Policies {
		for _, l := range p.Limits.List() {
			if note := config.Note(l); note != "" {
				fmt.Fprintf(s.out, "  note on %s: %s\n", p.Name, note)
			}
		}
	}
	return nil
}

// report is what validate says of a file as JSON.
type report struct {
	File     string         `json:"file"`
	Valid    bool           `json:"valid"`
	Listen   string         `json:"listen,omitempty"`
	Policies []policyReport `json:"policies,omitempty"`
	Errors   []any          `json:"errors,omitempty"` // *config.Problem, or {"file", "message"}
}

type policyReport struct {
	Name   string        `json:"name"`
	Key    string        `json:"key,omitempty"` // what its keys are, if the file says so
	Limits []limitReport `json:"limits"`
}

type limitReport struct {
	Limit string `json:"limit"`
	Means string `json:"means"`
	Note  string `json:"note,omitempty"`
}

func newReport(file string, c *config.Config, err error) report {
	r := report{File: file, Valid: err == nil}
	var problems *config.Error
	switch {
	case errors.As(err, &problems):
		for _, p := range problems.Problems {
			r.Errors = append(r.Errors, p)
		}
		return r
	case err != nil:
		r.Errors = []any{map[string]string{"file": file, "message": err.Error()}}
		return r
	}
	r.Listen = c.Listen
	for _, p := range c.Policies {
		policy := policyReport{Name: p.Name, Key: p.Key.String()}
		for _, l := range p.Limits.List() {
			policy.Limits = append(policy.Limits, limitReport{l.String(), config.Words(l), config.Note(l)})
		}
		r.Policies = append(r.Policies, policy)
	}
	return r
}
