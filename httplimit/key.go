package httplimit

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// A KeyFunc says whose request it is. The key may be any bytes; equal keys
// share a limit, and they are equal byte by byte: nothing is normalized, and
// the empty key is one like any other. It returns false if the request does not
// say; then WithMissing applies. It is called concurrently.
//
// The limiter gets the key as it is, but for one that begins with a zero byte:
// that gets another in front, since such keys are those of FallBack and Share.
type KeyFunc func(r *http.Request) (key string, ok bool)

// PeerIP keys requests by the address of the socket's peer, r.RemoteAddr, and
// by nothing else: no header can change it. Behind a proxy that is the address
// of the proxy.
//
// The key of an IPv4 address is the address, as in 192.0.2.1; also of one that
// is mapped into IPv6. The key of an IPv6 address is its /64, as in
// 2001:db8:1:2::/64: a single link is that large (RFC 4291, section 2.5.1), and
// who sits on it may take any address there. Ports and zones do not count. All
// peers without an address, such as those of a Unix socket, share the key
// "none". It always returns true.
func PeerIP(r *http.Request) (key string, ok bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := peer.Addr()
	if err != nil { // some handlers leave only the address
		if addr, err = netip.ParseAddr(r.RemoteAddr); err != nil {
			return "none", true
		}
	}
	// All of IPv4 lies within one /64 of IPv6: so unmap first.
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String(), true
	}
	return netip.PrefixFrom(addr, 64).Masked().String(), true
}

// Header keys requests by the value of a header field, byte by byte. A field
// that is missing or empty is no key; nor is one that stands more than once
// with different values, or else who owns a key could make new ones of it by
// adding values, while the handler goes on to read the first. For Host it is
// the request's host.
//
// It panics if the name is not that of a header field (RFC 9110, section 5.1).
func Header(name string) KeyFunc {
	if !isToken(name) {
		panic("httplimit: Header: " + strconv.Quote(name) + " is not the name of a header field; for example: X-Api-Key")
	}
	name = http.CanonicalHeaderKey(name)
	if name == "Host" { // which net/http takes out of the header
		return func(r *http.Request) (string, bool) { return r.Host, r.Host != "" }
	}
	return func(r *http.Request) (string, bool) {
		values := r.Header[name]
		if len(values) == 0 || !allEqual(values) {
			return "", false
		}
		return values[0], values[0] != ""
	}
}

func allEqual(values []string) bool {
	for _, value := range values[1:] {
		if value != values[0] {
			return false
		}
	}
	return true
}

// isToken tells whether text is a token of RFC 9110, section 5.6.2.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		alnum := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !alnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return text != ""
}

// A Missing is what becomes of a request that has no key: FallBack, Share,
// Refuse or Skip. The zero Missing is FallBack().
type Missing struct {
	kind missingKind
	what string
}

type missingKind uint8

const (
	fallBack missingKind = iota
	share
	refuse
	skip
)

// FallBack limits a request without a key by its peer, as PeerIP does, apart
// from all keys that a KeyFunc gives. To the limiter its key is that of PeerIP
// after "\x00peer ".
func FallBack() Missing { return Missing{kind: fallBack} }

// Share limits all requests without a key together: one client that sends many
// of them uses up what all have. To the limiter their key is "\x00shared".
func Share() Missing { return Missing{kind: share} }

// Refuse answers a request without a key with 400 Bad Request. The client is
// told what is missing, such as "header X-Api-Key". It panics if that is empty.
func Refuse(what string) Missing {
	if what == "" {
		panic(`httplimit: Refuse: it does not say what is missing; for example: httplimit.Refuse("header X-Api-Key")`)
	}
	return Missing{kind: refuse, what: what}
}

// Skip lets a request without a key pass, unlimited.
func Skip() Missing { return Missing{kind: skip} }

// own begins the keys that are made here, for requests that have none. HTTP
// allows no such byte in a header field.
const own = "\x00"

// key is the key of a request that has none.
func (m Missing) key(r *http.Request) string {
	if m.kind == share {
		return own + "shared"
	}
	peer, _ := PeerIP(r)
	return own + "peer " + peer
}

// apart keeps the keys that a KeyFunc gives apart from those made here,
// whatever bytes they are: one more byte in front, of those that need it.
func apart(key string) string {
	if strings.HasPrefix(key, own) {
		return own + key
	}
	return key
}
