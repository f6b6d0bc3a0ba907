package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

func newPage(t *testing.T) *Page {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func get(p *Page, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// TestThePageIsSmall: everything that a browser fetches, as it is sent, under
// 100 KB; of the two languages, the larger.
func TestThePageIsSmall(t *testing.T) {
	p := newPage(t)
	total := 0
	for path, f := range p.files {
		if path == "/app/index.html" || path == "/app/en.json" || strings.HasSuffix(path, "LICENSE") {
			continue // the same as /, the smaller language, and what nobody fetches
		}
		w := get(p, path, "Accept-Encoding", "gzip, br")
		total += w.Body.Len()
		if w.Header().Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, f.plain) {
				t.Errorf("%s: compressed it is something else: %v", path, err)
			}
		}
	}
	if total > 100_000 || total < 20_000 {
		t.Errorf("the page has %d bytes", total)
	}
	t.Logf("%d bytes", total)
}

func TestWhatIsSent(t *testing.T) {
	p := newPage(t)
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/app/main.js": "text/javascript; charset=utf-8", "/app/style.css": "text/css; charset=utf-8",
		"/app/es.json": "application/json", "/scenarios.json": "application/json", "/app/icon.svg": "image/svg+xml",
		"/stories/edge-burst": "text/html; charset=utf-8", "/stories/edge-burst.svg": "image/svg+xml",
	} {
		w := get(p, path)
		if w.Code != 200 || w.Header().Get("Content-Type") != kind || !p.Has(path) {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: %s", path, csp)
		}
		if again := get(p, path, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() > 0 {
			t.Errorf("%s: again %d", path, again.Code)
		}
	}
	for _, path := range []string{"/app/", "/app/../web.go", "/app/none.js", "/stories/", "/stories/none", "/stories/edge-burst en", "/stories/none.svg", "/stories/.svg"} {
		if p.Has(path) {
			t.Errorf("there is something at %s", path)
		}
		if w := get(p, strings.ReplaceAll(path, " ", "%20")); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestNothingInline: neither scripts nor styles in the page, nor addresses of
// others in what a browser fetches.
func TestNothingInline(t *testing.T) {
	for path, f := range newPage(t).files {
		text := string(f.plain)
		if strings.HasSuffix(path, ".html") || path == "/" {
			if regexp.MustCompile(`<script[^>]*>[^<]|<style|\son[a-z]+=|\sstyle=|javascript:`).MatchString(text) {
				t.Errorf("%s has something inline", path)
			}
		}
		for _, address := range regexp.MustCompile(`https?://[\w.-]+`).FindAllString(text, -1) {
			if address != "http://www.w3.org" && address != "https://github.com" { // a name, and a licence
				t.Errorf("%s names %s", path, address)
			}
		}
		if strings.HasSuffix(path, ".js") && !strings.Contains(path, "uPlot") && regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`).MatchString(text) {
			t.Errorf("%s makes HTML or code of text", path)
		}
	}
}

func languageFiles(t *testing.T) map[string]words {
	t.Helper()
	return newPage(t).stories.words
}

// TestBothLanguagesSayTheSame: the same keys, nothing empty, the same places for
// values; and no text but names is the same in both.
func TestBothLanguagesSayTheSame(t *testing.T) {
	w := languageFiles(t)
	en, es := slices.Sorted(maps.Keys(w["en"])), slices.Sorted(maps.Keys(w["es"]))
	if !slices.Equal(en, es) || len(en) < 150 {
		t.Errorf("the keys differ, %d and %d", len(en), len(es))
	}
	value := regexp.MustCompile(`\{\w+\}`)
	same := []string{"live.rate", "live.token"}
	for _, key := range en {
		a, b := w["en"][key], w["es"][key]
		va, vb := value.FindAllString(a, -1), value.FindAllString(b, -1)
		slices.Sort(va)
		slices.Sort(vb)
		if a == "" || b == "" || (!slices.Equal(va, vb) && key != "problem.server") {
			t.Errorf("%s: %q and %q", key, a, b)
		}
		if a == b && !slices.Contains(same, key) {
			t.Errorf("%s is not translated: %q", key, a)
		}
		if strings.Count(a, "\n") != strings.Count(b, "\n") {
			t.Errorf("%s has other paragraphs", key)
		}
	}
	for _, term := range []string{"limitadores de tasa", "cubo de tokens", "cubo con fuga", "ventana fija", "ventana deslizante", "registro", "contador", "ráfaga", "tasa sostenida", "capacidad", "lado a lado"} {
		if all := strings.ToLower(fmt.Sprint(slices.Collect(maps.Values(w["es"])))); !strings.Contains(all, term) {
			t.Errorf("the Spanish never says %s", term)
		}
	}
}

// TestTextsAreThere: every key that the page asks for exists, and every text is
// asked for.
func TestTextsAreThere(t *testing.T) {
	en := languageFiles(t)["en"]
	used := map[string]bool{"ribbon": true, "story.open": true} // asked for in another way
	asked := regexp.MustCompile(`data-t(?:-label|-title)?="([^"]+)"|\bt\('([^']+)'|Refused\('([^']+)'|'((?:live|mark|paint|player|table|lane|ribbon|quiz|refused)\.[a-z.]+)'`)
	for path, f := range newPage(t).files {
		if !strings.HasSuffix(path, ".js") && !strings.HasSuffix(path, ".html") || strings.Contains(path, "uPlot") {
			continue
		}
		for _, m := range asked.FindAllSubmatch(f.plain, -1) {
			key := string(bytes.Join(m[1:], nil))
			if used[key] = true; !strings.HasSuffix(key, ".") && en[key] == "" {
				t.Errorf("%s asks for %s, which is not there", path, key)
			}
		}
	}
	for _, story := range Stories { // asked for by name
		for _, part := range []string{"title", "text", "more", "alt"} {
			used["story."+story.Name+"."+part] = true
		}
		for _, scene := range story.Scenes {
			used["story."+story.Name+"."+scene.Name] = true
		}
	}
	for _, q := range Questions {
		used["quiz."+q.Name], used["quiz."+q.Name+".because"] = true, true
	}
	for _, p := range Presets {
		used["preset."+p.Name] = true
	}
	for key := range en {
		prefix := key[:strings.LastIndex(key, ".")+1]
		if !used[key] && !used[prefix] && !slices.Contains([]string{"algorithm.", "live.words.", "unit.one.", "unit.many.", "nav.", "why.", "mark.", "lane."}, prefix) {
			t.Errorf("nobody asks for %s", key)
		}
	}
}

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
		if share := float64(n) / 137; share < 0.25 || share > 0.6 {
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
	check := func(name string, want []byte) {
		t.Helper()
		name = filepath.Join(docs, name)
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

func FuzzPaths(f *testing.F) {
	f.Add("/stories/edge-burst", "es")
	p, err := New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path, lang string) {
		r := &http.Request{Method: "GET", URL: httptest.NewRequest("GET", "/", nil).URL, Header: http.Header{"Accept-Language": {lang}}}
		r.URL.Path, r.URL.RawQuery = path, "lang="+lang
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if (w.Code == 200) != p.Has(path) {
			t.Errorf("%q: %d", path, w.Code)
		}
	})
}
