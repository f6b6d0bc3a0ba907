package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
)

// MemoryStore is the address of the store that is the server's own memory.
const MemoryStore = "memory"

// A Store says where states are kept.
type Store struct {
	Address string        // memory, or what redisstore.Open takes; "" if the file does not say
	Prefix  string        // of keys in Redis; "" is the default
	Budget  time.Duration // of a call to Redis; 0 is the default
}

const (
	goodStore   = "store: redis://127.0.0.1:6379"
	goodFailure = "on_store_failure: local 4"
)

// CheckStore says what is wrong with the address of a store.
func CheckStore(address string) error {
	if address == MemoryStore {
		return nil
	}
	if err := redisstore.CheckAddress(address); err != nil {
		return fmt.Errorf("%w, or %s", err, MemoryStore)
	}
	return nil
}

// store reads the field store: an address, or a mapping with it.
func (r *reader) store(e entry) (s Store) {
	n := r.resolve(e.value, "store")
	if n == nil {
		return s
	}
	if isScalar(n) {
		r.check(e, "store", goodStore, &s.Address, CheckStore)
		return s
	}
	fields, ok := r.entries(e.value, "store", "store: {address: redis://127.0.0.1:6379, budget: 50ms}")
	if !ok {
		return s
	}
	for _, f := range fields {
		switch f.name {
		case "address":
			r.check(f, "store.address", goodStore, &s.Address, CheckStore)
		case "prefix":
			r.check(f, "store.prefix", "prefix: shop", &s.Prefix, redisstore.CheckPrefix)
		case "budget":
			var text string
			r.check(f, "store.budget", "budget: 50ms", &text, func(text string) (err error) {
				if s.Budget, err = time.ParseDuration(text); err != nil {
					return fmt.Errorf("%q is not a duration; for example: 50ms", text)
				}
				return redisstore.CheckBudget(s.Budget)
			})
		default:
			r.wrong(f.key, "store", "unknown field %q; there are address, prefix and budget, for example: %s", f.name, goodStore)
		}
	}
	if s.Address == "" && len(r.problems) == 0 {
		r.wrong(e.key, "store", "it has no address; for example: %s", goodStore)
	}
	return s
}

// check reads a scalar and says what is wrong with it.
func (r *reader) check(e entry, field, good string, text *string, check func(string) error) {
	n := r.resolve(e.value, field)
	switch {
	case n == nil:
		return
	case !isScalar(n):
		r.wrong(n.GetToken(), field, "%s is not a text; for example: %s", shown(n), good)
		return
	}
	*text = scalar(n)
	if err := check(*text); err != nil {
		r.wrong(n.GetToken(), field, "%v", err)
	}
}

// onFailure reads the field on_store_failure.
func (r *reader) onFailure(e entry, field string) (policy aforo.FailurePolicy) {
	var text string
	r.check(e, field, goodFailure, &text, func(text string) (err error) {
		policy, err = ParseFailure(text)
		return err
	})
	return policy
}

// ParseFailure reads what is answered when the store fails: allow, deny, local for
// the whole limit in this instance, or local N for an Nth of it.
func ParseFailure(text string) (aforo.FailurePolicy, error) {
	word, number, several := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case word == "allow" && !several:
		return aforo.FailAllow, nil
	case word == "deny" && !several:
		return aforo.FailDeny, nil
	case word == "local" && !several:
		return aforo.FailLocal(1), nil
	case word == "local":
		if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil && n >= 1 {
			return aforo.FailLocal(n), nil
		}
		return 0, fmt.Errorf("%q is not how many instances there are, from 1; for example: %s", number, goodFailure)
	}
	return 0, fmt.Errorf("%q is none of allow, deny and local; for example: %s", text, goodFailure)
}
