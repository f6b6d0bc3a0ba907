package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseRequest(t *testing.T) {
	tests := []struct {
		body string
		want Request
	}{
		{`{"policy":"login","key":"user:42"}`, Request{Policy: "login", Key: "user:42", Cost: 1}},
		{`{"limit":"5/1m","key":"user:42","cost":3}`, Request{Limit: "5/1m", Key: "user:42", Cost: 3}},
		{` { "cost" : 0 , "key" : "" , "policy" : "p" } ` + "\n", Request{Policy: "p"}},
		{`{"policy":"p","key":"a\u0000b"}`, Request{Policy: "p", Key: "a\x00b", Cost: 1}},
		{`{"policy":"p","key":"\ud83d\ude00"}`, Request{Policy: "p", Key: "😀", Cost: 1}},
		{`{"policy":"p","key":"\\ud83d"}`, Request{Policy: "p", Key: `\ud83d`, Cost: 1}},
		{`{"policy":"p","key":"\ufffd"}`, Request{Policy: "p", Key: "\ufffd", Cost: 1}},
		{`{"policy":"p","key":"é"}`, Request{Policy: "p", Key: "é", Cost: 1}},
		{`{"policy":"p","key":"e\u0301"}`, Request{Policy: "p", Key: "e\u0301", Cost: 1}},
		{`{"policy":"p","key":"k","cost":9007199254740991}`, Request{Policy: "p", Key: "k", Cost: MaxCost}},
		{`{"limit":"","key":"k"}`, Request{Key: "k", Cost: 1}}, // an error of the limit, not of the request
	}
	for _, tt := range tests {
		got, err := ParseRequest([]byte(tt.body))
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v; want %+v", tt.body, got, err, tt.want)
		}
	}
}

func TestParseRequestErrors(t *testing.T) {
	tests := []struct {
		name, body, field string
		want              []string
	}{
		{"empty", "", "", []string{"empty"}},
		{"blank", " \n", "", []string{"empty"}},
		{"not JSON", "policy=login", "", []string{"not JSON at byte 1"}},
		{"cut off", `{"policy":"p","key":`, "", []string{"not JSON"}},
		{"trailing", `{"policy":"p","key":"k"} x`, "", []string{"not JSON", "after top-level value"}},
		{"two objects", `{"policy":"p","key":"k"}{}`, "", []string{"not JSON"}},
		{"raw NUL", "{\"policy\":\"p\",\"key\":\"a\x00b\"}", "", []string{"not JSON"}},
		{"not UTF-8", "{\"policy\":\"p\",\"key\":\"a\xff\"}", "", []string{"not UTF-8 at byte 22", "0xff"}},
		{"a list", `[1]`, "", []string{"[1]", "object"}},
		{"a string", `"x"`, "", []string{`"x"`, "object"}},
		{"null", `null`, "", []string{"null", "object"}},
		{"deep", strings.Repeat("[", 20_000), "", []string{"not JSON"}},
		{"no policy", `{"key":"k"}`, "policy", []string{"missing", "limit instead"}},
		{"empty policy", `{"policy":"","key":"k"}`, "policy", []string{`""`}},
		{"both", `{"policy":"p","limit":"5/m","key":"k"}`, "limit", []string{`"5/m"`, "one of the two"}},
		{"no key", `{"policy":"p"}`, "key", []string{"missing"}},
		{"null key", `{"policy":"p","key":null}`, "key", []string{"null", "string"}},
		{"number as key", `{"policy":"p","key":42}`, "key", []string{"42", "string"}},
		{"half a pair", `{"policy":"p","key":"a\ud83d"}`, "key", []string{"surrogate"}},
		{"the other half", `{"policy":"p","key":"\ude00"}`, "key", []string{"surrogate"}},
		{"halves in the wrong order", `{"policy":"p","key":"\ude00\ud83d"}`, "key", []string{"surrogate"}},
		{"half before another escape", `{"policy":"p","key":"\ud83d\n"}`, "key", []string{"surrogate"}},
		{"unknown", `{"policy":"p","key":"k","hits":1}`, "hits", []string{"no such field", "policy, limit, key and cost"}},
		{"other case", `{"Policy":"p","key":"k"}`, "Policy", []string{"no such field"}},
		{"twice", `{"policy":"p","key":"k","key":"l"}`, "key", []string{"twice"}},
		{"twice in escapes", `{"policy":"p","key":"k","\u006bey":"l"}`, "key", []string{"twice"}},
		{"negative cost", `{"policy":"p","key":"k","cost":-1}`, "cost", []string{"-1", "negative"}},
		{"fraction", `{"policy":"p","key":"k","cost":1.5}`, "cost", []string{"1.5", "integer"}},
		{"integer as a fraction", `{"policy":"p","key":"k","cost":1.0}`, "cost", []string{"1.0", "integer"}},
		{"exponent", `{"policy":"p","key":"k","cost":1e3}`, "cost", []string{"1e3", "integer"}},
		{"huge cost", `{"policy":"p","key":"k","cost":9007199254740992}`, "cost", []string{"9007199254740991"}},
		{"beyond 64 bits", `{"policy":"p","key":"k","cost":99999999999999999999}`, "cost", []string{"9007199254740991"}},
		{"cost as a string", `{"policy":"p","key":"k","cost":"1"}`, "cost", []string{`"1"`, "integer"}},
		{"null cost", `{"policy":"p","key":"k","cost":null}`, "cost", []string{"null", "integer"}},
		{"policy is a list", `{"policy":["p"],"key":"k"}`, "policy", []string{`["p"]`, "string"}},
		{"long", `{"policy":"p","key":[` + strings.Repeat("1,", 9999) + `1]}`, "key", []string{"bytes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseRequest([]byte(tt.body))
			var wrong *RequestError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v", err)
			}
			if wrong.Field != tt.field {
				t.Errorf("field %q, want %q: %v", wrong.Field, tt.field, err)
			}
			for _, want := range append(tt.want, "for example: {") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing: %v", want, err)
				}
			}
			if len(err.Error()) > 400 {
				t.Errorf("%d bytes long: %v", len(err.Error()), err)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(GoodRequest))
	f.Add([]byte(`{"limit":"5/1m","key":"\ud83d\ude00\\u0041\u0000"}`))
	f.Add([]byte(`{"policy":"p","key":"k","key":"l","cost":-1e9}x`))
	f.Add([]byte("{\"\xff\":[{}]}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseRequest(body)
		if err != nil {
			var wrong *RequestError
			if !errors.As(err, &wrong) || wrong.Problem == "" || wrong.Good == "" {
				t.Fatalf("an error that says nothing: %#v", err)
			}
			if !utf8.ValidString(err.Error()) {
				t.Errorf("an error that is not UTF-8: %q", err)
			}
			return
		}
		if r.Cost < 0 || r.Cost > MaxCost || (r.Policy == "") == (r.Limit == "") && r.Policy != "" {
			t.Errorf("accepted %+v", r)
		}
		// What was read is what another reader of JSON reads.
		var other struct{ Key string }
		if json.Unmarshal(body, &other) != nil || other.Key != r.Key {
			t.Errorf("key %q, and %q to encoding/json", r.Key, other.Key)
		}
	})
}
