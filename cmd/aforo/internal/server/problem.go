package server

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// example is a request that goes through the door most asked for.
const example = "POST /v1/check with " + api.GoodRequest

// answerProblem writes a response of one problem, whose status is set.
func answerProblem(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	answerJSON(w, r, p.Status, api.ProblemType, p)
}

// badRequest answers a request that cannot be understood.
func badRequest(w http.ResponseWriter, r *http.Request, err error) {
	p := &api.Problem{Status: http.StatusBadRequest, Detail: err.Error(), Example: api.GoodRequest}
	var wrong *api.RequestError
	if errors.As(err, &wrong) {
		p.Field, p.Value, p.Example = wrong.Field, wrong.Value, wrong.Good
	}
	answerProblem(w, r, p)
}

// unreadable answers a request whose body is too large, or did not all come.
func unreadable(w http.ResponseWriter, r *http.Request, err error, good string) {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		answerProblem(w, r, &api.Problem{
			Status:  http.StatusRequestEntityTooLarge,
			Detail:  fmt.Sprintf("the body has more than %d bytes, the most that is read; for example: %s", large.Limit, good),
			Example: good,
		})
		return
	}
	answerProblem(w, r, &api.Problem{
		Status:  http.StatusBadRequest,
		Detail:  "the body did not arrive in full; for example: " + good,
		Example: good,
	})
}

// noPolicy answers a request for a policy that does not exist.
func (s *Server) noPolicy(w http.ResponseWriter, r *http.Request, name string) {
	p := &api.Problem{
		Status: http.StatusNotFound, Field: "policy", Value: quoted(name), Policies: s.names[:min(len(s.names), mostListed)],
		Detail: fmt.Sprintf("there is no policy %s", quoted(name)),
	}
	if len(s.names) > 0 {
		p.Example = fmt.Sprintf(`{"policy":%q,"key":"user:42"}`, s.names[0])
		p.Detail += fmt.Sprintf("; there are %s; for example: %s", list(s.names), p.Example)
	}
	answerProblem(w, r, p)
}

// noDoor answers a request for a path that does not exist.
func (s *Server) noDoor(w http.ResponseWriter, r *http.Request) {
	doors := make([]string, len(s.doors))
	for i, door := range s.doors {
		doors[i] = door.Method + " " + door.Path
	}
	answerProblem(w, r, &api.Problem{
		Status:  http.StatusNotFound,
		Detail:  fmt.Sprintf("there is nothing at %s; there are %s; for example: %s", quoted(r.URL.Path), list(doors), example),
		Example: example,
		Doors:   doors,
	})
}

// failed answers a request for which no decision could be made.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil && s.backend.Health() == nil { // of a store that fails is told elsewhere
		s.log.Error("no decision", "error", err)
	}
	w.Header().Set("Retry-After", "1")
	answerProblem(w, r, &api.Problem{
		Status: http.StatusServiceUnavailable,
		Detail: "whether this request is within its limit could not be found out",
	})
}

// mostListed bounds how many policies an error names.
const mostListed = 20

// list is names in a sentence, cut if there are many.
func list(names []string) string {
	text := ""
	for i, name := range names {
		switch {
		case i == mostListed:
			return fmt.Sprintf("%s and %d more", text, len(names)-mostListed)
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// bounded cuts what a client sent before it is sent back.
func bounded(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

func quoted(text string) string { return strconv.Quote(bounded(text)) }
