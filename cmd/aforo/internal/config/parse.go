package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/aforo-dev/aforo"
)

const (
	goodFile   = "policies: {public-api: {limit: 100/minute burst 20}}"
	goodPolicy = "public-api: {limit: 100/minute burst 20}"
	goodLimit  = "limit: 100/minute burst 20"
	goodLimits = "limits: [10/s burst 20, 1000/h]"
)

// Parse reads a file's content; file is the name that errors show. The error
// is an *Error with everything that is wrong.
func Parse(file string, data []byte) (*Config, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &reader{file: file, data: data}
	var c Config
	if len(data) > MaxSize {
		r.wrongAt(1, 1, "", fmt.Sprintf("the file has more than %d bytes, the most that is read", MaxSize))
	} else {
		c = r.config()
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		return nil, &Error{r.problems}
	}
	return &c, nil
}

func (r *reader) config() (c Config) {
	root := r.document()
	if root == nil {
		if len(r.problems) == 0 {
			r.wrongAt(1, 1, "", "the file is empty; for example: "+goodFile)
		}
		return c
	}
	entries, ok := r.entries(root, "", goodFile)
	hasPolicies := !ok // then there is a problem already
	for _, e := range entries {
		switch e.name {
		case "listen":
			c.Listen = r.listen(e)
		case "store":
			c.Store = r.store(e)
		case "on_store_failure":
			c.OnStoreFailure = r.onFailure(e, "on_store_failure")
		case "policies":
			hasPolicies = true
			c.Policies = r.policies(e)
		default:
			r.wrong(e.key, "", "unknown field %q; there are listen, store, on_store_failure and policies, for example: %s", e.name, goodFile)
		}
	}
	if !hasPolicies {
		r.wrongAt(1, 1, "policies", "there are none; for example: "+goodFile)
	}
	for i := range c.Policies {
		if p := &c.Policies[i]; p.OnStoreFailure == 0 {
			p.OnStoreFailure = c.OnStoreFailure
		}
	}
	return c
}

func (r *reader) listen(e entry) string {
	n := r.resolve(e.value, "listen")
	switch {
	case n == nil:
		return ""
	case !isScalar(n):
		r.wrong(n.GetToken(), "listen", "%s is not host:port; for example: listen: %s", shown(n), DefaultListen)
		return ""
	}
	if err := CheckListen(scalar(n)); err != nil {
		r.wrong(n.GetToken(), "listen", "%v", err)
	}
	return scalar(n)
}

func (r *reader) policies(e entry) (all []Policy) {
	if n := r.resolve(e.value, "policies"); n == nil || n.Type() == ast.NullType {
		if n != nil {
			r.wrong(e.key, "policies", "there are none; for example: %s", goodFile)
		}
		return nil
	}
	entries, ok := r.entries(e.value, "policies", goodFile)
	if ok && len(entries) == 0 && len(r.problems) == 0 {
		r.wrong(e.key, "policies", "there are none; for example: %s", goodFile)
	}
	for _, e := range entries {
		if err := checkName(e.name); err != nil {
			r.wrong(e.key, "policies", "%v", err)
			continue
		}
		all = append(all, r.policy(e))
	}
	return all
}

// policy reads one policy.
func (r *reader) policy(e entry) (p Policy) {
	p.Name = e.name
	field := "policies." + e.name
	fields, ok := r.entries(e.value, field, goodPolicy)
	if !ok {
		return p
	}
	var one, many *entry
	unknown := false // a misspelled limit is missing only once
	for i := range fields {
		switch f := &fields[i]; f.name {
		case "limit":
			one = f
		case "limits":
			many = f
		case "key":
			p.Key = r.key(*f, field+".key")
		case "on_store_failure":
			p.OnStoreFailure = r.onFailure(*f, field+".on_store_failure")
		default:
			unknown = true
			r.wrong(f.key, field, "unknown field %q; there are limit, limits, key and on_store_failure, for example: %s", f.name, goodLimit)
		}
	}
	switch {
	case one != nil && many != nil:
		r.wrong(many.key, field, "there are both limit and limits; write one of them, for example: %s", goodLimits)
	case one != nil:
		p.Limits = r.limit(*one, field+".limit")
	case many != nil:
		p.Limits = r.limits(*many, field+".limits")
	case !unknown:
		r.wrong(e.key, field, "it has no limit; for example: %s", goodLimit)
	}
	return p
}

// key reads what the keys of a policy are.
func (r *reader) key(e entry, field string) Key {
	n := r.resolve(e.value, field)
	if n == nil {
		return Key{}
	}
	if !isScalar(n) {
		r.wrong(e.key, field, "it is not text; for example: key: %s", goodKey)
		return Key{}
	}
	k, err := ParseKey(scalar(n))
	if err != nil {
		r.wrong(n.GetToken(), field, "%v", err)
	}
	return k
}

// limit reads the value of the field limit, which may be several with commas.
func (r *reader) limit(e entry, field string) aforo.Limits {
	n := r.resolve(e.value, field)
	if n == nil || !r.isLimit(n, e.key, field) {
		return aforo.Limits{}
	}
	limits, err := aforo.ParseLimits(scalar(n))
	r.wrongLimit(n, field, err)
	return limits
}

// limits reads the value of the field limits, a list.
func (r *reader) limits(e entry, field string) (limits aforo.Limits) {
	n := r.resolve(e.value, field)
	list, ok := n.(*ast.SequenceNode)
	switch {
	case n == nil:
		return limits
	case !ok:
		r.wrong(n.GetToken(), field, "%s is not a list; for example: %s", shown(n), goodLimits)
		return limits
	case len(list.Values) == 0:
		r.wrong(n.GetToken(), field, "the list is empty; for example: %s", goodLimits)
		return limits
	}
	var all []aforo.Limit
	for i, value := range list.Values {
		field := fmt.Sprintf("%s[%d]", field, i)
		n := r.resolve(value, field)
		if n == nil || !r.isLimit(n, n.GetToken(), field) {
			continue
		}
		limit, err := aforo.ParseLimit(scalar(n))
		if r.wrongLimit(n, field, err) {
			all = append(all, limit)
		}
	}
	if len(all) < len(list.Values) {
		return limits
	}
	limits, err := aforo.NewLimits(all...)
	r.wrongLimit(n, field, err)
	return limits
}

// isLimit refuses what cannot be the text of a limit.
func (r *reader) isLimit(n ast.Node, key *token.Token, field string) bool {
	switch {
	case isScalar(n) && strings.TrimSpace(scalar(n)) != "":
		return true
	case isScalar(n) || n.Type() == ast.NullType:
		r.wrong(key, field, "it is empty; 0/m refuses everything, unlimited is no limit; for example: %s", goodLimit)
	default:
		r.wrong(n.GetToken(), field, "%s is not a limit; for example: %s", shown(n), goodLimit)
	}
	return false
}

// wrongLimit adds a problem where the wrong part of a limit stands, and tells
// whether there was none.
func (r *reader) wrongLimit(n ast.Node, field string, err error) bool {
	if err == nil {
		return true
	}
	wrong, ok := err.(*aforo.LimitError)
	if !ok {
		r.wrong(n.GetToken(), field, "%v", err)
		return false
	}
	t := n.GetToken()
	line, column := t.Position.Line, t.Position.Column
	if wrong.Place >= 0 {
		column += within(t, wrong.Place)
	}
	r.wrongAt(line, column, field, limitMessage(wrong))
	return false
}

// within is how many columns a place in a scalar's text is from where the
// scalar begins; 0 if the text is not written in the file as it is.
func within(t *token.Token, place int) int {
	origin := strings.TrimSpace(t.Origin)
	switch {
	case place > len(t.Value):
		return 0
	case origin == t.Value:
	case len(origin) == len(t.Value)+2 && origin[1:len(origin)-1] == t.Value:
		place++ // the quote in front
	default:
		return 0
	}
	return place
}

// limitMessage is a LimitError without the place, which is said otherwise.
func limitMessage(e *aforo.LimitError) string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s; for example: %s", e.Field, e.Problem, e.Good)
	}
	return fmt.Sprintf("%s %q: %s; for example: %s", e.Field, e.Value, e.Problem, e.Good)
}
