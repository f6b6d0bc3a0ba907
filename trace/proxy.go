package trace

import (
	"bytes"
	"errors"
	"time"
)

// Errors of lines of proxies.
var (
	errNotHAProxy = errors.New("not a line of HAProxy's HTTP log such as 192.0.2.1:33317 [02/Mar/2026:10:00:00.655] www app/a1 10/0/30/69/109 200 2750")
	errNotEnvoy   = errors.New(`not a line of Envoy's default format such as [2026-03-02T10:00:00.310Z] "GET / HTTP/2" 200 - 0 512 30 25 "192.0.2.1"`)
)

// parseHAProxy reads a line of HAProxy's HTTP log, with or without what syslog
// puts in front:
//
//	client:port [accept_date] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes
//	cookie cookie termination counts queue {headers} {headers} "request"
//
// A connection without a request, such as one of which the TLS handshake failed,
// has words in place of the server; it is no request.
func parseHAProxy(line []byte, e *Entry, loc *time.Location) error {
	*e = Entry{}
	i := bytes.Index(line, []byte(" ["))
	for i >= 0 { // the process ID of syslog is in brackets too
		t, n := parseStamp(line[i+1:], loc)
		if n > 0 {
			t.put(e)
			return e.setHAProxy(line[:i], line[i+1+n:])
		}
		next := bytes.Index(line[i+1:], []byte(" ["))
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return errNotHAProxy
}

func (e *Entry) setHAProxy(head, rest []byte) error {
	client := head[bytes.LastIndexByte(head, ' ')+1:]
	address, port := cutPort(client)
	if !port || !isAddress(client) {
		if address, port = cutLastColon(client); !port { // IPv6 without brackets
			return errNotHAProxy
		}
	}
	e.Client = address
	frontend, kind, rest := cutField(rest)
	server, _, rest := cutField(rest)
	if kind != bareField {
		return errNotHAProxy
	}
	if frontend[len(frontend)-1] == ':' {
		return errOther
	}
	timers, _, rest := cutField(rest)
	status, _, rest := cutField(rest)
	if bytes.IndexByte(server, '/') < 0 || bytes.Count(timers, []byte("/")) != 4 {
		return errNotHAProxy
	}
	e.Status = parseStatus(status)
	if i := bytes.LastIndexByte(rest, '"'); i > 0 {
		if j := bytes.IndexByte(rest, '"'); j < i {
			e.Method, e.Target = parseRequest(rest[j+1 : i])
		} else { // cut short
			e.Method, e.Target = parseRequest(rest[i+1:])
		}
	}
	return nil
}

// cutLastColon splits 2001:db8::1:443 into address and port.
func cutLastColon(s []byte) (address []byte, ok bool) {
	i := bytes.LastIndexByte(s, ':')
	return s[:max(i, 0)], i > 0 && i+1 < len(s) && number(s[i+1:]) >= 0 && looksLikeIPv6(s[:i])
}

// parseEnvoy reads a line of the default format of Envoy, or of Istio's, which
// has more fields:
//
//	[start_time] "method path protocol" status flags received sent duration
//	upstream_time "x-forwarded-for" "user-agent" "request-id" "authority"
//	"upstream"
//
// The client is the first address of X-Forwarded-For, which is what the format
// has of it, or if that is not known, the address of the connection in Istio's.
func parseEnvoy(line []byte, e *Entry, _ *time.Location) error {
	*e = Entry{}
	if len(line) == 0 || line[0] != '[' {
		return errNotEnvoy
	}
	t, n := parseISO(line[1:], nil)
	if n == 0 || n+1 >= len(line) || line[n+1] != ']' {
		return errNotEnvoy
	}
	request, kind, rest := cutField(line[n+2:])
	if kind != quotedField {
		return errNotEnvoy
	}
	t.put(e)
	e.Method, e.Target = parseRequest(request)
	status, _, rest := cutField(rest)
	e.Status = parseStatus(status)

	quoted, remote, ok := envoyQuoted(rest)
	if !ok {
		return errNotEnvoy
	}
	client := quoted[0]
	if bytes.Equal(client, dash) && isAddress(remote) {
		client = remote
	}
	if e.Client, _ = cutPort(client); len(e.Client) == 0 {
		e.Client = dash
	}
	e.UserAgent = quoted[1]
	e.Host, _ = cutPort(quoted[3])
	return nil
}

// envoyQuoted finds the five values in quotes behind the status, from
// X-Forwarded-For on. Istio's lines have one more in front of them, why the
// upstream failed, and behind them, at the fourth place, the address of the
// connection.
func envoyQuoted(rest []byte) (quoted [5][]byte, remote []byte, ok bool) {
	found := 0
	for {
		field, kind, after := cutField(rest)
		if kind == noField || found >= len(quoted) && kind != quotedField {
			break
		}
		if rest = after; kind != quotedField {
			continue
		}
		if found == len(quoted) { // the sixth: the first does not belong to them
			copy(quoted[:], quoted[1:])
			quoted[len(quoted)-1] = field
			for range 4 {
				remote, _, rest = cutField(rest)
			}
			return quoted, remote, true
		}
		quoted[found] = field
		found++
	}
	return quoted, nil, found == len(quoted)
}
