package config

import (
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	for text, secret := range map[string]bool{
		"ip": false, "user": false, "host": false, " path ": false, "header User-Agent": false, "header x-forwarded-for": false,
		"header Authorization": true, "header x-api-key": true, "header X-Auth-Token": true, "header cookie": true,
		"cookie theme": true, "cookie  session": true,
	} {
		k, err := ParseKey(text)
		if err != nil || k.Secret() != secret || !k.Known() || k.String() != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%q: %v, secret %v, %v", text, k, k.Secret(), err)
		}
	}
	for _, text := range []string{"", "ipp", "ip 4", "header", "header ", "cookie a b", "header a:b", "header Ö"} {
		if k, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), "for example: key: header X-Api-Key") {
			t.Errorf("%q: %v, %v", text, k, err)
		}
	}
}

func TestKeysOfPolicies(t *testing.T) {
	c, err := Parse("f", []byte("policies:\n  a: {key: header X-Api-Key, limit: 5/m}\n  b: {limit: 5/m}\n"))
	if err != nil || !c.Policies[0].Key.Secret() || c.Policies[1].Key.Known() {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"policies:\n  a:\n    key: nobody\n    limit: 5/m\n": `f:3:10: policies.a.key: key "nobody" is unknown`,
		"policies:\n  a:\n    key: [ip]\n    limit: 5/m\n":   `policies.a.key: it is not text`,
		"policies:\n  a:\n    keys: ip\n    limit: 5/m\n":    `unknown field "keys"; there are limit, limits, key and on_store_failure`,
	} {
		if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
