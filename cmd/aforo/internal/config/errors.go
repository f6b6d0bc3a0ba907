package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An Error is everything that is wrong with a file, in the file's order.
type Error struct {
	Problems []*Problem
}

// Error is a line or more for each problem.
func (e *Error) Error() string {
	all := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = p.Error()
	}
	return strings.Join(all, "\n")
}

// Unwrap is the problems one by one.
func (e *Error) Unwrap() []error {
	all := make([]error, len(e.Problems))
	for i, p := range e.Problems {
		all[i] = p
	}
	return all
}

// A Problem is one thing that is wrong with a file.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Field   string `json:"field,omitempty"`
	Message string `json:"message"` // with the value and a good example
	Excerpt string `json:"excerpt"` // the line
}

// Error is a line that says where and what, and then the line of the file with
// a mark under the place.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Column)
	if p.Field != "" {
		fmt.Fprintf(&b, "%s: ", p.Field)
	}
	b.WriteString(p.Message)
	if p.Excerpt != "" {
		shown, mark := window(p.Excerpt, p.Column)
		number := fmt.Sprintf("%5d | ", p.Line)
		fmt.Fprintf(&b, "\n%s%s\n%s^", number, shown, strings.Repeat(" ", len(number)+mark))
	}
	return b.String()
}

// window is the part of a long line around a column, safe to print, and where
// the column is in it.
func window(line string, column int) (shown string, mark int) {
	const before, width = 60, 100
	runes := []rune(line)
	mark = min(max(column-1, 0), len(runes))
	start := max(0, mark-before)
	runes = runes[start:min(len(runes), start+width)]
	for i, r := range runes {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || r == utf8.RuneError {
			runes[i] = '.' // also tabs: the mark stands under the right place
		}
	}
	return string(runes), mark - start
}

// lineOf is the line of data with a number, from 1, without its end.
func lineOf(data []byte, number int) string {
	rest := string(data)
	for ; number > 1; number-- {
		_, after, found := strings.Cut(rest, "\n")
		if !found {
			return ""
		}
		rest = after
	}
	line, _, _ := strings.Cut(rest, "\n")
	const most = 4096 // a line may be the whole file
	if len(line) > most {
		line = line[:most]
	}
	return strings.TrimSuffix(line, "\r")
}
