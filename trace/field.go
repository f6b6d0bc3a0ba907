package trace

import "bytes"

// A fieldKind says how a field of a line is delimited.
type fieldKind int

const (
	noField        fieldKind = iota // the line is at its end
	bareField                       // up to the next space
	quotedField                     // "in quotes"; the quotes are not part of the field
	bracketedField                  // [in brackets], with what is attached, as in [::1]:80
)

// cutField returns the first field of s and what follows it.
func cutField(s []byte) (field []byte, kind fieldKind, rest []byte) {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	if len(s) == 0 {
		return nil, noField, nil
	}
	switch s[0] {
	case '"':
		field, rest = cutQuoted(s[1:])
		return field, quotedField, rest
	case '[':
		n := bracketedLen(s)
		return s[:n], bracketedField, s[n:]
	}
	n := bareLen(s)
	return s[:n], bareField, s[n:]
}

// cutQuoted splits s after its first quote that is not escaped with a
// backslash. A line that was cut short lacks it, and is then all field.
func cutQuoted(s []byte) (field, rest []byte) {
	for start := 0; ; {
		i := bytes.IndexByte(s[start:], '"')
		if i < 0 {
			return s, nil
		}
		i += start
		if !endsInEscape(s[start:i]) {
			return s[:i], s[i+1:]
		}
		start = i + 1
	}
}

// endsInEscape reports whether s ends in a backslash that escapes what comes
// next: an odd number of them, as two are an escaped backslash.
func endsInEscape(s []byte) bool {
	n := len(s)
	for n > 0 && s[n-1] == '\\' {
		n--
	}
	return (len(s)-n)%2 == 1
}

// bracketedLen returns the length of the field at the start of s, which is an
// opening bracket. The field may have spaces up to its closing bracket. One
// that is not closed before the next opens is a torn piece of a line, and must
// not swallow the time stamp that follows.
func bracketedLen(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '[':
			return i
		case ']':
			return i + bareLen(s[i:])
		}
	}
	return bareLen(s)
}

// bareLen returns the number of bytes in front of the first space in s.
func bareLen(s []byte) int {
	for i, c := range s {
		if isSpace(c) {
			return i
		}
	}
	return len(s)
}
