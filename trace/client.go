package trace

import "bytes"

// setHead reads what stands in front of the time stamp: the client, and around
// it the virtual host and the user. It reports whether there is a client.
func (e *Entry) setHead(head []byte) bool {
	first, kind, rest := cutField(head)
	if kind == noField {
		return false
	}
	host, client, rest := findClient(first, rest)
	e.Host, _ = cutPort(host)
	e.Client, _ = cutPort(client)
	e.User = findUser(rest)
	return true
}

// findClient returns the client, the virtual host if there is one, and what
// follows the client. These are the heads that are told apart:
//
//	192.0.2.1 ...                        the plain format
//	192.0.2.80:443 192.0.2.1 ...         a virtual host named by its address
//	www.example.com 192.0.2.1 ...        a virtual host, with or without a port
//	Oct 10 10:22:41 web1 nginx: 192.0.2.1 - -     the prefix of a log collector
//	www.example.com:80 client.example.net ...     host names were looked up
//	www.example.com client.example.net - -
//	client.example.net - -
//
// Of two plain addresses in a row the first is the client: the second is what a
// proxy, or the client itself, claims.
func findClient(first, afterFirst []byte) (host, client, rest []byte) {
	second, kind, afterSecond := cutField(afterFirst)
	_, port := cutPort(first)
	if kind == noField {
		return nil, first, nil
	}
	if isAddress(first) {
		if port && kind == bareField && isAddress(second) {
			return first, second, afterSecond
		}
		return nil, first, afterFirst
	}
	if isAddress(second) {
		return first, second, afterSecond
	}
	if field, after, found := findAddress(second, afterSecond); found {
		return nil, field, after
	}
	// The client is a host name. A virtual host in front of it makes four fields
	// of the three, or is given away by its port.
	n := 2 + countFields(afterSecond)
	if bytes.Equal(second, dash) && !(port && n == 4) || !port && n != 4 {
		return nil, first, afterFirst
	}
	return first, second, afterSecond
}

// findAddress returns the first address from field on, and what follows it. It
// ends at the field "-", as what comes after it is for the client to choose.
func findAddress(field, rest []byte) (addr, after []byte, found bool) {
	for len(field) > 0 && !bytes.Equal(field, dash) {
		if isAddress(field) {
			return field, rest, true
		}
		field, _, rest = cutField(rest)
	}
	return nil, nil, false
}

// findUser returns the user in what stands between client and time stamp:
// after the ident field, which some formats do not have. The name may have
// spaces. If there are more fields than these two, the last one is the user if
// it is "-"; otherwise they cannot be told from a name with spaces.
func findUser(s []byte) []byte {
	field, kind, rest := cutField(s)
	for kind == bracketedField { // a forwarded address: 192.0.2.1 [203.0.113.7] - -
		field, kind, rest = cutField(rest)
	}
	rest = bytes.TrimSpace(rest)
	if len(rest) == 0 {
		return field
	}
	if bytes.HasSuffix(rest, []byte(" -")) {
		return dash
	}
	if field, kind, after := cutField(rest); kind == quotedField && len(after) == 0 {
		return field // Apache logs a user with an empty name as ""
	}
	return rest
}

// countFields returns the number of fields of s.
func countFields(s []byte) int {
	n := 0
	for _, kind, rest := cutField(s); kind != noField; _, kind, rest = cutField(rest) {
		n++
	}
	return n
}

// cutPort returns the address or host name in s, and whether s also has a port.
// Of a list such as "203.0.113.7, 192.0.2.1", a forwarded address with the
// proxies it came through, it returns the first.
func cutPort(s []byte) (host []byte, port bool) {
	if i := bytes.IndexByte(s, ','); i > 0 {
		s = s[:i]
	}
	if len(s) > 2 && s[0] == '[' {
		if i := bytes.IndexByte(s, ']'); i > 1 {
			return s[1:i], i+1 < len(s) && s[i+1] == ':'
		}
	}
	i := bytes.IndexByte(s, ':')
	if i < 1 || i+1 == len(s) || number(s[i+1:]) < 0 {
		return s, false // a second colon, as in an IPv6 address, is not a digit
	}
	return s[:i], true
}

// isAddress reports whether s is an IP address, with or without a port.
func isAddress(s []byte) bool {
	host, _ := cutPort(s)
	return isIPv4(host) || looksLikeIPv6(host)
}

// isIPv4 reports whether s is an IPv4 address, by the rules of package netip:
// four numbers from 0 to 255 without leading zeros.
func isIPv4(s []byte) bool {
	numbers, digits, value := 1, 0, 0
	for _, c := range s {
		switch {
		case c == '.' && digits > 0:
			numbers, digits, value = numbers+1, 0, 0
		case isDigit(c) && (digits == 0 || value > 0):
			digits, value = digits+1, value*10+int(c-'0')
			if value > 255 {
				return false
			}
		default:
			return false
		}
	}
	return numbers == 4 && digits > 0
}

// looksLikeIPv6 reports whether s has the characters of an IPv6 address, and
// the colons of a complete one, which a time such as 10:22:41 has not. It does
// not look at the groups: that is for the parser of package netip to do.
func looksLikeIPv6(s []byte) bool {
	colons, double, dots := 0, false, false
	for i, c := range s {
		switch {
		case c == ':':
			colons++
			double = double || i > 0 && s[i-1] == ':'
		case c == '.':
			dots = true
		case c == '%' && i > 0: // the rest is a zone
			return double || colons == 7
		case !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f'):
			return false
		}
	}
	return double || colons == 7 || colons == 6 && dots
}
