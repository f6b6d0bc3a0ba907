package trace

import (
	"bytes"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// A Key says what of a request a limit counts under, such as the address of
// the client. It is immutable and may be used concurrently. The zero Key has no
// parts, and gives every request the same, empty key.
type Key struct {
	parts  []keyPart
	routes Routes
}

// WithRoutes returns the key with paths replaced by the routes that match them.
func (k Key) WithRoutes(routes Routes) Key {
	k.routes = routes
	return k
}

// Has reports whether the key has a part of a name, such as "path".
func (k Key) Has(name string) bool {
	for _, p := range k.parts {
		if p.name == name {
			return true
		}
	}
	return false
}

// A keyPart is one value of a key. Its append function adds the value in the
// entry to dst, or nothing or "-" if it is missing.
type keyPart struct {
	name   string
	append func(dst []byte, e *Entry, r Routes) []byte
}

// keyParts are the parts there are, by their canonical names.
var keyParts = []keyPart{
	{"ip", func(dst []byte, e *Entry, _ Routes) []byte { return appendIP(dst, e.Client) }},
	{"user", func(dst []byte, e *Entry, _ Routes) []byte { return append(dst, e.User...) }},
	{"host", func(dst []byte, e *Entry, _ Routes) []byte { return append(dst, e.Host...) }},
	{"path", func(dst []byte, e *Entry, r Routes) []byte { return append(dst, r.Match(pathOf(e.Target))...) }},
	{"method", func(dst []byte, e *Entry, _ Routes) []byte { return append(dst, e.Method...) }},
	{"status", func(dst []byte, e *Entry, _ Routes) []byte { return appendStatus(dst, e.Status) }},
	{"header User-Agent", func(dst []byte, e *Entry, _ Routes) []byte { return append(dst, e.UserAgent...) }},
	{"header Referer", func(dst []byte, e *Entry, _ Routes) []byte { return append(dst, e.Referer...) }},
}

// ParseKey reads the description of a key. It is one of
//
//	ip                  the client: an IPv4 address, the /64 of an IPv6 address,
//	                    or the text in the log if it is not an address
//	user                the authenticated user
//	host                the virtual host
//	path                the target of the request without its query string
//	method              the method of the request
//	status              the status code of the answer
//	header User-Agent   a header, by its name in any case; combined logs carry
//	header Referer      these two; a colon may stand for the space
//
// or several of them joined by plus signs, such as "ip+path". Spaces around
// them do not matter. The error says which part is wrong and what is right.
func ParseKey(text string) (Key, error) {
	var k Key
	for i, name := range strings.Split(text, "+") {
		part, err := parseKeyPart(strings.TrimSpace(name))
		if err != nil {
			return Key{}, fmt.Errorf("key %q, part %d: %w", text, i+1, err)
		}
		for _, earlier := range k.parts {
			if earlier.name == part.name {
				return Key{}, fmt.Errorf(`key %q, part %d: %q stands there twice; name each part once, for example "ip+path"`, text, i+1, part.name)
			}
		}
		k.parts = append(k.parts, part)
	}
	return k, nil
}

// parseKeyPart finds the part with the given name.
func parseKeyPart(name string) (keyPart, error) {
	header, isHeader := cutHeader(name)
	if isHeader {
		name = "header " + header
	}
	var known []string
	for _, p := range keyParts {
		if p.name == name || isHeader && strings.EqualFold(p.name, name) {
			return p, nil
		}
		known = append(known, p.name)
	}
	switch {
	case header != "":
		return keyPart{}, fmt.Errorf(`no header %q in the log: combined logs carry just User-Agent and Referer, for example "header User-Agent"`, header)
	case isHeader:
		return keyPart{}, fmt.Errorf(`"header" lacks the name of a header, for example "header User-Agent"`)
	case name == "":
		return keyPart{}, fmt.Errorf(`empty; a key is for example "ip" or "ip+path"`)
	}
	return keyPart{}, fmt.Errorf(`%q is unknown; known are %s, for example "ip+path"`, name, strings.Join(known, ", "))
}

// cutHeader returns the name of the header in "header User-Agent" or
// "header:User-Agent".
func cutHeader(name string) (header string, ok bool) {
	header, ok = strings.CutPrefix(name, "header")
	if !ok || header != "" && !strings.ContainsAny(header[:1], " \t:") {
		return "", false
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(header), ":")), true
}

// String returns the description of the key in its canonical form, which
// [ParseKey] reads.
func (k Key) String() string {
	names := make([]string, len(k.parts))
	for i, p := range k.parts {
		names[i] = p.name
	}
	return strings.Join(names, "+")
}

// Append appends the key of e to dst and returns the extended buffer. A value
// that is missing from the log, or "-" there, is "-" in the key, and complete
// is then false.
//
// The values of a key of several parts are separated by '|'. A backslash stands
// in front of each '|' and each backslash within them, so that different
// values never make equal keys.
func (k Key) Append(dst []byte, e *Entry) (key []byte, complete bool) {
	complete = true
	for i, p := range k.parts {
		if i > 0 {
			dst = append(dst, '|')
		}
		start := len(dst)
		dst = p.append(dst, e, k.routes)
		switch value := dst[start:]; {
		case len(value) == 0 || bytes.Equal(value, dash):
			dst = append(dst[:start], '-')
			complete = false
		case len(k.parts) > 1 && bytes.ContainsAny(value, `|\`):
			dst = appendEscaped(dst[:start], string(value))
		}
	}
	return dst, complete
}

// appendEscaped appends value with each '|' and '\' escaped.
func appendEscaped(dst []byte, value string) []byte {
	for i := range len(value) {
		if value[i] == '|' || value[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, value[i])
	}
	return dst
}

// appendIP appends the key of a client. One client has the whole /64 of an IPv6
// address at its disposal, so counting under single addresses would not limit
// it. An IPv4 address mapped into IPv6 must be unmapped first: all of IPv4 is
// in a single /64 there.
func appendIP(dst, client []byte) []byte {
	if isIPv4(client) {
		return append(dst, client...)
	}
	unzoned, _, _ := bytes.Cut(client, []byte("%"))
	if !looksLikeIPv6(unzoned) {
		return append(dst, client...)
	}
	addr, err := netip.ParseAddr(string(unzoned))
	if err != nil {
		return append(dst, client...)
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return addr.AppendTo(dst)
	}
	return netip.PrefixFrom(addr, 64).Masked().AppendTo(dst)
}

// pathOf is a target without its query string.
func pathOf(target []byte) []byte {
	path, _, _ := bytes.Cut(target, []byte("?"))
	return path
}

func appendStatus(dst []byte, status int) []byte {
	if status == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(status), 10)
}
