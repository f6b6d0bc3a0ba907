// Package api is what the HTTP door says and hears: the JSON of a check and of
// its answer. Server and client share it.
package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// GoodRequest is a request that examples and error messages show.
const GoodRequest = `{"policy":"login","key":"user:42","cost":1}`

// MaxCost is the largest cost: the largest integer that a client which holds
// numbers as doubles has exactly.
const MaxCost = 1<<53 - 1

// A Request asks for one decision:
//
//	policy  the name of a policy; either this
//	limit   or a limit, as in "5/1m" or "10/s burst 20, 1000/h"
//	key     whose request it is: any string, also the empty one
//	cost    how many units it costs; default 1, and 0 only looks
//
// Keys are equal if their bytes in UTF-8 are: nothing is normalized.
type Request struct {
	Policy string `json:"policy,omitempty"`
	Limit  string `json:"limit,omitempty"`
	Key    string `json:"key"`
	Cost   int64  `json:"cost"`
}

// A RequestError says what is wrong with a request.
type RequestError struct {
	Field   string // the JSON field; "" if it is the body as a whole
	Value   string // what is wrong, as it was sent and cut if it is long; "" if something is missing
	Problem string
	Good    string // a good example
}

// Error is one line with everything in it.
func (e *RequestError) Error() string {
	var b strings.Builder
	switch {
	case e.Field != "" && e.Value != "":
		fmt.Fprintf(&b, "field %q is %s: ", e.Field, e.Value)
	case e.Field != "":
		fmt.Fprintf(&b, "field %q: ", e.Field)
	case e.Value != "":
		fmt.Fprintf(&b, "the body is %s: ", e.Value)
	}
	fmt.Fprintf(&b, "%s; for example: %s", e.Problem, e.Good)
	return b.String()
}

// ParseRequest reads a request. It is strict, since what is misread here lets
// somebody in or locks somebody out: fields that are unknown or stand twice,
// null, text that is not Unicode, and anything after the object are errors, all
// *RequestError.
func ParseRequest(body []byte) (Request, error) {
	members, err := parseObject(body)
	if err != nil {
		return Request{}, err
	}
	r := Request{Cost: 1}
	has := make(map[string]bool, len(members))
	for _, m := range members {
		if has[m.name] {
			return Request{}, m.wrong("it stands twice in the object", GoodRequest)
		}
		has[m.name] = true
		switch m.name {
		case "policy":
			r.Policy, err = m.text(`{"policy":"login","key":"user:42"}`)
		case "limit":
			r.Limit, err = m.text(`{"limit":"5/1m","key":"user:42"}`)
		case "key":
			r.Key, err = m.text(`{"policy":"login","key":"user:42"}`)
		case "cost":
			r.Cost, err = m.cost()
		default:
			err = &RequestError{Field: Cut(m.name), Problem: "there is no such field; there are policy, limit, key and cost", Good: GoodRequest}
		}
		if err != nil {
			return Request{}, err
		}
	}
	return r, r.check(has)
}

// check says what is missing, or too much.
func (r *Request) check(has map[string]bool) error {
	switch {
	case has["policy"] && has["limit"]:
		return &RequestError{Field: "limit", Value: quote(r.Limit), Problem: "there is a policy as well; send one of the two", Good: GoodRequest}
	case !has["policy"] && !has["limit"]:
		return &RequestError{Field: "policy", Problem: "it is missing; name a policy, or send a limit instead", Good: GoodRequest}
	case has["policy"] && r.Policy == "":
		return &RequestError{Field: "policy", Value: `""`, Problem: "no policy has an empty name", Good: GoodRequest}
	case !has["key"]:
		return &RequestError{Field: "key", Problem: "it is missing; it says whose request this is", Good: GoodRequest}
	}
	return nil
}

// member is a field of an object as it was sent.
type member struct {
	name string
	raw  json.RawMessage
}

// parseObject takes an object apart, in order and with duplicates, which
// encoding/json would merge in silence.
func parseObject(body []byte) ([]member, error) {
	wrong := func(problem string) error {
		return &RequestError{Problem: problem, Good: GoodRequest}
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, wrong("the body is empty; send a JSON object")
	}
	if at := invalidUTF8(body); at >= 0 {
		return nil, wrong(fmt.Sprintf("the body is not UTF-8 at byte %d, which is 0x%02x", at, body[at]))
	}
	var whole json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, wrong(fmt.Sprintf("the body is not JSON at byte %d: %v", syntax.Offset, err))
		}
		return nil, wrong("the body is not JSON: " + err.Error())
	}
	if whole = bytes.TrimSpace(whole); whole[0] != '{' {
		return nil, &RequestError{Value: Cut(string(whole)), Problem: "send a JSON object", Good: GoodRequest}
	}
	// It is valid JSON now, so nothing that follows fails but on a fault of ours.
	d := json.NewDecoder(bytes.NewReader(whole))
	_, err := d.Token()
	var members []member
	for err == nil && d.More() {
		var name json.Token
		var m member
		if name, err = d.Token(); err == nil {
			m.name, _ = name.(string)
			err = d.Decode(&m.raw)
		}
		members = append(members, m)
	}
	if err != nil {
		return nil, wrong("the body is not JSON: " + err.Error())
	}
	return members, nil
}

func (m *member) wrong(problem, good string) error {
	return &RequestError{Field: m.name, Value: Cut(string(m.raw)), Problem: problem, Good: good}
}

// text reads a string. Half of a surrogate pair stands for no character:
// encoding/json makes U+FFFD of it, and so one key of many.
func (m *member) text(good string) (string, error) {
	var s *string
	if m.raw[0] != '"' || json.Unmarshal(m.raw, &s) != nil {
		return "", m.wrong("it must be a string", good)
	}
	if halfPair(m.raw) {
		return "", m.wrong(`it has half of a surrogate pair, which is no character; both halves are, as in "\ud83d\ude00"`, good)
	}
	return *s, nil
}

// cost reads a plain decimal integer: 1e3 and 1.0 are integers to some clients
// and not to others.
func (m *member) cost() (int64, error) {
	text := string(m.raw)
	good := `{"policy":"login","key":"user:42","cost":1}`
	digits := strings.TrimPrefix(text, "-")
	switch {
	case digits == "" || strings.Trim(digits, "0123456789") != "":
		return 0, m.wrong("it must be an integer in plain decimal digits", good)
	case digits != text:
		return 0, m.wrong("it must not be negative; the smallest is 0, which only looks", good)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > MaxCost {
		return 0, m.wrong(fmt.Sprintf("the largest is %d", int64(MaxCost)), good)
	}
	return n, nil
}

// halfPair tells whether a JSON string has a \u escape of a surrogate without
// its other half.
func halfPair(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := escape(raw[i:])
		if !ok {
			i++ // the escaped character, which may be another backslash
			continue
		}
		i += 5
		switch {
		case first < 0xD800 || first > 0xDFFF:
		case first >= 0xDC00:
			return true
		default:
			if second, ok := escape(raw[i+1:]); !ok || second < 0xDC00 || second > 0xDFFF {
				return true
			}
			i += 6
		}
	}
	return false
}

// escape reads \uXXXX at the beginning of b.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

func invalidUTF8(body []byte) int {
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// quote is a text as JSON, cut if it is long.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string: it cannot fail
	return Cut(string(b))
}

// Cut bounds how much of what somebody sent is sent back.
func Cut(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s... (%d bytes)", text[:end], len(text))
}
