package trace

import (
	"bytes"
	"errors"
	"time"
)

// The reasons for which a line is not a request.
var (
	// ErrNoTime is the error for a line without a time stamp that can be read.
	ErrNoTime = errors.New("no readable time stamp such as [17/May/2015:10:05:03 +0000]")

	// ErrNoClient is the error for a line with nothing in front of its time.
	ErrNoClient = errors.New("no client in front of the time stamp")

	// ErrErrorLog is the error for a line of a server's error log.
	ErrErrorLog = errors.New("a line of an error log, not of an access log")
)

// dash stands for a value that is not known, as it does in the logs.
var dash = []byte("-")

// ParseCombined reads one line of the common or the combined log format of
// Apache and nginx into e, whose fields then share the memory of line. The line
// has no line ending. A nil loc means UTC; loc is used for time stamps without
// an offset only, and one that loc has twice, as in the hour a clock is set
// back, or not at all, is resolved the way [time.Date] does.
//
// The line has this shape, where everything but client and time may be missing:
//
//	host:port client ident user [time] "request" status size "referer" "agent" ...
//
// The error is [ErrNoTime], [ErrNoClient] or [ErrErrorLog], and e is then of no
// use. The function keeps no state and may be called concurrently.
func ParseCombined(line []byte, e *Entry, loc *time.Location) error {
	*e = Entry{}
	// A log that was truncated under a running server starts with a hole,
	// which reads as NUL bytes in front of the first line written afterwards.
	line = bytes.TrimLeft(line, "\x00")

	head, rest, t, ok := splitAtTime(line, loc)
	if !ok {
		if isErrorLog(line) {
			return ErrErrorLog
		}
		return ErrNoTime
	}
	t.put(e)
	if !e.setHead(head) {
		return ErrNoClient
	}
	e.setTail(rest)
	return nil
}

// splitAtTime returns the parts of line before and after its time stamp, and
// the time. A time stamp stands outside of quotes. The last one in front of the
// request counts: the user name in front of the true one is the client's
// choice, and may look like a time stamp, but cannot have an unescaped quote.
func splitAtTime(line []byte, loc *time.Location) (head, rest []byte, t stamp, ok bool) {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case isSpace(c):
			i++
			continue
		case c == '"' && ok:
			return head, rest, t, ok
		case c == '[':
			if s, n := parseStamp(line[i:], loc); n > 0 {
				head, rest, t, ok = line[:i], line[i+n:], s, true
				i += n
				continue
			}
		}
		_, _, after := cutField(line[i:])
		i = len(line) - len(after)
	}
	return head, rest, t, ok
}

// setTail reads what follows the time stamp: request, status, size, referer
// and user agent. Nothing of it is required, so nothing of it is an error.
func (e *Entry) setTail(rest []byte) {
	field, kind, rest := cutField(rest)
	for kind != noField && kind != quotedField {
		field, kind, rest = cutField(rest)
	}
	e.Method, e.Target = parseRequest(field)

	field, kind, rest = cutField(rest)
	if kind == bareField {
		e.Status = parseStatus(field)
	}
	// The size, and whatever else a format has in front of the referer.
	for kind != noField && kind != quotedField {
		field, kind, rest = cutField(rest)
	}
	e.Referer = field
	if field, kind, _ = cutField(rest); kind == quotedField {
		e.UserAgent = field
	}
}

// parseRequest splits a request line such as "GET /index.html HTTP/1.1". What
// clients send instead of one is the target as it stands.
func parseRequest(req []byte) (method, target []byte) {
	i := bytes.IndexByte(req, ' ')
	if i < 0 || !isMethod(req[:i]) {
		return dash, req
	}
	method, target = req[:i], bytes.TrimRight(req[i+1:], " ")
	if j := bytes.LastIndexByte(target, ' '); j >= 0 && bytes.HasPrefix(target[j+1:], []byte("HTTP/")) {
		return method, target[:j]
	}
	// Without a protocol this is HTTP/0.9, if it is HTTP at all; spaces in the
	// target, which are common in attacks, are then part of it.
	if bytes.HasPrefix(target, []byte("/")) || bytes.HasPrefix(target, []byte("http")) {
		return method, target
	}
	return dash, req
}

// isMethod reports whether s can be the name of an HTTP method. The names in
// use are of letters and hyphens, far fewer bytes than the standard allows.
func isMethod(s []byte) bool {
	for _, c := range s {
		if lower := c | 0x20; (lower < 'a' || lower > 'z') && c != '-' && c != '_' {
			return false
		}
	}
	return len(s) > 0
}

// parseStatus returns the value of a status code, or 0 if s is not one.
func parseStatus(s []byte) int {
	if len(s) != 3 {
		return 0
	}
	return max(number(s), 0)
}

// isErrorLog reports whether line starts like one of an nginx error log,
// "2021/12/01 13:53:33 [error]", or of an Apache one,
// "[Fri Sep 09 10:42:29.902022 2011] [core:error]".
func isErrorLog(line []byte) bool {
	if n := len("2021/12/01 13:53:33 ["); len(line) > n {
		date, clock := line[:10], line[11:19]
		if date[4] == '/' && date[7] == '/' && clock[2] == ':' && clock[5] == ':' &&
			line[n-1] == '[' && isLetter(line[n]) {
			return true
		}
	}
	if len(line) < 5 || line[0] != '[' || !isLetter(line[1]) || line[4] != ' ' {
		return false
	}
	_, after, found := bytes.Cut(line, []byte("] ["))
	return found && len(after) > 0 && isLetter(after[0])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }
