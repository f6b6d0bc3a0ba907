// Package config reads what the server is told by its file: from YAML to
// policies. It touches no file and no clock.
//
//	listen: 127.0.0.1:8080      # optional
//	store: redis://localhost    # optional, memory by default
//	on_store_failure: local 4   # optional
//	policies:
//	  public-api:
//	    limit: 100/minute burst 20
//	  export:
//	    key: header X-Api-Key     # optional: what the keys are
//	    limits: [leaky_bucket 2/s burst 10, 500/day]
package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/aforo-dev/aforo"
)

// DefaultListen is where the server listens unless it is told otherwise: only
// this machine reaches it.
const DefaultListen = "127.0.0.1:8080"

// A Config is a whole file.
type Config struct {
	Listen   string // host:port; "" if the file does not say
	Store    Store
	Policies []Policy

	// OnStoreFailure is what is answered for limits that belong to no policy when
	// the store fails; 0 if the file does not say. Policies have it too, or their
	// own.
	OnStoreFailure aforo.FailurePolicy
}

// A Policy is a named set of limits.
type Policy struct {
	Name   string
	Key    Key // whose requests count together; the zero Key if the file does not say
	Limits aforo.Limits

	OnStoreFailure aforo.FailurePolicy // 0 if the file does not say
}

// Default is what the server serves when there is no file: an example of each
// kind of need.
func Default() Config {
	c, err := Parse("default", []byte(`
policies:
  default:
    limit: 100/minute burst 20
  login:
    limit: sliding_window_log 5/15m
  export:
    limits: [leaky_bucket 2/s burst 10, 500/day]
`))
	if err != nil {
		panic(err) // a test holds that it is valid
	}
	return *c
}

// CheckListen says what is wrong with an address to listen on.
func CheckListen(address string) error {
	const good = "; for example: " + DefaultListen
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is not host:port%s", address, good)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("port %q of %q is not a number from 0 to 65535%s", port, address, good)
	}
	return nil
}

// maxName bounds a policy's name: it stands in every response.
const maxName = 100

// checkName says what is wrong with a policy's name. Names stand in header
// fields, which carry nothing but printable ASCII; and the server keeps names
// with a space in front for limits that belong to no policy.
func checkName(name string) error {
	const good = "; for example: public-api"
	switch {
	case name == "":
		return fmt.Errorf("the name of a policy is empty%s", good)
	case len(name) > maxName:
		return fmt.Errorf("the name of a policy has %d bytes, the most is %d%s", len(name), maxName, good)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("%q as the name of a policy is not printable ASCII%s", name, good)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q as the name of a policy begins or ends with a space%s", name, good)
	}
	return nil
}
