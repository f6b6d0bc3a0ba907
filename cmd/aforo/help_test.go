package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/redisstore/redistest"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands is every command there is.
func commands(t *testing.T) (all []*cobra.Command) {
	t.Helper()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		all = append(all, cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRootCommand(streams{}))
	return all
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, cmd := range commands(t) {
		ours := !strings.Contains(cmd.CommandPath(), "completion") && cmd.Name() != "help"
		if cmd.Short == "" || ours && (cmd.Long == "" || cmd.Example == "") {
			t.Errorf("%s: it lacks a description or an example", cmd.CommandPath())
		}
		for _, line := range strings.Split(cmd.Long, "\n") {
			if ours && len(line) > 80 {
				t.Errorf("%s: this line has more than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
	}
}

func TestEveryFlagSaysItsDefault(t *testing.T) {
	for _, cmd := range commands(t) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			one := pflag.NewFlagSet("", pflag.ContinueOnError)
			one.AddFlag(f)
			usage := strings.TrimSpace(one.FlagUsages())
			if !regexp.MustCompile(`\(default:? .+\)$`).MatchString(usage) && f.Name != "help" && f.Name != "version" && f.Name != "no-descriptions" {
				t.Errorf("%s: %s", cmd.CommandPath(), usage)
			}
		})
	}
}

// Every example of every command does what it is shown for.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	config := "policies: {login: {limit: sliding_window_log 5/15m}}\n"
	if err := os.WriteFile(filepath.Join(dir, "aforo.yaml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	log := `192.0.2.1 - - [17/May/2026:10:05:03 +0000] "GET / HTTP/1.1" 200 512 "-" "curl/8"`
	if got := runShell(t, dir, "mkdir logs && echo '"+log+"' | tee access.log | gzip | tee access.log.1.gz > logs/a.gz"); got.code != 0 {
		t.Fatal(got.err)
	}
	p, err := startServer(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	redis := redistest.Start(t)
	for _, cmd := range commands(t) {
		if strings.Contains(cmd.CommandPath(), "completion") {
			continue // cobra's own
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			runExample(t, dir, p.url, strings.ReplaceAll(line, "redis://127.0.0.1:6379", redis.URL()))
		}
	}
}

func runExample(t *testing.T, dir, server, line string) {
	t.Helper()
	if args, ok := strings.CutPrefix(line, "aforo serve"); ok {
		fields := strings.Fields(args + " --listen 127.0.0.1:0") // on a port that is free for sure
		p, err := startServer(dir, fields...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			return
		}
		p.kill()
		return
	}
	if args, ok := strings.CutPrefix(line, "aforo playground"); ok {
		fields := strings.Fields("playground" + args + " --no-open --listen 127.0.0.1:0")
		p, err := startProcess(dir, fields...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			return
		}
		p.kill()
		return
	}
	got := runShell(t, dir, strings.ReplaceAll(line, "http://127.0.0.1:8080", server))
	want := exitOK
	if strings.Contains(line, "--times 3") {
		want = exitRefused
	}
	if got.code != want || got.out == "" || got.err != "" {
		t.Errorf("%s: %+v, want exit code %d", line, got, want)
	}
}

type result struct {
	code     int
	out, err string
}

// runShell runs a line as a person would.
func runShell(t *testing.T, dir, line string) result {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}
