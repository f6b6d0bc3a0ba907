package redistest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// Do has the server carry out a command and returns its reply: an int64, a
// string, a []any or nil. An error reply ends the test.
func (s *Server) Do(args ...string) any {
	s.tb.Helper()
	reply, err := s.Try(args...)
	if err != nil {
		s.tb.Fatalf("%s on port %d: %v", strings.Join(args[:min(len(args), 4)], " "), s.port, err)
	}
	return reply
}

// Try is Do for any goroutine and for commands that may fail. It makes a
// connection of its own, so nothing that happened to earlier ones matters, and
// waits at most 5 s.
func (s *Server) Try(args ...string) (any, error) {
	client, err := s.connect()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return do(client, args...)
}

func do(client rueidis.Client, args ...string) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	reply, err := client.Do(ctx, client.B().Arbitrary(args...).Build()).ToAny()
	if rueidis.IsRedisNil(err) {
		return nil, nil
	}
	return reply, err
}

// connect makes one plain connection, which repeats nothing by itself.
func (s *Server) connect() (rueidis.Client, error) {
	option := s.ClientOption()
	if s.settings.user != "" {
		option.Username, option.Password = checker, checkerPassword
	}
	option.ForceSingleClient, option.AlwaysRESP2, option.DisableRetry, option.DisableCache = true, true, true, true
	option.ClientSetInfo = rueidis.DisableClientSetInfo
	option.RingScaleEachConn, option.ReadBufferEachConn, option.WriteBufferEachConn = 8, 1<<12, 1<<12
	option.Dialer.Timeout, option.ConnWriteTimeout = 2*time.Second, 5*time.Second
	return rueidis.NewClient(option)
}

// Info is one field of INFO, such as Info("memory", "used_memory"). The test
// ends if there is no such field.
func (s *Server) Info(section, field string) string {
	s.tb.Helper()
	text, _ := s.Do("INFO", section).(string)
	value, ok := infoField(text, field)
	if !ok {
		s.tb.Fatalf("INFO %s on port %d has no field %s", section, s.port, field)
	}
	return value
}

func infoField(text, field string) (string, bool) {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":"); ok && name == field {
			return value, true
		}
	}
	return "", false
}

// Calls is how often the server has carried out a command, such as evalsha,
// whatever came of it.
func (s *Server) Calls(command string) (calls int64) {
	s.tb.Helper()
	text, _ := s.Do("INFO", "commandstats").(string)
	value, _ := infoField(text, "cmdstat_"+command) // absent before the first
	_, _ = fmt.Sscanf(value, "calls=%d", &calls)
	return calls
}

// TTLs are all keys of the server with the time that each has to live, in
// milliseconds, and -1 for a key that never dies.
func (s *Server) TTLs() map[string]int64 {
	s.tb.Helper()
	client, err := s.connect()
	s.must(err)
	defer client.Close()
	found := make(map[string]int64)
	for cursor := "0"; ; {
		reply, err := do(client, "SCAN", cursor, "COUNT", "1000")
		s.must(err)
		next, keys := reply.([]any)[0], reply.([]any)[1].([]any)
		commands := make(rueidis.Commands, len(keys))
		for i, key := range keys {
			commands[i] = client.B().Pttl().Key(key.(string)).Build()
		}
		for i, result := range client.DoMulti(context.Background(), commands...) {
			ttl, err := result.AsInt64()
			s.must(err)
			if ttl != -2 { // died meanwhile
				found[keys[i].(string)] = ttl
			}
		}
		if cursor = next.(string); cursor == "0" {
			return found
		}
	}
}
