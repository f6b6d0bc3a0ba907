package web

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

// answer plays a request.
func answer(t *testing.T, request simulate.Request) *simulate.Result {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := simulate.Parse(body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	result, err := simulate.Run(context.Background(), parsed)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestStoriesAreTrue: what the stories say, in numbers.
func TestStoriesAreTrue(t *testing.T) {
	scene := make(map[string][]simulate.Lane)
	for _, story := range Stories {
		for _, s := range story.Scenes {
			scene[story.Name+"/"+s.Name] = answer(t, s.Request).Lanes
		}
	}
	allowed := func(name string) (n []int) {
		for _, lane := range scene[name] {
			n = append(n, lane.Allowed)
		}
		return n
	}
	sent := func(name string) (n []int) {
		for _, lane := range scene[name] {
			n = append(n, len(lane.Decisions))
		}
		return n
	}
	for name, want := range map[string][]int{
		"edge-burst/scene":      {200, 100, 116, 53, 53},
		"burst-or-smooth/scene": {94, 94},
		"instances/own":         {80, 80, 80, 156, 156},
		"instances/shared":      {20, 20, 20, 39, 39},
		"one-address/user":      {137, 137, 137, 137, 137},
		"exact-or-cheap/scene":  {120, 79},
		"clock-skew/store":      {80, 80, 77, 99, 99},
	} {
		if got := allowed(name); !slices.Equal(got, want) {
			t.Errorf("%s: %v allowed, want %v", name, got, want)
		}
	}
	if delay := *scene["burst-or-smooth/scene"][1].Longest; delay < 3_700_000 || delay >= 4_000_000 {
		t.Errorf("nearly four seconds are %d us", delay)
	}
	if most := scene["edge-burst/scene"][1].Most.Units; most != 100 {
		t.Errorf("the log lets %d pass in a minute", most)
	}
	for i, n := range sent("retry-storm/ignore") {
		if jitter := sent("retry-storm/jitter")[i]; n < 6*40 || jitter < 60 || jitter > 100 || sent("retry-storm/obey")[i] <= jitter {
			t.Errorf("lane %d: %d requests of those who ignore, %d obey, %d with chance", i, n, sent("retry-storm/obey")[i], jitter)
		}
	}
	for i, n := range allowed("one-address/address") {
		if share := float64(n) / 137; share < 0.25 || share >= 0.5 {
			t.Errorf("one address, lane %d: %d of 137", i, n)
		}
	}
	for i := range scene["clock-skew/instance"] {
		if a, b := allowed("clock-skew/instance")[i], allowed("clock-skew/store")[i]; i == 0 && a <= b {
			t.Errorf("two clocks, lane %d: %d, by one %d", i, a, b)
		}
	}
	for _, lane := range scene["costs/scene"] {
		var cost [2]float64
		var n [2]float64
		for _, d := range lane.Decisions {
			k := 0
			if d.Allowed {
				k = 1
			}
			cost[k] += float64(d.Cost)
			n[k]++
		}
		if cost[0]/n[0] <= cost[1]/n[1] {
			t.Errorf("%s refuses the cheap", lane.Limit)
		}
	}
}

// TestQuizHasOneRightAnswer: what is run is among the options, once.
func TestQuizHasOneRightAnswer(t *testing.T) {
	if len(Questions) < 3 {
		t.Errorf("only %d questions", len(Questions))
	}
	for _, q := range Questions {
		lane := answer(t, q.Request).Lanes[0]
		found := map[string]int64{"allowed": int64(lane.Allowed), "longest_delay_us": *lane.Longest}[q.Asks]
		if i := slices.Index(q.Options, found); i < 0 || slices.Contains(q.Options[i+1:], found) || !slices.IsSorted(q.Options) {
			t.Errorf("%s: %d of %v", q.Name, found, q.Options)
		}
	}
}

func TestPresetsPlay(t *testing.T) {
	for _, p := range Presets {
		if n := len(answer(t, play(p.Traffic, "1", five("100/m burst 20")...)).Lanes[0].Decisions); n < 50 {
			t.Errorf("%s: %d arrivals", p.Name, n)
		}
	}
}

// TestStoryPages: each has its own title, text and picture, in both languages,
// and the picture is XML with marks in it.
func TestStoryPages(t *testing.T) {
	p := newPage(t)
	titles := map[string]bool{}
	for _, story := range Stories {
		for lang, w := range p.stories.words {
			page := get(p, "/stories/"+story.Name+"?lang="+lang).Body.String()
			title := w["story."+story.Name+".title"]
			for _, want := range []string{`<html lang="` + lang + `">`, "<title>" + title + " · Aforo</title>", `<img src="/stories/` + story.Name + `.svg" alt="`, `href="/?lang=` + lang + "#story/" + story.Name + `"`, "<p class=\"lead\">"} {
				if !strings.Contains(page, want) {
					t.Errorf("%s in %s: %s is missing", story.Name, lang, want)
				}
			}
			if titles[title] {
				t.Errorf("two are called %s", title)
			}
			titles[title] = true
			if n := len(regexp.MustCompile(`[.?!](\s|$)`).FindAllString(w["story."+story.Name+".text"], -1)); n != 3 {
				t.Errorf("%s in %s has %d sentences", story.Name, lang, n)
			}
		}
		svg := get(p, "/stories/"+story.Name+".svg").Body.Bytes()
		if bytes.Count(svg, []byte("<use ")) < 20 || len(svg) > 120_000 {
			t.Errorf("%s: a picture of %d bytes", story.Name, len(svg))
		}
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", story.Name, err)
			}
		}
	}
	if page := get(p, "/stories/costs", "Accept-Language", "fr, es-AR;q=0.8, en;q=0.5").Body.String(); !strings.Contains(page, `<html lang="es">`) {
		t.Error("the browser's language is not taken")
	}
}

// TestStoriesInTheDocuments: docs/stories and docs/es/stories are these stories.
// AFORO_WRITE=1 writes them.
func TestStoriesInTheDocuments(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "..", "docs")
	p := newPage(t)
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	check := func(name string, want []byte) {
		t.Helper()
		name = filepath.Join(docs, name)
		for _, m := range link.FindAllSubmatch(want, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), string(m[1]))); err != nil {
				t.Errorf("%s leads nowhere: %v", name, err)
			}
		}
		if os.Getenv("AFORO_WRITE") != "" {
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, want, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what it was made of (%v); to write it: AFORO_WRITE=1 go test ./internal/web", name, err)
		}
	}
	for _, story := range Stories {
		check("img/stories/"+story.Name+".svg", get(p, "/stories/"+story.Name+".svg").Body.Bytes())
		check("stories/"+story.Name+".md", markdown(story, p.stories.words["en"], "../", "es/stories"))
		check("es/stories/"+story.Name+".md", markdown(story, p.stories.words["es"], "../../", "stories"))
	}
	check("stories/README.md", index(p.stories.words["en"], "../es/stories/README.md"))
	check("es/stories/README.md", index(p.stories.words["es"], "../../stories/README.md"))
}

// markdown is a story to read; root is where docs are.
func markdown(story Story, w words, root, other string) []byte {
	key := "story." + story.Name
	return fmt.Appendf(nil, "# %s\n\n%s\n\n![%s](%simg/stories/%s.svg)\n\n%s\n\n`aforo playground` · [%s](README.md) · [%s](%s%s/%s.md)\n",
		w[key+".title"], w[key+".text"], w[key+".alt"], root, story.Name, strings.ReplaceAll(w[key+".more"], "\n", "\n\n"),
		w["stories.title"], w["lang.other"], root, other, story.Name)
}

func index(w words, other string) []byte {
	b := fmt.Appendf(nil, "# %s\n\n%s ([%s](%s))\n\n", w["stories.title"], w["stories.lead"], w["lang.other"], other)
	for _, story := range Stories {
		b = fmt.Appendf(b, "- [%s](%s.md)\n", w["story."+story.Name+".title"], story.Name)
	}
	return b
}
