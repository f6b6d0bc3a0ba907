package simulate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// A SizeError is a request that asks for more than the bounds allow.
type SizeError struct{ api.RequestError }

// Parse reads a request, strictly. Its errors are *api.RequestError, or
// *SizeError.
func Parse(body []byte) (*Request, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	r := new(Request)
	if err := d.Decode(r); err != nil {
		return nil, unreadable(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, wrong("", "", "something follows the JSON object", GoodRequest)
	}
	for _, read := range []func() error{r.readLanes, r.checkSize, r.readLoad, r.readInstances, r.checkCurve} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// unreadable says in plain words what encoding/json says in those of Go.
func unreadable(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		needs := map[string]string{"int": "an integer", "int64": "an integer", "uint64": "an integer, not negative", "string": "a string"}[kind.Type.String()]
		if needs == "" {
			needs = map[byte]string{'[': "a list"}[kind.Type.String()[0]]
		}
		if needs == "" {
			needs = "an object"
		}
		return wrong(kind.Field, kind.Value, "it must be "+needs, goodArrivals)
	case errors.As(err, &syntax):
		return wrong("", "", fmt.Sprintf("the body is not JSON at byte %d: %v", syntax.Offset, syntax), GoodRequest)
	case errors.Is(err, io.EOF):
		return wrong("", "", "the body is empty; send a JSON object", GoodRequest)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wrong("", "", "the JSON of the body ends too early", GoodRequest)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name, _ = strconv.Unquote(name)
		return wrong(api.Cut(name), "", "there is no such field; there are limit, limits, arrivals, traffic, seed, instances, from_us, until_us, samples, curve_key, and in arrivals t_us, cost, key", GoodRequest)
	}
	return wrong("", "", "the body is not JSON: "+err.Error(), GoodRequest)
}

func (r *Request) checkSize() error {
	limits := 0
	for _, lane := range r.lanes {
		limits += lane.Len()
	}
	r.limits = limits
	switch n := len(r.Arrivals); {
	case n > MaxArrivals:
		return tooMany("arrivals", n, MaxArrivals, "arrivals", goodArrivals)
	case n*limits > MaxDecisions:
		return tooMany("arrivals", n*limits, MaxDecisions, "decisions (arrivals times limits)", goodArrivals)
	}
	return nil
}

func (r *Request) checkArrivals() error {
	for i := range r.Arrivals {
		a := &r.Arrivals[i]
		name := place("arrivals", i)
		switch {
		case a.At < 0 || a.At > MaxTime:
			return wrong(name+".t_us", strconv.FormatInt(a.At, 10), fmt.Sprintf("times are from 0 to %d", int64(MaxTime)), goodArrivals)
		case a.cost() < 0 || a.cost() > MaxCost:
			return wrong(name+".cost", strconv.FormatInt(a.cost(), 10), fmt.Sprintf("costs are from 0, which only looks, to %d", MaxCost), goodArrivals)
		case len(a.Key) > MaxKey:
			return wrong(name+".key", api.Cut(strconv.Quote(a.Key)), fmt.Sprintf("it has %d bytes, the most is %d", len(a.Key), MaxKey), goodArrivals)
		}
	}
	return nil
}

func (r *Request) checkCurve() error {
	if r.Samples == nil {
		r.Samples = new(200)
	}
	switch {
	case *r.Samples < 0 || *r.Samples > MaxSamples:
		return wrong("samples", strconv.Itoa(*r.Samples), fmt.Sprintf("there are from 0 to %d", MaxSamples), goodCurve)
	case *r.From < 0 || *r.From > MaxTime:
		return wrong("from_us", strconv.FormatInt(*r.From, 10), fmt.Sprintf("times are from 0 to %d", int64(MaxTime)), goodCurve)
	case *r.Until < *r.From || *r.Until > MaxTime:
		return wrong("until_us", strconv.FormatInt(*r.Until, 10), fmt.Sprintf("times are from from_us, %d, to %d", *r.From, int64(MaxTime)), goodCurve)
	case r.CurveKey != nil && len(*r.CurveKey) > MaxKey:
		return wrong("curve_key", api.Cut(strconv.Quote(*r.CurveKey)), fmt.Sprintf("it has %d bytes, the most is %d", len(*r.CurveKey), MaxKey), goodCurve)
	}
	return nil
}

func wrong(field, value, problem, good string) error {
	return &api.RequestError{Field: field, Value: value, Problem: problem, Good: good}
}

func tooMany(field string, n, most int, what, good string) error {
	return &SizeError{api.RequestError{Field: field, Problem: fmt.Sprintf("%d %s are too many; the most is %d", n, what, most), Good: good}}
}

func wrongLimit(field, text string, err error) error {
	var l *aforo.LimitError
	if !errors.As(err, &l) {
		return err
	}
	return wrong(field, api.Cut(strconv.Quote(text)), fmt.Sprintf("%s %q: %s", l.Field, api.Cut(l.Value), l.Problem), l.Good)
}

func place(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
