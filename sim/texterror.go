package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// A TextError says what is wrong with a text such as a shape's, where, and what
// a good one looks like.
type TextError struct {
	What    string // what the text should be: traffic or instances
	Text    string // all of it
	Place   int    // where in Text the value stands, in bytes
	Field   string // which part of it is wrong, such as rate
	Value   string // as it was given
	Problem string // what is wrong with it
	Good    string // a good example
}

// Error is one line with everything in it.
func (e *TextError) Error() string {
	return fmt.Sprintf("aforo: %s %s: %s %s (at byte %d): %s; for example: %s",
		e.What, excerpt(e.Text), e.Field, excerpt(e.Value), e.Place, e.Problem, e.Good)
}

// excerpt quotes what somebody wrote if it is odd, and cuts it if it is long.
func excerpt(text string) string {
	const most = 80
	cut := text
	if len(cut) > most {
		cut = cut[:most]
	}
	odd := strings.IndexFunc(cut, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) >= 0
	if odd || cut == "" {
		cut = strconv.Quote(cut)
	}
	if len(text) > most {
		cut += fmt.Sprintf("... (%d bytes)", len(text))
	}
	return cut
}

// word is a part of a text and where it stands.
type word struct {
	text  string
	place int
}

// split finds the words of a text, which are separated by spaces, tabs and ends
// of lines.
func split(text string) (words []word) {
	const space = " \t\r\n"
	for i := 0; i < len(text); {
		if strings.IndexByte(space, text[i]) >= 0 {
			i++
			continue
		}
		end := i
		for end < len(text) && strings.IndexByte(space, text[end]) < 0 {
			end++
		}
		words = append(words, word{text[i:end], i})
		i = end
	}
	return words
}
