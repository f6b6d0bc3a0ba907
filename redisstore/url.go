package redisstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// Open makes a store by the address of a server:
//
//	redis://[user:password@]host[:port][/database]      one server, or a cluster
//	rediss://...                                        the same, over TLS
//	redis://host1:port?addr=host2:port&addr=...         more nodes of a cluster to begin with
//	redis://sentinel1:port?addr=...&master_set=name     a master that Sentinels watch
//	unix:///path/to/socket
//
// valkey:// and valkeys:// are the same as redis:// and rediss://. The port is 6379
// by default. Whether it is a cluster the server says. Further parameters are db,
// client_name, dial_timeout, write_timeout, protocol=2 and, for TLS, skip_verify=true.
//
// The server is not asked yet and may be absent: until it can be reached, calls
// fail as they do whenever it is not. An error is about the address. Close the store
// when it is no longer needed.
func Open(address string, options ...Option) (*Store, error) {
	client, err := parse(address)
	if err != nil {
		return nil, err
	}
	return NewWith(&opener{option: client}, options...)
}

// CheckAddress says what is wrong with an address, as Open does.
func CheckAddress(address string) error {
	_, err := parse(address)
	return err
}

// ShownAddress is an address without its password, as it may be shown.
func ShownAddress(address string) string {
	if u, err := url.Parse(address); err == nil && !misplaced(u) {
		return u.Redacted()
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if last := strings.LastIndexByte(rest, '@'); last >= 0 { // what stands before may be a password
		return scheme + "://xxxxx" + rest[last:]
	}
	return address
}

// misplaced tells whether an @ stands behind the server, as it does if something in a
// password ends it.
func misplaced(u *url.URL) bool {
	return u.Scheme != "unix" && strings.Contains(u.EscapedPath()+u.RawQuery+u.EscapedFragment(), "@")
}

// Memory says how the server uses its memory, as far as it lets this client know: an
// eviction policy other than noeviction forgets keys when the memory is full, and so
// resets limits. Only a store that Open has made can ask.
func (s *Store) Memory(ctx context.Context) (m ServerMemory, err error) {
	opener, ok := s.runner.(*opener)
	if !ok {
		return m, errors.New("redisstore: Memory: the store was not made by Open")
	}
	client, err := opener.get(ctx)
	if err != nil {
		return m, err
	}
	info, err := client.Do(ctx, client.B().Info().Section("memory").Build()).ToString()
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "used_memory":
			m.Used, _ = strconv.ParseInt(value, 10, 64)
		case "maxmemory":
			m.Max, _ = strconv.ParseInt(value, 10, 64)
		case "maxmemory_policy":
			m.Eviction = value
		}
	}
	return m, nil
}

// ServerMemory is how a server uses its memory.
type ServerMemory struct {
	Used, Max int64  // in bytes; a Max of 0 is no bound
	Eviction  string // such as noeviction or allkeys-lru
}

// Evicts tells whether the server may forget keys that have not ended.
func (m ServerMemory) Evicts() bool {
	return m.Max > 0 && m.Eviction != "" && m.Eviction != "noeviction"
}

// Close closes the client of a store that Open has made. Others are their caller's.
func (s *Store) Close() {
	if opener, ok := s.runner.(*opener); ok {
		opener.close()
	}
}

// flushDelay is for how long a call may wait for others to be sent with it; one that
// comes alone does not wait.
const flushDelay = 20 * time.Microsecond

func parse(address string) (rueidis.ClientOption, error) {
	err := check(address)
	var option rueidis.ClientOption
	if err == nil {
		option, err = rueidis.ParseURL(address)
	}
	if err == nil && option.InitAddress[0] == "" {
		err = errors.New("it names no server")
	}
	if err != nil {
		return option, fmt.Errorf("redisstore: address %q: %s; for example: redis://127.0.0.1:6379",
			ShownAddress(address), strings.TrimPrefix(err.Error(), "redis: "))
	}
	option.DisableRetry = true // nothing is counted twice
	option.DisableCache = true
	// What concurrent calls write is collected on one connection for a moment,
	// which halves the CPU that a decision costs this process.
	option.PipelineMultiplex = -1
	option.MaxFlushDelay = flushDelay
	// Connections that the network has forgotten are found out within these.
	if option.Dialer.Timeout == 0 {
		option.Dialer.Timeout = time.Second
	}
	if option.ConnWriteTimeout == 0 {
		option.ConnWriteTimeout = time.Second
	}
	option.Dialer.KeepAlive = 500 * time.Millisecond
	return option, nil
}

// parameters are those that an address may have.
var parameters = []string{"addr", "client_name", "db", "dial_timeout", "master_set", "protocol", "skip_verify", "write_timeout"}

// check says what is no URL, without the password, and what would be ignored.
func check(address string) error {
	u, err := url.Parse(address)
	var wrong *url.Error
	switch {
	case strings.Contains(address, "@") && (err != nil || misplaced(u)):
		return errors.New("it is no URL; in a password, write / ? # @ and % as %2F %3F %23 %40 and %25")
	case errors.As(err, &wrong):
		return wrong.Err // it has the address once more
	case u.Fragment != "":
		return fmt.Errorf("%q means nothing here", "#"+u.Fragment)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(parameters, name) {
			return fmt.Errorf("there is no parameter %q; there are %s", name, strings.Join(parameters, ", "))
		}
	}
	return nil
}

// An opener runs scripts by a client that is made when the server can be reached,
// which making one takes.
type opener struct {
	option rueidis.ClientOption

	mu     sync.Mutex
	client rueidis.Client
	closed bool
	trying chan struct{} // closed when the attempt that is being made is over
	err    error         // of the last attempt
}

var errClosed = errors.New("the store is closed")

// Run implements Runner.
func (o *opener) Run(ctx context.Context, script *Script, keys []string, argument string) (string, error) {
	client, err := o.get(ctx)
	if err != nil {
		return "", err
	}
	return rueidisRunner{client}.Run(ctx, script, keys, argument)
}

// get is the client, for which it waits as long as ctx does. Whoever comes while it
// is being made waits for the same attempt.
func (o *opener) get(ctx context.Context) (rueidis.Client, error) {
	o.mu.Lock()
	client, trying := o.client, o.trying
	switch {
	case o.closed:
		o.mu.Unlock()
		return nil, errClosed
	case client == nil && trying == nil:
		trying = make(chan struct{})
		o.trying = trying
		go o.open()
	}
	o.mu.Unlock()
	if client != nil {
		return client, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-trying:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.client, o.err
}

func (o *opener) open() {
	client, err := rueidis.NewClient(o.option)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(o.option.InitAddress, ", "), err)
		client = nil
	} else if o.closed {
		client.Close()
		client, err = nil, errClosed
	}
	o.client, o.err = client, err
	close(o.trying)
	o.trying = nil
}

func (o *opener) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.client != nil {
		o.client.Close()
	}
}
