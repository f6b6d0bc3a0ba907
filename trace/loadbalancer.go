package trace

import (
	"bytes"
	"errors"
	"time"
)

// Errors of lines of load balancers and stores of Amazon.
var (
	errNotALB = errors.New("not a line of an Application Load Balancer such as http 2026-03-02T10:00:00.186641Z app/web/50dc6c495c0c9188 192.0.2.1:2817")
	errNotELB = errors.New("not a line of a Classic Load Balancer such as 2026-03-02T10:00:00.186641Z web 192.0.2.1:2817")
	errNotS3  = errors.New("not a line of S3's server access log such as 79a59df9 bucket [02/Mar/2026:10:00:00 +0000] 192.0.2.1")
)

// parseALB reads a line of an Application Load Balancer:
//
//	type time elb client:port target:port request_processing_time
//	target_processing_time response_processing_time elb_status_code
//	target_status_code received_bytes sent_bytes "request" "user_agent" ssl_cipher
//	ssl_protocol target_group_arn "trace_id" "domain_name" "chosen_cert_arn"
//	matched_rule_priority request_creation_time ...
//
// Its time is that of the answer; the request was created at the last of these,
// or if there is none, the three processing times before.
func parseALB(line []byte, e *Entry, _ *time.Location) error {
	*e = Entry{}
	kind, _, rest := cutField(line)
	switch string(kind) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
	default:
		return errNotALB
	}
	text, _, rest := cutField(rest)
	answered, ok := parseTime(text, nil)
	_, _, rest = cutField(rest)
	client, _, rest := cutField(rest)
	_, _, rest = cutField(rest)
	if !ok || !isAddress(client) || len(rest) == 0 {
		return errNotALB
	}
	e.Client, _ = cutPort(client)
	took := int64(0) // microseconds
	for range 3 {
		text, _, rest = cutField(rest)
		if micros, ok := parseDecimal(text, 6); ok && micros > 0 {
			took += micros
		}
	}
	rest = e.setBalanced(rest)
	for range 4 { // cipher, protocol, target group, trace
		_, _, rest = cutField(rest)
	}
	if domain, _, _ := cutField(rest); len(domain) > 0 && !bytes.Equal(domain, dash) {
		e.Host = domain
	}
	for range 3 {
		_, _, rest = cutField(rest)
	}
	e.Time = answered.micros - took
	if text, _, _ = cutField(rest); len(text) > 0 {
		if created, ok := parseTime(text, nil); ok {
			e.Time = created.micros
		}
	}
	return nil
}

// parseELB reads a line of a Classic Load Balancer, whose time is that of the
// request:
//
//	time elb client:port backend:port request_processing_time
//	backend_processing_time response_processing_time elb_status_code
//	backend_status_code received_bytes sent_bytes "request" "user_agent" ...
func parseELB(line []byte, e *Entry, _ *time.Location) error {
	*e = Entry{}
	text, _, rest := cutField(line)
	received, n := parseISO(text, nil)
	_, _, rest = cutField(rest)
	client, _, rest := cutField(rest)
	backend, kind, rest := cutField(rest)
	if n == 0 || n != len(text) || received.noZone || !isAddress(client) ||
		kind != bareField || !isAddress(backend) && !bytes.Equal(backend, dash) {
		return errNotELB
	}
	received.put(e)
	e.Client, _ = cutPort(client)
	for range 3 {
		_, _, rest = cutField(rest)
	}
	e.setBalanced(rest)
	return nil
}

// setBalanced reads what both have: two status codes, the first of which is the
// balancer's, two counts of bytes, request and user agent. It returns what
// follows.
func (e *Entry) setBalanced(rest []byte) []byte {
	status, _, rest := cutField(rest)
	e.Status = parseStatus(status)
	for range 3 {
		_, _, rest = cutField(rest)
	}
	request, _, rest := cutField(rest)
	e.Method, e.Target = parseRequest(request)
	e.Host, e.Target = splitURL(e.Target)
	e.UserAgent, _, rest = cutField(rest)
	return rest
}

// splitURL splits https://www.example.com:443/index.html into the host without
// its port, and the rest. What is no such URL is all rest.
func splitURL(url []byte) (host, rest []byte) {
	_, after, ok := bytes.Cut(url, []byte("://"))
	if !ok || !bytes.HasPrefix(url, []byte("http")) && !bytes.HasPrefix(url, []byte("ws")) {
		return nil, url
	}
	i := bytes.IndexByte(after, '/')
	if i < 0 {
		return nil, url
	}
	host, _ = cutPort(after[:i])
	return host, after[i:]
}

// parseS3 reads a line of the server access log of S3:
//
//	owner bucket [time] remote_ip requester request_id operation key "request"
//	status error_code bytes size total_time turn_around_time "referer"
//	"user_agent" ...
func parseS3(line []byte, e *Entry, loc *time.Location) error {
	*e = Entry{}
	_, kind1, rest := cutField(line)
	bucket, kind2, rest := cutField(rest)
	rest = bytes.TrimLeft(rest, " ")
	t, n := parseStamp(rest, loc)
	if kind1 != bareField || kind2 != bareField || n == 0 {
		return errNotS3
	}
	client, kind, rest := cutField(rest[n:])
	requester, _, rest := cutField(rest)
	if kind != bareField || !isAddress(client) && !bytes.Equal(client, dash) || len(requester) == 0 {
		return errNotS3
	}
	t.put(e)
	e.Host, e.Client, e.User = bucket, client, requester
	for range 3 { // request ID, operation, key
		_, _, rest = cutField(rest)
	}
	request, kind, rest := cutField(rest)
	if kind == quotedField {
		e.Method, e.Target = parseRequest(request)
	}
	status, _, rest := cutField(rest)
	e.Status = parseStatus(status)
	for range 5 {
		_, _, rest = cutField(rest)
	}
	e.Referer, _, rest = cutField(rest)
	e.UserAgent, _, _ = cutField(rest)
	return nil
}
