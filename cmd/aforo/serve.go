package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/server"
)

type serveOptions struct {
	config    string
	listen    string
	store     string
	dashboard string
}

func newServeCommand(s streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve decisions over HTTP",
		Long: `Serve answers over HTTP whether a key may do something. Its state is in its
memory, or in Redis or Valkey, where any number of servers share the limits. It
stops on SIGINT or SIGTERM, when requests in flight are answered.

A request names a policy of the configuration, or brings a limit of its own:

  POST /v1/check  {"policy":"login","key":"user:42","cost":1}
  POST /v1/check  {"limit":"5/1m","key":"user:42"}

  policy, limit   exactly one of them; a limit may be several: "10/s, 1000/h"
  key             whose request it is: any string, compared byte by byte
  cost            units, from 0; default 1, and 0 only looks

Limits that requests bring share what has been used if they are the same
limit and the same key, however they are written; policies share nothing.

The answer is 200 if the request is allowed and 429 if it is refused:

  {"allowed":false,"limit":"sliding_window_log 5/15m","capacity":5,
   "remaining":0,"retry_after_ms":841200,"reset_after_ms":899000,"delay_ms":0,
   "policy":"login"}

  limit           the limit that decided, in its shortest form
  capacity        how many units fit at once; null if unlimited
  remaining       how many units more would be allowed now; null if unlimited
  retry_after_ms  0 if allowed; else when it would be; null if never
  reset_after_ms  when the key is as if never used; null if never
  delay_ms        when a leaky bucket releases an allowed request, 0 for the
                  other algorithms; null if never
  never           true if waiting does not help; left out otherwise
  policy          left out if the request brought its own limit
  source          who decided, if not the store: remembered, for a refusal that
                  still holds; local, allow or deny, while the store fails
  limits          what each limit says, if there are several; then remaining,
                  reset_after_ms and delay_ms above are those of all together

Times are milliseconds from now, rounded up. The header fields X-RateLimit-*,
RateLimit-Policy and RateLimit say the same in seconds, and Retry-After on a
refusal. Errors are problem details (RFC 9457) that name the field, the value
and a good example: 400, 404 for an unknown policy, 405, 413 above 64 KiB.

  GET /healthz    {"status":"ok"}; while the store fails, degraded, or 503 and
                  failing if requests are then refused or not decided
  GET /metrics    for Prometheus

At / there is a page for browsers: a playground, stories, and a dashboard of
what happens now. The dashboard answers this machine only, unless --dashboard
says otherwise, and never shows a key that is a secret. To reset a key takes a
token, printed at the start; AFORO_TOKEN in the environment sets one.

More: docs/PAGE.md, and docs/API.md for POST /v1/simulate.

The configuration is YAML:

  listen: 127.0.0.1:8080
  store: redis://127.0.0.1:6379   # default: memory
  on_store_failure: local 4       # or allow, deny; default: answer 503
  policies:
    public-api:
      limit: 100/minute burst 20
    export:
      key: header X-Api-Key      # optional; secrets are never shown
      limits: [leaky_bucket 2/s burst 10, 500/day]`,
		Example: `  # With three policies to try
  aforo serve

  # With your own
  aforo serve --config aforo.yaml

  # With states in Redis, where several servers share them
  aforo serve --store redis://127.0.0.1:6379

  # For other machines as well, on every address of this one
  aforo serve --config aforo.yaml --listen :8080`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), o, s)
		},
	}
	cmd.Flags().StringVarP(&o.config, "config", "c", "", "file with the policies (default: three to try)")
	cmd.Flags().StringVar(&o.listen, "listen", "",
		"host:port to listen on; port 0 takes a free one (default: that of the file, or "+config.DefaultListen+")")
	addStoreFlag(cmd, &o.store)
	cmd.Flags().StringVar(&o.dashboard, "dashboard", string(server.FromLoopback),
		"who may look at the dashboard: loopback, anywhere or off")
	return cmd
}

func serve(ctx context.Context, o serveOptions, s streams) error {
	c, err := serveConfig(o, s)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(s.err, nil))
	options, err := o.server()
	if err != nil {
		return err
	}
	states, err := backend.Open(c.Store, log)
	if err != nil {
		return err
	}
	defer states.Close()
	handler, err := server.New(c.Policies, log, append(options, server.WithBackend(states, c.OnStoreFailure))...)
	if err != nil {
		return err
	}
	// A second signal ends the process at once.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	defer stop()
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return listenError(c.Listen, err)
	}
	go states.Advise(ctx)
	log.Info("started", "address", listener.Addr().String(), "policies", len(c.Policies), "store", states.String())
	if err := printBanner(s.out, listener.Addr(), o.config, c.Policies, handler); err != nil {
		log.Warn("the addresses could not be printed", "error", err)
	}
	return handler.Serve(ctx, listener)
}

// server is what the server is told beside its configuration.
func (o serveOptions) server() (options []server.Option, err error) {
	switch from := server.Watching(o.dashboard); from {
	case server.FromLoopback, server.FromAnywhere, server.FromNowhere:
		options = append(options, server.WithWatching(from))
	case "": // started by a test or another command
	default:
		return nil, usageError("--dashboard %q: write loopback, anywhere or off; for example: --dashboard loopback", o.dashboard)
	}
	if token := os.Getenv("AFORO_TOKEN"); token != "" {
		if len(token) < 16 {
			return nil, usageError("AFORO_TOKEN has %d bytes; whoever guesses it resets keys, so that the least is 16", len(token))
		}
		options = append(options, server.WithToken(token))
	}
	return options, nil
}

// serveConfig is the configuration with what the flags say instead.
func serveConfig(o serveOptions, s streams) (config.Config, error) {
	c := config.Default()
	if o.config != "" {
		read, err := readConfig(o.config, s.in)
		if err != nil {
			return c, err
		}
		c = *read
	}
	if o.listen != "" {
		if err := config.CheckListen(o.listen); err != nil {
			return c, usageError("--listen: %v", err)
		}
		c.Listen = o.listen
	}
	if c.Listen == "" {
		c.Listen = config.DefaultListen
	}
	address, err := storeAddress(o.store)
	if err == nil && address != "" {
		c.Store.Address = address
	}
	return c, err
}

// listenError says what to do about an address that cannot be listened on.
func listenError(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("cannot listen on %s: another program does; choose another port, or a free one: --listen 127.0.0.1:0", address)
	case errors.Is(err, syscall.EACCES), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("cannot listen on %s: not permitted; ports below 1024 need privileges; for example: --listen %s", address, config.DefaultListen)
	}
	return fmt.Errorf("cannot listen on %s: %w; for example: --listen %s", address, err, config.DefaultListen)
}
