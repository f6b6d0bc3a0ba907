package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
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
