package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// StopTimeout is how long requests that are in flight may take when the server
// stops.
const StopTimeout = 10 * time.Second

// Serve answers on a listener until ctx ends. Then it takes no more requests,
// and returns when those in flight are answered; nil, unless some took too long
// and were cut off.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	web := &http.Server{
		Handler: s,
		// A request is a few hundred bytes, so who takes long does so on purpose.
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	web.RegisterOnShutdown(s.events.stop)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping", "at_most", StopTimeout)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTimeout)
	defer cancel()
	err := web.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		_ = web.Close()
		return fmt.Errorf("requests in flight were cut off: they took longer than %v to finish", StopTimeout)
	}
	<-ended
	s.log.Info("stopped")
	return err
}
