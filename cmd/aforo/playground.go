package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/server"
)

type playgroundOptions struct {
	listen string
	noOpen bool
}

func newPlaygroundCommand(s streams) *cobra.Command {
	var o playgroundOptions
	cmd := &cobra.Command{
		Use:   "playground",
		Short: "Open a page that shows what limits do",
		Long: `Playground opens a page in your browser: paint traffic, and see what each of the
five algorithms does with it, side by side, and why. It needs no configuration
and no network: the page asks this process, which plays the real rules. It
listens on this machine only, on a port that is free, and stops on Ctrl-C.

The page is also at / of aforo serve. It speaks English and Spanish: add
?lang=es to its address.`,
		Example: `  aforo playground

  # Only print the address
  aforo playground --no-open --listen 127.0.0.1:8090`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return playground(cmd.Context(), o, s)
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "host:port to listen on; port 0 takes a free one")
	cmd.Flags().BoolVar(&o.noOpen, "no-open", false, "do not open a browser (default false)")
	return cmd
}

func playground(ctx context.Context, o playgroundOptions, s streams) error {
	if err := config.CheckListen(o.listen); err != nil {
		return usageError("--listen: %v", err)
	}
	handler, err := server.New(config.Default().Policies, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	defer stop()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return listenError(o.listen, err)
	}
	url, everywhere := baseURL(listener.Addr())
	if _, err := fmt.Fprintf(s.out, "Aforo listens on %s%s\n\nOpen %s/ in a browser. Keys are reset there with this token: %s\nStop with Ctrl-C.\n",
		url, everywhere, url, handler.Token()); err != nil {
		_ = listener.Close()
		return err
	}
	if !o.noOpen {
		openBrowser(url + "/")
	}
	return handler.Serve(ctx, listener)
}

// openBrowser tries; whoever has no browser here has read where to go.
func openBrowser(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return // it would open one in this terminal
		}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
