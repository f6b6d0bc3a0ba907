// Package web is the page: a playground that teaches, stories to read, and a
// dashboard that watches. All of it is embedded, and asks nobody but the server
// that it comes from.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/uplot"
)

//go:embed static
var static embed.FS

// policy is what the page may do: run its own scripts, and ask its own server.
// A page of somebody else may not show it in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// A file is something to send, as it is and compressed.
type file struct {
	kind, tag string
	plain     []byte
	zipped    []byte // nil if that saves nothing
}

// Page is an http.Handler of everything that is looked at in a browser.
type Page struct {
	files   map[string]*file
	stories stories
}

// New makes the page. It fails only if it was built from broken files, which a
// test rules out.
func New() (*Page, error) {
	p := &Page{files: make(map[string]*file)}
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := static.ReadFile(name)
		p.files["/app/"+path.Base(name)] = newFile(path.Base(name), data)
		return err
	})
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"uPlot.iife.min.js": uplot.Script, "uPlot.min.css": uplot.Style, "uPlot.LICENSE": uplot.Licence} {
		p.files["/app/"+name] = newFile(name, []byte(text))
	}
	p.files["/"] = p.files["/app/index.html"]
	scenarios, err := scenariosJSON()
	if err != nil {
		return nil, err
	}
	p.files["/scenarios.json"] = newFile("scenarios.json", scenarios)
	p.stories, err = newStories()
	return p, err
}

func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{kind: contentType(name), plain: data, tag: `"` + hex.EncodeToString(sum[:12]) + `"`}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that exists
	_, _ = z.Write(data)                                  // to memory
	_ = z.Close()
	if b.Len() < len(data) {
		f.zipped = b.Bytes()
	}
	return f
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".LICENSE":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// Has tells whether there is something at a path.
func (p *Page) Has(at string) bool {
	return p.files[at] != nil || strings.HasPrefix(at, storyPath) && p.stories.has(strings.TrimPrefix(at, storyPath))
}

// ServeHTTP answers GET and HEAD for what Has says is there.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.files[r.URL.Path]
	if f == nil {
		f = p.stories.file(strings.TrimPrefix(r.URL.Path, storyPath), language(r))
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	secure(w.Header())
	f.send(w, r)
}

// secure sets what every page of ours tells the browser.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h, body := w.Header(), f.plain
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // asked again each time, and answered by 304
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding, Accept-Language")
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if f.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.zipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone needs nothing
	}
}

// language is that of ?lang=, or the one that the browser likes best, or English.
func language(r *http.Request) string {
	if lang := r.URL.Query().Get("lang"); lang == "en" || lang == "es" {
		return lang
	}
	for _, one := range strings.Split(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		switch base, _, _ := strings.Cut(strings.ToLower(tag), "-"); base {
		case "en", "es":
			return base
		}
	}
	return "en"
}
