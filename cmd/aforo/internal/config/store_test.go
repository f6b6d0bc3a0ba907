package config

import (
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

func TestStores(t *testing.T) {
	const policies = "\npolicies: {a: {limit: 1/s}, b: {limit: 1/s, on_store_failure: deny}}\n"
	for text, want := range map[string]Config{
		"":                               {},
		"store: memory":                  {Store: Store{Address: "memory"}},
		"store: redis://h:1":             {Store: Store{Address: "redis://h:1"}},
		"store: {address: 'rediss://h'}": {Store: Store{Address: "rediss://h"}},
		"store:\n  address: redis://h\n  prefix: shop\n  budget: 20ms": {Store: Store{"redis://h", "shop", 20 * time.Millisecond}},
		"on_store_failure: allow":                                      {OnStoreFailure: aforo.FailAllow},
		"on_store_failure: local":                                      {OnStoreFailure: aforo.FailLocal(1)},
		"on_store_failure: local 4":                                    {OnStoreFailure: aforo.FailLocal(4)},
	} {
		c, err := Parse("f", []byte(text+policies))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if c.Store != want.Store || c.OnStoreFailure != want.OnStoreFailure {
			t.Errorf("%q: %+v", text, c)
		}
		if c.Policies[0].OnStoreFailure != want.OnStoreFailure || c.Policies[1].OnStoreFailure != aforo.FailDeny {
			t.Errorf("%q: the policies have %v", text, c.Policies)
		}
	}
}

func TestStoresThatAreNone(t *testing.T) {
	const policies = "\npolicies: {a: {limit: 1/s}}\n"
	for text, want := range map[string]string{
		"store: localhost":                                 `f:1:8: store: redisstore: address "localhost"`,
		"store: http://u:secret@h":                         "for example: redis://127.0.0.1:6379, or memory",
		"store: [redis://h]":                               "store: a list is not a mapping",
		"store: {}":                                        "it has no address; for example: store: redis://127.0.0.1:6379",
		"store: {adress: redis://h}":                       `unknown field "adress"; there are address, prefix and budget`,
		"store: {address: [redis://h]}":                    "a list is not a text",
		"store: {address: redis://h, prefix: 'a{b'}":       "has no braces; for example: shop",
		"store: {address: redis://h, budget: fast}":        `"fast" is not a duration; for example: 50ms`,
		"store: {address: redis://h, budget: 1us}":         "the smallest is 1ms",
		"on_store_failure: open":                           `"open" is none of allow, deny and local; for example: on_store_failure: local 4`,
		"on_store_failure: local 0":                        `"0" is not how many instances there are`,
		"on_store_failure: deny 3":                         `"deny 3" is none of`,
		"policies: {a: {limit: 1/s, on_store_failure: }}#": "f:1:45: policies.a.on_store_failure: an empty value is not a text; for example: on_store_failure: local 4",
	} {
		c, err := Parse("f", []byte(text+policies))
		if err == nil {
			t.Errorf("%q was taken: %+v", text, c)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}
