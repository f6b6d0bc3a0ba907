package trace

import (
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	routes, err := ParseRoutes([]string{"/users/me", "/users/*", "/api/:version/items/{id}", "/static/**", "/"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/users/me":        "/users/me",
		"/users/17":        "/users/*",
		"/users/caf\xe9":   "/users/*",
		"/users/":          "/users/",
		"/users":           "/users",
		"/users/17/":       "/users/17/",
		"/users/17/posts":  "/users/17/posts",
		"/api/v1/items/7":  "/api/:version/items/{id}",
		"/api/v1/items":    "/api/v1/items",
		"/api/v1/things/7": "/api/v1/things/7",
		"/static":          "/static/**",
		"/static/":         "/static/**",
		"/static/a/b.css":  "/static/**",
		"/statics":         "/statics",
		"/":                "/",
		"":                 "",
		"*":                "*",
		"x/users/17":       "x/users/17",
	} {
		if got := routes.Match([]byte(path)); string(got) != want {
			t.Errorf("%s matches %s, want %s", path, got, want)
		}
	}
	if got := (Routes{}).Match([]byte("/a")); string(got) != "/a" {
		t.Errorf("no routes match %s", got)
	}
}

// TestRouteOfEverything: /** is a route too.
func TestRouteOfEverything(t *testing.T) {
	routes, err := ParseRoutes([]string{"/**"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/a", "/a/b/"} {
		if got := routes.Match([]byte(path)); string(got) != "/**" {
			t.Errorf("%s matches %s", path, got)
		}
	}
}

func TestParseRoutesErrors(t *testing.T) {
	for _, text := range []string{"", "users/*", "/users*", "/**/users", "/a**"} {
		if _, err := ParseRoutes([]string{"/good", text}); err == nil || !strings.Contains(err.Error(), "for example: /users/*") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func TestKeyWithRoutes(t *testing.T) {
	k, err := ParseKey("ip+path")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := ParseRoutes([]string{"/users/*"})
	if err != nil {
		t.Fatal(err)
	}
	routed := k.WithRoutes(routes)
	e := &Entry{Client: []byte("192.0.2.1"), Target: []byte("/users/17?full=1")}
	if got, _ := routed.Append(nil, e); string(got) != "192.0.2.1|/users/*" {
		t.Errorf("key %s", got)
	}
	if got, _ := k.Append(nil, e); string(got) != "192.0.2.1|/users/17" {
		t.Errorf("the key itself has changed: %s", got)
	}
	if routed.String() != "ip+path" || !routed.Has("path") || routed.Has("user") {
		t.Errorf("key %s", routed)
	}
}
