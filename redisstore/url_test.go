package redisstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

func TestAddressesThatAreNone(t *testing.T) {
	for address, want := range map[string]string{
		"":                           "for example: redis://127.0.0.1:6379",
		"localhost:6379":             "for example: redis://127.0.0.1:6379",
		"http://localhost":           "http",
		"redis://h/one":              "one",
		"redis://u:secret@h/one":     "one",
		"redis://u:secret@h:port":    "port",
		"redis://u:secret@h/%zz":     "%zz",
		"redis://h?dial_timeout=now": "now",
		"unix://":                    "names no server",
	} {
		store, err := redisstore.Open(address)
		if err == nil {
			store.Close()
			t.Errorf("%q was opened", address)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestAServerThatComesLater: a store can be made before its server is there, and works
// as soon as it is.
func TestAServerThatComesLater(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Kill()
	store, err := redisstore.Open(server.URL(), redisstore.WithBudget(unhurried), redisstore.WithBreaker(1, time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	limiter, err := aforo.New("1/h", aforo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	_, err = limiter.Allow(context.Background(), "k")
	if err == nil || !strings.Contains(err.Error(), server.Addr()) {
		t.Errorf("without a server: %v, want an error that names %s", err, server.Addr())
	}
	server.Restart()
	deadline := time.Now().Add(10 * time.Second)
	for {
		d, err := limiter.Allow(context.Background(), "k")
		if err == nil && d.Allowed {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("with a server: %+v, %v", d, err)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAStoreThatIsClosed(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	store, err := redisstore.Open(server.URL(), redisstore.WithBudget(unhurried))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Ping(context.Background()); err != nil {
		t.Errorf("a ping: %v", err)
	}
	store.Close()
	if err := store.Ping(context.Background()); err == nil {
		t.Error("a ping after it was closed succeeded")
	}
	store.Close()
}
