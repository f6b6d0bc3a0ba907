package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
)

// A simulation is work that anybody may ask for, so that it must not take the
// machine from those who ask for decisions.
const (
	simulateAtOnce = 2               // the others wait for their turn
	simulateTime   = 5 * time.Second // for waiting and playing together
)

// simulate answers POST /v1/simulate.
func (s *Server) simulate(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, simulate.MaxBody))
	if err != nil {
		unreadable(w, r, err, simulate.GoodRequest)
		return
	}
	ctx, done := s.turn(w, r)
	if done == nil {
		return
	}
	defer done()
	request, err := simulate.Parse(body)
	if err != nil {
		badSimulation(w, r, err)
		return
	}
	result, err := simulate.Run(ctx, request)
	var large *simulate.SizeError
	switch {
	case errors.As(err, &large):
		badSimulation(w, r, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		simulateBusy(w, r)
	case err != nil:
		s.failed(w, r, err)
	default:
		answerJSON(w, r, http.StatusOK, "application/json", result)
	}
}

// turn waits until something may be played, and says for how long: done ends it,
// and is nil if the wait was too long, which has been answered.
func (s *Server) turn(w http.ResponseWriter, r *http.Request) (ctx context.Context, done func()) {
	ctx, cancel := context.WithTimeout(r.Context(), simulateTime)
	select {
	case s.simulating <- struct{}{}:
		return ctx, func() { <-s.simulating; cancel() }
	case <-ctx.Done():
		cancel()
		simulateBusy(w, r)
		return ctx, nil
	}
}

// badSimulation answers a request that cannot be understood, or is too large.
func badSimulation(w http.ResponseWriter, r *http.Request, err error) {
	var large *simulate.SizeError
	if !errors.As(err, &large) {
		badRequest(w, r, err)
		return
	}
	answerProblem(w, r, &api.Problem{Status: http.StatusRequestEntityTooLarge, Detail: large.Error(), Field: large.Field, Example: large.Good})
}

func simulateBusy(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	answerProblem(w, r, &api.Problem{
		Status: http.StatusServiceUnavailable,
		Detail: fmt.Sprintf("the simulation was not done after %v, which is all that one may take: others are being played; try again, or with fewer arrivals", simulateTime),
	})
}
