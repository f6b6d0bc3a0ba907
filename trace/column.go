package trace

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A field is what of a request a column of JSON, CSV or W3C holds.
type field uint8

const (
	noColumn field = iota // nothing that matters
	timeField
	dateField // of W3C, which has it apart from the time
	clientField
	userField
	hostField
	methodField
	targetField
	queryField   // of W3C, which has it apart from the path
	requestField // a whole request line
	statusField
	refererField
	agentField
	messageField // a line within the line
	fieldCount
)

// fieldNames are those that people may use for fields.
var fieldNames = map[string]field{
	"time": timeField, "client": clientField, "ip": clientField, "user": userField, "host": hostField,
	"method": methodField, "target": targetField, "path": targetField, "request": requestField,
	"status": statusField, "referer": refererField, "agent": agentField,
}

// A slot says what a column is for. Of several columns for one field, the one
// with the least rank counts.
type slot struct {
	field field
	rank  uint8
}

// columns are slots by the names of columns, in small letters.
type columns map[string]slot

// ranked gives names their rank: the better ones are first.
func ranked(names map[field]string) columns {
	all := make(columns)
	for f, list := range names {
		for i, name := range strings.Fields(list) {
			all[name] = slot{f, uint8(i + 1)}
		}
	}
	return all
}

// jsonColumns are the names in JSON logs: of Caddy, Traefik and Envoy, what
// people take from the documentation of nginx, Elastic's schema, and plain ones.
// When a request began is better than when it was logged, and the address that
// the server settled on better than what the client claims.
var jsonColumns = ranked(map[field]string{
	timeField: "start_time startutc startlocal msec time_iso8601 @timestamp timestamp ts time timestamp_ns " +
		"time_local datetime date request_time_iso8601 event_time",
	clientField: "request.client_ip downstream_remote_address clienthost client_ip client.ip clientip remote_addr " +
		"request.remote_ip remote_ip remote_address remoteaddr remoteip c-ip source.ip source.address httprequest.remoteip clientaddr client ip " +
		"request.remote_addr real_ip http_x_real_ip http_x_forwarded_for x_forwarded_for x-forwarded-for",
	userField: "remote_user clientusername user_id user user.name username",
	hostField: ":authority authority requesthost request.host http_host host server_name vhost url.domain",
	methodField: "method request_method requestmethod request.method http.request.method http_method verb " +
		"httprequest.requestmethod",
	targetField: "request_uri requestpath request.uri x-envoy-original-path x-envoy-origin-path path uri url target url.original " +
		"url.path httprequest.requesturl",
	requestField: "request request_line",
	statusField:  "status response_code downstreamstatus status_code http.response.status_code code httprequest.status",
	refererField: "referer http_referer http_referrer request_referer request.headers.referer referrer http.request.referrer",
	agentField: "user-agent http_user_agent request_user-agent request.headers.user-agent user_agent user_agent.original " +
		"useragent agent httprequest.useragent",
	messageField: "message log msg textpayload",
})

// csvColumns are the names in the headings of CSV: those of JSON.
var csvColumns = jsonColumns

// w3cColumns are the names after #Fields.
var w3cColumns = ranked(map[field]string{
	timeField:    "time timestamp",
	dateField:    "date",
	clientField:  "c-ip cs(x-forwarded-for) x-forwarded-for s-xff",
	userField:    "cs-username",
	hostField:    "x-host-header cs-host cs(host) s-sitename",
	methodField:  "cs-method",
	targetField:  "cs-uri-stem cs-uri",
	queryField:   "cs-uri-query",
	statusField:  "sc-status",
	refererField: "cs(referer) cs(referrer)",
	agentField:   "cs(user-agent)",
})

// with returns the columns with some that are named, as in client=addr. If one
// is named by its place, all are returned by place.
func (c columns) with(pairs []string) (named columns, places []slot, err error) {
	named = maps.Clone(c)
	for _, pair := range pairs {
		name, column, ok := strings.Cut(pair, "=")
		f := fieldNames[strings.ToLower(name)]
		if !ok || column == "" || f == noColumn {
			return nil, nil, fmt.Errorf("%q does not name a column; for example: client=addr; there are %s",
				pair, strings.Join(slices.Sorted(maps.Keys(fieldNames)), ", "))
		}
		if place, err := strconv.Atoi(column); err == nil {
			if place < 1 || place > 1000 {
				return nil, nil, fmt.Errorf("%q: places are from 1 to 1000; for example: client=2", pair)
			}
			places = append(places, make([]slot, max(0, place-len(places)))...)
			places[place-1] = slot{f, 0}
			continue
		}
		named[strings.ToLower(column)] = slot{f, 0}
	}
	if places == nil {
		return named, nil, nil
	}
	for _, needed := range []field{timeField, clientField} {
		if !slices.Contains(places, slot{needed, 0}) {
			return nil, nil, fmt.Errorf("columns by their places need one for time and one for client; for example: time=1 client=2")
		}
	}
	return named, places, nil
}

// Errors of lines of columns.
var (
	errNoTimeColumn   = errors.New(`no readable time in a column such as time, ts or @timestamp`)
	errNoClientColumn = errors.New(`no client in a column such as client_ip or remote_addr`)
)

// values are those of a line, by field.
type values struct {
	of      [fieldCount][]byte
	rank    [fieldCount]uint8
	time    stamp
	hasTime bool
	loc     *time.Location
}

func (v *values) clear() { *v = values{loc: v.loc} }

// set takes the value of a column, unless there is a better one already. One
// that says nothing, or a time that is not one, is not better.
func (v *values) set(s slot, value []byte) {
	if s.field == noColumn || len(value) == 0 {
		return
	}
	has := v.of[s.field] != nil
	if has && (v.rank[s.field] <= s.rank || bytes.Equal(value, dash)) && !bytes.Equal(v.of[s.field], dash) {
		return
	}
	if s.field == timeField {
		t, ok := parseTime(value, v.loc)
		if !ok {
			return
		}
		v.time, v.hasTime = t, true
	}
	v.of[s.field], v.rank[s.field] = value, s.rank
}

// put makes an entry of the values.
func (v *values) put(e *Entry) error {
	if !v.hasTime {
		return errNoTimeColumn
	}
	client := v.of[clientField]
	if len(client) == 0 {
		return errNoClientColumn
	}
	v.time.put(e)
	e.Client, _ = cutPort(client)
	e.User = v.of[userField]
	e.Host, _ = cutPort(v.of[hostField])
	e.Method, e.Target = v.of[methodField], v.of[targetField]
	if len(e.Target) == 0 {
		if request := v.of[requestField]; len(request) > 0 {
			e.Method, e.Target = parseRequest(request)
		}
	}
	e.Status = parseStatus(v.of[statusField])
	e.Referer, e.UserAgent = v.of[refererField], v.of[agentField]
	return nil
}
