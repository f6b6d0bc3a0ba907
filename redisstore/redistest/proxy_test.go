package redistest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// through is a client of a proxy, with one connection that stands already. It
// repeats nothing by itself.
func through(t *testing.T, p *Proxy) rueidis.Client {
	t.Helper()
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{p.Addr()}, ForceSingleClient: true, DisableRetry: true, DisableCache: true, PipelineMultiplex: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func incr(client rueidis.Client, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return client.Do(ctx, client.B().Incr().Key("k").Build()).Error()
}

func TestAProxyDelaysReplies(t *testing.T) {
	t.Parallel()
	s := Start(t)
	p := NewProxy(t, s.Addr())
	client := through(t, p)
	p.Delay(0, 200*time.Millisecond)
	if err := incr(client, 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("replies 200ms late, patience of 20ms: %v", err)
	}
	if v := s.Do("GET", "k"); v != "1" {
		t.Errorf("a request whose reply is late was carried out: %v times", v)
	}
	if err := incr(client, patience); err != nil {
		t.Errorf("with all the patience: %v", err)
	}
}

func TestAProxyDelaysRequests(t *testing.T) {
	t.Parallel()
	s := Start(t)
	p := NewProxy(t, s.Addr())
	client := through(t, p)
	p.Delay(200*time.Millisecond, 0)
	if err := incr(client, 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("requests 200ms late, patience of 20ms: %v", err)
	}
	if v := s.Do("GET", "k"); v != nil {
		t.Errorf("a request that has not arrived was carried out: %v", v)
	}
	Wait(t, "it arrives, though its sender has given up", func() bool { return s.Do("GET", "k") == "1" })
}

func TestAProxyLosesAndCuts(t *testing.T) {
	t.Parallel()
	s := Start(t)
	p := NewProxy(t, s.Addr())
	client := through(t, p)
	p.LoseReplies(true)
	if err := incr(client, 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the reply was lost, but the error is %v", err)
	}
	Wait(t, "the request is carried out", func() bool { return s.Do("GET", "k") == "1" })
	p.Cut()
	p.LoseReplies(false)
	Wait(t, "the client has a new connection", func() bool { return incr(client, time.Second) == nil })

	before, sent := s.Do("GET", "k"), p.RequestBytes()
	p.LoseAll(true)
	if err := incr(client, 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("all was lost, but the error is %v", err)
	}
	if after := s.Do("GET", "k"); after != before || p.RequestBytes() == sent {
		t.Errorf("%d bytes were sent and lost, %v became %v", p.RequestBytes()-sent, before, after)
	}
}

func TestAProxyLosesOpenConnections(t *testing.T) {
	t.Parallel()
	s := Start(t)
	p := NewProxy(t, s.Addr())
	client := through(t, p)
	p.LoseOpen()
	if err := incr(client, 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the connection is lost, but the error is %v", err)
	}
	if err := incr(through(t, p), patience); err != nil {
		t.Errorf("a new connection: %v", err)
	}
}

func TestAProxyBeforeNobody(t *testing.T) {
	t.Parallel()
	s := Start(t)
	p := NewProxy(t, s.Addr())
	client := through(t, p)
	s.Kill()
	if err := incr(client, time.Second); err == nil {
		t.Error("a killed server answered")
	}
	s.Restart()
	Wait(t, "the restarted server answers", func() bool { return incr(client, time.Second) == nil })
}
