package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/backend"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
)

type checkOptions struct {
	limit, policy string
	server, store string
	cost, times   int64
	timeout       time.Duration
	output        string
}

func newCheckCommand(s streams) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check KEY",
		Short: "Ask whether a key may do something now",
		Long: `Check asks for a decision, prints it, and exits with 3 if it is a refusal. It
decides in this process, where every run starts from nothing; or with states in
Redis; or asks a server that "aforo serve" runs.

With --output json each decision is an object on a line of its own: the answer
of POST /v1/check, which "aforo serve --help" describes.`,
		Example: `  # Three times in this process: see the third refused
  aforo check --limit "sliding_window_log 2/15m" --times 3 user:42

  # With states in Redis, where the next run finds them
  aforo check --store redis://127.0.0.1:6379 --limit 5/1m user:42

  # A policy of a running server
  aforo check --server http://127.0.0.1:8080 --policy login user:42

  # For a shell script
  aforo check --limit 100/m --cost 20 --output json user:42`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError("the key is missing; for example: aforo check --limit 5/1m user:42")
			case len(args) > 1:
				return usageError("there are %d keys, %q and %q; quote one with spaces; for example: aforo check --limit 5/1m user:42", len(args), args[0], args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return check(cmd.Context(), args[0], o, s) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.limit, "limit", "", `limit to check, as in "100/minute burst 20" (default none)`)
	flags.StringVar(&o.policy, "policy", "", "policy of the server to check, instead of a limit (default none)")
	addStoreFlag(cmd, &o.store)
	flags.StringVar(&o.server, "server", "", "server to ask, as in http://127.0.0.1:8080 (default: decide in this process)")
	flags.Int64Var(&o.cost, "cost", 1, "units that the request costs; 0 only looks")
	flags.Int64Var(&o.times, "times", 1, "how often to ask")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Second, "how long the server may take for an answer")
	addOutputFlag(cmd, &o.output)
	return cmd
}

// asker makes a decision.
type asker func(ctx context.Context) (api.Answer, error)

func check(ctx context.Context, key string, o checkOptions, s streams) error {
	ask, err := o.asker(key)
	if err != nil {
		return err
	}
	refused := false
	for i := int64(1); i <= o.times; i++ {
		answer, err := ask(ctx)
		if err != nil {
			return err
		}
		refused = refused || !answer.Allowed
		if err := printAnswer(s, o, i, &answer); err != nil {
			return err
		}
	}
	if refused {
		return errRefused
	}
	return nil
}

// asker checks the options and says who is to be asked.
func (o *checkOptions) asker(key string) (asker, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var limits aforo.Limits
	if o.policy == "" {
		var err error
		if limits, err = aforo.ParseLimits(o.limit); err != nil {
			return nil, usageError("--limit: %s", lines(err)[0])
		}
	}
	if o.server == "" {
		address, err := storeAddress(o.store)
		if err != nil {
			return nil, err
		}
		return askHere(limits, key, o.cost, address)
	}
	server, err := url.Parse(o.server)
	if err != nil || server.Scheme != "http" && server.Scheme != "https" || server.Host == "" || server.RawQuery != "" {
		return nil, usageError("--server %q is not the URL of a server; for example: http://127.0.0.1:8080", o.server)
	}
	if !utf8.ValidString(key) {
		return nil, usageError("the key %q is not UTF-8, which is all that a server takes; for example: user:42", key)
	}
	request := api.Request{Policy: o.policy, Limit: o.limit, Key: key, Cost: o.cost}
	return askServer(server, request, o.timeout), nil
}

func (o *checkOptions) check() error {
	switch {
	case o.limit != "" && o.policy != "":
		return usageError("there are both --limit and --policy; give one of them; for example: --limit 5/1m")
	case o.limit == "" && o.policy == "":
		return usageError("there is neither --limit nor --policy; for example: --limit 5/1m")
	case o.server != "" && o.store != "":
		return usageError("there are both --server and --store; a server has its own store; give one of them; for example: --server http://127.0.0.1:8080")
	case o.policy != "" && o.server == "":
		return usageError("--policy %q is one of a server, and there is no --server; for example: --server http://127.0.0.1:8080", o.policy)
	case o.cost < 0 || o.cost > api.MaxCost:
		return usageError("--cost %d: it is from 0, which only looks, to %d; for example: --cost 1", o.cost, int64(api.MaxCost))
	case o.times < 1:
		return usageError("--times %d: the smallest is 1; for example: --times 3", o.times)
	case o.timeout <= 0:
		return usageError("--timeout %v: it must be more than 0; for example: --timeout 5s", o.timeout)
	}
	return checkOutput(o.output)
}

// askHere decides in this process, with a store that is new or, if it has an address,
// in Redis. Limits share their state with those that requests bring to a server.
func askHere(limits aforo.Limits, key string, cost int64, address string) (asker, error) {
	states, err := backend.Open(config.Store{Address: address, Budget: time.Second}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	store, err := states.Store(0)
	if err != nil {
		return nil, err
	}
	limiter, err := backend.Limiter(limits, store)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (api.Answer, error) {
		d, each, err := limiter.AllowEach(ctx, key, cost, nil)
		if err != nil {
			return api.Answer{}, err
		}
		return api.NewAnswer("", limiter, d, each), nil
	}, nil
}

func printAnswer(s streams, o checkOptions, number int64, a *api.Answer) error {
	if o.output == "json" {
		return json.NewEncoder(s.out).Encode(a)
	}
	prefix := ""
	if o.times > 1 {
		prefix = fmt.Sprintf("%*d  ", len(fmt.Sprint(o.times)), number)
	}
	_, err := fmt.Fprintf(s.out, "%s%s\n", prefix, sentence(a, o.cost))
	return err
}
