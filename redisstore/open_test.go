package redisstore_test

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo/redisstore"
)

// unhurried is a budget that only what hangs exceeds, for tests that are not
// about time.
const unhurried = 20 * time.Second

// open is a store by an address.
func open(t *testing.T, address string, options ...redisstore.Option) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// patient is a store that looks at what is left when a fault is over.
func patient(t *testing.T, address string) *redisstore.Store {
	t.Helper()
	return open(t, address, redisstore.WithBudget(unhurried))
}

// connect is a client as users make it who do not go by an address.
func connect(t *testing.T, option rueidis.ClientOption) rueidis.Client {
	t.Helper()
	option.DisableRetry = true
	client, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// newStore is a store on a client.
func newStore(t *testing.T, client rueidis.Client, options ...redisstore.Option) *redisstore.Store {
	t.Helper()
	store, err := redisstore.New(client, options...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

var prefixes atomic.Int64

// newPrefix is a prefix that nobody else in this process has, as a store needs
// that is to be empty.
func newPrefix() string { return fmt.Sprint("aforo-test-", prefixes.Add(1)) }

func splitAddr(t *testing.T, addr string) (host, port string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}
