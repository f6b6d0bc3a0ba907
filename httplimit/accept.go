package httplimit

import (
	"mime"
	"strconv"
	"strings"
)

// The media ranges that match what is written here, the most specific first:
// its quality is the one that counts (RFC 9110, section 12.5.1). Clients that
// ask for any JSON mean problem details too.
var (
	jsonRanges = []string{"application/problem+json", "application/json", "application/*", "*/*"}
	textRanges = []string{"text/plain", "text/*", "*/*"}
)

// maxAccept bounds what reading an Accept field costs, in bytes. Those of
// browsers have some 150.
const maxAccept = 1024

// prefersText tells whether a client's Accept fields prefer text/plain to
// JSON. A tie is JSON, as is a field that is missing, too long or malformed.
func prefersText(accept []string) bool {
	if len(accept) == 0 {
		return false
	}
	qualities, ok := parseAccept(strings.Join(accept, ","))
	return ok && quality(qualities, textRanges) > quality(qualities, jsonRanges)
}

// quality is that of the first range that is there, 0 if none is.
func quality(qualities map[string]int, ranges []string) int {
	for _, r := range ranges {
		if q, ok := qualities[r]; ok {
			return q
		}
	}
	return 0
}

// parseAccept reads the quality of each media range, in thousandths. Ranges
// that differ only in other parameters are one, with the highest of theirs.
func parseAccept(list string) (qualities map[string]int, ok bool) {
	if len(list) > maxAccept {
		return nil, false
	}
	qualities = make(map[string]int)
	for list != "" {
		var element string
		if element, list = cutElement(list); strings.Trim(element, " \t") == "" {
			continue // lists may have empty elements
		}
		mediaRange, parameters, err := mime.ParseMediaType(element)
		if err != nil || !strings.Contains(mediaRange, "/") {
			return nil, false
		}
		q := 1000
		if text, weighed := parameters["q"]; weighed {
			if q, ok = parseQuality(text); !ok {
				return nil, false
			}
		}
		qualities[mediaRange] = max(q, qualities[mediaRange])
	}
	return qualities, true
}

// cutElement cuts a list at its first comma that is not within quotes.
func cutElement(list string) (element, rest string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// parseQuality reads a qvalue (RFC 9110, section 12.4.2), from 0 to 1 with at
// most three decimals, in thousandths.
func parseQuality(text string) (thousandths int, ok bool) {
	whole, decimals, _ := strings.Cut(text, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+(decimals + "000")[:3], 10, 16)
	return int(n), err == nil && n <= 1000
}
