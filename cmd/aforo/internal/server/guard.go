package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
)

// watched lets through to the dashboard's doors who may look at it. From this
// machine means: the connection does, it was not passed on by a proxy, the name
// in the address bar is one of this machine's own (or else a page of somebody
// else, whose name has been made to lead here, could read it), and the browser
// does not say that the question comes from another site.
func (s *Server) watched(door http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if detail := s.forbids(r); detail != "" {
			answerProblem(w, r, &api.Problem{Status: http.StatusForbidden, Detail: detail})
			return
		}
		door(w, r)
	}
}

// forbids says why somebody may not look at the dashboard; "" if they may.
func (s *Server) forbids(r *http.Request) string {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return "the dashboard answers its own page only, and not one of another site"
	}
	switch s.watching {
	case FromAnywhere:
		return ""
	case FromNowhere:
		return "the dashboard is off; to turn it on: aforo serve --dashboard loopback"
	}
	const how = "; to open it to whoever reaches the server: aforo serve --dashboard anywhere"
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "Via"} {
		if r.Header.Get(name) != "" {
			return "the dashboard answers this machine only, and this came through a proxy" + how
		}
	}
	if !isLoopback(r.RemoteAddr) || !isLoopback(r.Host) {
		return "the dashboard answers this machine only, at http://127.0.0.1 or http://localhost" + how
	}
	return ""
}

// isLoopback tells whether a host, with or without a port, is this machine.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
