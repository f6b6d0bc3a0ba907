package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// maxAnswer bounds what is read of a server's answer, which may be no Aforo
// server at all.
const maxAnswer = 1 << 20

// askServer asks a server over HTTP.
func askServer(server *url.URL, request api.Request, timeout time.Duration) asker {
	client := &http.Client{
		Timeout: timeout,
		// A decision is asked for once, and of whom was named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	door := server.JoinPath("v1/check").String()
	body, _ := json.Marshal(request) // strings and a number: it cannot fail
	return func(ctx context.Context) (api.Answer, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, door, bytes.NewReader(body))
		if err != nil {
			return api.Answer{}, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, "+api.ProblemType)
		response, err := client.Do(r)
		if err != nil {
			return api.Answer{}, noAnswer(server, timeout, err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		if err != nil {
			return api.Answer{}, noAnswer(server, timeout, err)
		}
		return readAnswer(server, response, text)
	}
}

// noAnswer says why there is none, and what to do about it.
func noAnswer(server *url.URL, timeout time.Duration, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var timedOut net.Error
	if errors.As(err, &timedOut) && timedOut.Timeout() {
		return fmt.Errorf("no answer from %s within %v; is it an Aforo server? for more time: --timeout %v", server.Redacted(), timeout, 10*timeout)
	}
	return fmt.Errorf("no answer from %s: %w; is the server running? start one with: aforo serve", server.Redacted(), err)
}

// readAnswer reads an answer that only an Aforo server would give.
func readAnswer(server *url.URL, response *http.Response, text []byte) (api.Answer, error) {
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case mediaType == api.ProblemType:
		var p api.Problem
		if json.Unmarshal(text, &p) == nil && p.Detail != "" {
			return api.Answer{}, fmt.Errorf("%s answers %s: %s", server.Redacted(), response.Status, oneLine(p.Detail))
		}
	case response.StatusCode == http.StatusOK || response.StatusCode == http.StatusTooManyRequests:
		var a api.Answer
		said := struct{ Allowed, Limit any }{}
		if json.Unmarshal(text, &a) == nil && json.Unmarshal(text, &said) == nil &&
			said.Allowed == (response.StatusCode == http.StatusOK) && said.Limit != nil {
			return a, nil
		}
	}
	return api.Answer{}, fmt.Errorf("%s answers %s with %s: this is not an Aforo server; start one with: aforo serve",
		server.Redacted(), response.Status, contentType(response))
}

func contentType(response *http.Response) string {
	if t := response.Header.Get("Content-Type"); t != "" {
		return fmt.Sprintf("%q", t)
	}
	return "no content type"
}
