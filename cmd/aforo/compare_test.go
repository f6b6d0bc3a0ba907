package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/sim"
)

// TestShapesInTheHelp: those that compare --help and docs/COMPARE.md show are
// shapes, and as they are written.
func TestShapesInTheHelp(t *testing.T) {
	document, err := os.ReadFile(filepath.Join(checkout, "docs", "COMPARE.md"))
	if err != nil {
		t.Fatal(err)
	}
	help := newCompareCommand(streams{}).Long
	for text, pattern := range map[string]string{
		help:             `(?m)^  (\S.*?)  +\S`,
		string(document): "(?m)^\\| `([a-z].*?)`",
	} {
		shapes := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(shapes) != 10 {
			t.Errorf("%d shapes: %q", len(shapes), shapes)
		}
		for _, m := range shapes {
			if s, err := sim.ParseShape(m[1]); err != nil || s.String() != m[1] {
				t.Errorf("%q is %q, %v", m[1], s, err)
			}
		}
	}
}

// TestThePageInABrowser: it draws a chart for each limit and complains of
// nothing. It needs chromium, which make test installs and requires.
func TestThePageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	switch needed := os.Getenv("AFORO_BROWSER"); {
	case needed == "skip": // the second run, for races, that a browser has no part in
		t.Skip("AFORO_BROWSER=skip")
	case err != nil && needed == "required":
		t.Fatalf("%v: make tools installs it", err)
	case err != nil:
		t.Skipf("%v: make tools installs it, and make test requires it", err)
	}
	dir := t.TempDir()
	log := "192.0.2.1 - - [02/Mar/2026:10:00:10 +0000] \"GET /a HTTP/1.1\" 200 1\n192.0.2.2 - - [02/Mar/2026:10:00:12 +0000] \"GET /a HTTP/1.1\" 200 1\n"
	write(t, dir, "access.log", log)
	for _, args := range [][]string{
		{"--scenario", "window-edge"}, {"--scenario", "retry-jitter"}, {filepath.Join(dir, "access.log"), "--limit", "10/m"},
	} {
		var page, errs bytes.Buffer
		if code := run(append([]string{"compare", "-o", "html"}, args...), streams{out: &page, err: &errs}); code != 0 {
			t.Fatal(errs.String())
		}
		write(t, dir, "page.html", page.String())
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir="+filepath.Join(dir, "profile"),
			"--virtual-time-budget=2000", "--dump-dom", "file://"+filepath.Join(dir, "page.html"))
		var dom, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &dom, &log
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, &log)
		}
		if n := strings.Count(dom.String(), "<canvas"); n != 5 {
			t.Errorf("%q: %d charts", args, n)
		}
		if strings.Contains(log.String(), "CONSOLE") {
			t.Errorf("%q: it complains:\n%s", args, &log)
		}
	}
}
