package server

import (
	"context"
	"encoding/json"
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
	answerAtOnce   = 16              // that wait, are played, or are being read by who asked
	simulateTime   = 5 * time.Second // for waiting and playing together
)

// simulate answers POST /v1/simulate.
func (s *Server) simulate(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, simulate.MaxBody))
	if err != nil {
		unreadable(w, r, err, simulate.GoodRequest)
		return
	}
	text, leave, err := s.inTurn(r, func(ctx context.Context) (any, error) {
		request, err := simulate.Parse(body)
		if err != nil {
			return nil, err
		}
		return simulate.Run(ctx, request)
	})
	defer leave()
	switch {
	case isOver(err):
		simulateBusy(w, r)
	case err != nil:
		badSimulation(w, r, err)
	default:
		answerText(w, r, http.StatusOK, "application/json", text)
	}
}

// inTurn does some work when it is its turn, and makes the text of an answer of
// what it finds. Who reads the answer slowly takes no turn from anybody: only a
// place among those that are answered, until leave gives it back.
func (s *Server) inTurn(r *http.Request, work func(ctx context.Context) (any, error)) (text []byte, leave func(), err error) {
	ctx, cancel := context.WithTimeout(r.Context(), simulateTime)
	defer cancel()
	select {
	case s.answering <- struct{}{}:
	case <-ctx.Done():
		return nil, func() {}, ctx.Err()
	}
	leave = func() { <-s.answering }
	select {
	case s.simulating <- struct{}{}:
	case <-ctx.Done():
		return nil, leave, ctx.Err()
	}
	defer func() { <-s.simulating }()
	found, err := work(ctx)
	if err != nil {
		return nil, leave, err
	}
	text, err = json.Marshal(found)
	return text, leave, err
}

// isOver tells whether the time for some work was over before it was done.
func isOver(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
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
