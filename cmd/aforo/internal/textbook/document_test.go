package textbook

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"time"
)

const checkout = "../../../.."

var update = flag.Bool("update", false, "write the documents and their pictures anew")

// facts are what the documents say, as measured.
type facts struct {
	Five     []string
	Requests int // of the traffic
	Lanes    map[string]laneSum
	Spacing  time.Duration // of a leaky bucket's releases

	AttackN int64
	Bounds  map[string]bound
	Edge    map[string]int
	State   []logBytes
	Store   map[string]int // bytes a key, in tens, rounded up

	TwoSteps   twoSteps
	SortedSets sortedSets
	Leak       leak
	Float      float
	Instances  []instances
	Waits      waits
}

func measure(t *testing.T) (f facts) {
	f.Five = five
	f.Lanes, f.Requests = measureTraffic(t)
	f.Spacing = measureSpacing(t)
	f.AttackN, f.Bounds, f.Edge = attackN, measureBounds(t), measureEdge(t)
	f.State = measureState(t)
	f.Store = map[string]int{"token_bucket": storeBytes(t, "100/h"), "sliding_window_counter": storeBytes(t, "sliding_window_counter 100/h")}
	f.TwoSteps, f.SortedSets = measureTwoSteps(t), measureSortedSets(t)
	f.Leak, f.Float = measureLeak(t), measureFloat(t)
	f.Instances, f.Waits = measureInstances(t), measureWaits(t)
	return f
}

// A document is a text in which numbers are put, in a language.
type document struct {
	source, path string
	point        string // between a number and its decimals
}

var english = document{"testdata/algorithms.en.md", checkout + "/docs/ALGORITHMS.md", "."}
var spanish = document{"testdata/algorithms.es.md", checkout + "/docs/es/ALGORITMOS.md", ","}

// render is the document with the facts in it.
func (d document) render(t *testing.T, f facts) string {
	t.Helper()
	source, err := os.ReadFile(d.source)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := template.New(d.source).Option("missingkey=error").Funcs(template.FuncMap{
		"n": d.number, "s": d.seconds, "ms": func(v time.Duration) string { return d.number(float64(v.Microseconds()) / 1000) },
		"share": func(part, whole int) string { return d.number(100*float64(part)/float64(whole)) + " %" },
	}).Parse(string(source))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// number writes a number with the decimals that it has, at most 16.
func (d document) number(v any) string {
	if f, ok := v.(float64); ok {
		return strings.Replace(strconv.FormatFloat(f, 'f', -1, 64), ".", d.point, 1)
	}
	return fmt.Sprint(v)
}

// seconds writes a time in seconds.
func (d document) seconds(v time.Duration) string { return d.number(v.Seconds()) + " s" }

// TestDocuments: the documents say what is measured here.
func TestDocuments(t *testing.T) {
	f := measure(t)
	t.Logf("%+v", f)
	for _, d := range []document{english, spanish} {
		text := d.render(t, f)
		keep(t, d.path, []byte(text))
		if n := strings.Count(text, "\n"); n < 250 || n > 400 {
			t.Errorf("%s has %d lines", d.path, n)
		}
	}
}

// keep compares what was measured with what a file says of it, or writes it.
func keep(t *testing.T, path string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, text) {
		t.Errorf("%s is not what is measured (go test ./cmd/aforo/internal/textbook -update writes it): %v", path, err)
	}
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	code    = regexp.MustCompile("`[^`\n]+`")
	target  = regexp.MustCompile(`\]\([^)]*\)`)
	action  = regexp.MustCompile(`\{\{[^}]*\}\}`)
	heading = regexp.MustCompile(`(?m)^(#+) `)
	image   = regexp.MustCompile(`!\[([^\]]+)\]\(([^)]*)\)`)
	digits  = regexp.MustCompile(`-?\d+(?:[.,]\d+)?`)
)

// prose is a text without its code and where its links lead.
func prose(text string) string {
	text = fence.ReplaceAllString(text, "")
	return target.ReplaceAllString(code.ReplaceAllString(text, ""), "]")
}

// TestNoNumberIsWrittenByHand: outside of code, the texts have no digits but
// those that are put in.
func TestNoNumberIsWrittenByHand(t *testing.T) {
	for _, d := range []document{english, spanish} {
		for _, line := range strings.Split(prose(action.ReplaceAllString(d.read(t, d.source), "")), "\n") {
			if digits.MatchString(line) {
				t.Errorf("%s: who has measured this? %s", d.source, line)
			}
		}
	}
}

func (d document) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocumentsAreTwins: section by section they have the same headings, numbers,
// code and pictures.
func TestDocumentsAreTwins(t *testing.T) {
	one, other := sections(english.read(t, english.path)), sections(spanish.read(t, spanish.path))
	if len(one) != len(other) || len(one) < 15 {
		t.Fatalf("%d sections in English, %d in Spanish", len(one), len(other))
	}
	for i := range one {
		a, b := features(one[i]), features(other[i])
		for what := range a {
			if !slices.Equal(a[what], b[what]) {
				t.Errorf("%s: %s differ:\n%q\n%q", strings.SplitN(one[i], "\n", 2)[0], what, a[what], b[what])
			}
		}
	}
}

// TestPicturesAreDescribed: both documents show each picture, with its text.
func TestPicturesAreDescribed(t *testing.T) {
	for _, d := range []document{english, spanish} {
		shown := map[string]bool{}
		for _, m := range image.FindAllStringSubmatch(d.read(t, d.path), -1) {
			shown[path.Base(m[2])] = len(m[1]) > 50
		}
		for _, name := range append([]string{"side-by-side"}, five...) {
			if file := path.Base(imagePath(name)); !shown[file] {
				t.Errorf("%s does not show %s, or does not say what is on it", d.path, file)
			}
		}
	}
}

// sections are the parts of a text that begin with headings.
func sections(text string) (list []string) {
	blank := fence.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) }) // # in code is no heading
	places := heading.FindAllStringIndex(blank, -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		list = append(list, text[p[0]:end])
	}
	return list
}

// features are what twins share.
func features(section string) map[string][]string {
	numbers := digits.FindAllString(strings.ReplaceAll(prose(section), ",", "."), -1)
	slices.Sort(numbers)
	var pictures []string
	for _, m := range image.FindAllStringSubmatch(section, -1) {
		pictures = append(pictures, m[2][strings.Index(m[2], "img/"):])
	}
	inline := code.FindAllString(fence.ReplaceAllString(section, ""), -1)
	slices.Sort(inline)
	return map[string][]string{
		"headings": {heading.FindString(section)}, "numbers": numbers, "blocks": fence.FindAllString(section, -1),
		"pictures": pictures, "codes": slices.Compact(inline),
	}
}

// TestFormulasAreThoseOfTheRules: what the documents give as formulas stands in the
// comments of the rules, but for the fixed window's, whose rule has no formula.
func TestFormulasAreThoseOfTheRules(t *testing.T) {
	var rules strings.Builder
	for _, name := range []string{"bucket", "leaky_bucket", "sliding_window_log", "sliding_window_counter"} {
		rules.WriteString(english.read(t, checkout+"/"+name+".go"))
	}
	found := 0
	for _, section := range sections(english.read(t, english.path)) {
		if strings.Contains(section, "## fixed_window") {
			continue
		}
		for _, block := range fence.FindAllString(section, -1) {
			lines := strings.Split(block, "\n")
			if lines[0] != "```text" {
				continue
			}
			for _, line := range lines[1 : len(lines)-1] {
				if found++; !strings.Contains(rules.String(), "//\t"+line+"\n") {
					t.Errorf("no rule says %s", line)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d formulas", found)
	}
}
