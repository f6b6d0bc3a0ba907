package trace

import (
	"bytes"
	"errors"
	"time"
)

var errNotNginxError = errors.New(`not a line of nginx's error log such as 2026/03/02 10:00:00 [error] 31#31: *46 limiting requests, excess: 5.428 by zone "login", client: 192.0.2.1`)

// limiting is what nginx says when limit_req or limit_conn has refused a
// request. When it only delayed one, or would have refused it but for a dry run,
// the line is of a request too.
var limiting = []struct {
	text    []byte
	refused bool
}{
	{[]byte("limiting requests, excess:"), true},
	{[]byte("limiting connections by zone"), true},
	{[]byte("limiting requests, dry run,"), false},
	{[]byte("delaying request"), false},
}

// parseNginxError reads the lines about limits in the error log of nginx; other
// lines of it are no requests.
func parseNginxError(line []byte, e *Entry, loc *time.Location) error {
	*e = Entry{}
	t, n := parseISO(line, loc)
	if n == 0 || !bytes.HasPrefix(line[n:], []byte(" [")) || line[4] != '/' {
		return errNotNginxError
	}
	for _, l := range limiting {
		if i := bytes.Index(line[n:], l.text); i >= 0 {
			rest := line[n+i+len(l.text):]
			e.Client = named(rest, ", client: ", ",")
			if len(e.Client) == 0 {
				return errNotNginxError
			}
			t.put(e)
			e.Refused = l.refused
			e.Method, e.Target = parseRequest(named(rest, `, request: "`, `"`))
			e.Host = named(rest, `, host: "`, `"`)
			e.Host, _ = cutPort(e.Host)
			e.Referer = named(rest, `, referrer: "`, `"`)
			return nil
		}
	}
	return errOther
}

// named is what stands in s between a name, and an end or the end of s.
func named(s []byte, name, end string) []byte {
	_, after, found := bytes.Cut(s, []byte(name))
	if !found {
		return nil
	}
	value, _, _ := bytes.Cut(after, []byte(end))
	return value
}
