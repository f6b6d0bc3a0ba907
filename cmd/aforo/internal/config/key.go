package config

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"
)

// A Key is what the keys of a policy are. The server is sent them as they are;
// that they are secrets decides whether they are ever shown.
type Key struct {
	kind string // ip, user, path, host, header or cookie; "" if nothing is known
	name string // of the header or the cookie
}

const goodKey = "header X-Api-Key"

// ParseKey reads what keys are: ip, user, path, host, header NAME or cookie NAME.
func ParseKey(text string) (Key, error) {
	kind, name, named := strings.Cut(strings.TrimSpace(text), " ")
	name = strings.TrimSpace(name)
	switch kind {
	case "ip", "user", "path", "host":
		if !named {
			return Key{kind: kind}, nil
		}
	case "header", "cookie":
		if isToken(name) {
			return Key{kind, name}, nil
		}
		return Key{}, fmt.Errorf("key %q has no good name after %s; for example: key: %s", text, kind, goodKey)
	}
	return Key{}, fmt.Errorf("key %q is unknown: there are ip, user, path, host, header NAME and cookie NAME; for example: key: %s", text, goodKey)
}

// isToken tells whether a name is one that headers and cookies may have.
func isToken(name string) bool {
	return name != "" && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") == ""
}

// String is the key as ParseKey reads it; "" if nothing is known.
func (k Key) String() string { return strings.TrimSpace(k.kind + " " + k.name) }

// Known tells whether the file says what the keys are.
func (k Key) Known() bool { return k.kind != "" }

// Secret tells whether who knows a key may do something with it: cookies, and
// headers that carry credentials.
func (k Key) Secret() bool {
	if k.kind != "header" {
		return k.kind == "cookie"
	}
	name := textproto.CanonicalMIMEHeaderKey(k.name)
	return slices.Contains([]string{"Authorization", "Proxy-Authorization", "Cookie"}, name) ||
		slices.ContainsFunc([]string{"Key", "Token", "Secret", "Auth", "Session", "Password"}, func(part string) bool { return strings.Contains(name, part) })
}
