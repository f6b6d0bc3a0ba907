package trace

import (
	"bytes"
	"fmt"
	"strings"
)

// Routes are patterns of paths, which stand for all paths that they match: in a
// key, /users/17 and /users/42 are then both /users/*. The zero Routes match
// nothing.
type Routes struct {
	routes []route
}

type route struct {
	text     []byte
	segments []string // what stands between slashes; "*" for any
	rest     bool     // whatever follows matches too
}

// ParseRoutes reads patterns such as /users/* or /api/:id/items/**. A segment
// that is * or begins with a colon or is in braces, as frameworks write
// parameters, stands for any one segment, and a ** at the end for any number of
// them, none included. Segments are compared by their bytes; a slash at the end
// of a path counts.
func ParseRoutes(texts []string) (Routes, error) {
	var all Routes
	for _, text := range texts {
		if !strings.HasPrefix(text, "/") {
			return Routes{}, fmt.Errorf("route %q: it has to begin with a slash; for example: /users/*", text)
		}
		r := route{text: []byte(text), segments: strings.Split(text[1:], "/")}
		for i, s := range r.segments {
			switch {
			case s == "**" && i+1 == len(r.segments):
				r.segments, r.rest = r.segments[:i], true
			case s != "*" && strings.Contains(s, "*"):
				return Routes{}, fmt.Errorf("route %q: %q; a star is a whole segment, and two end a route; for example: /users/* or /static/**", text, s)
			case strings.HasPrefix(s, ":") || strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}"):
				r.segments[i] = "*"
			}
		}
		all.routes = append(all.routes, r)
	}
	return all, nil
}

// Match returns the first pattern that matches a path without its query string,
// or if none does, the path.
func (r Routes) Match(path []byte) []byte {
	for i := range r.routes {
		if r.routes[i].matches(path) {
			return r.routes[i].text
		}
	}
	return path
}

func (r *route) matches(path []byte) bool {
	if len(path) == 0 || path[0] != '/' {
		return false
	}
	path, more := path[1:], true
	for _, want := range r.segments {
		if !more {
			return false
		}
		var segment []byte
		segment, path, more = bytes.Cut(path, []byte("/"))
		if want == "*" && len(segment) == 0 || want != "*" && string(segment) != want {
			return false
		}
	}
	return r.rest || !more
}
