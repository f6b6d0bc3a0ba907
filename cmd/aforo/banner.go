package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/server"
)

// printBanner tells a person what there is to try.
func printBanner(out io.Writer, address net.Addr, file string, policies []config.Policy, handler *server.Server) error {
	url, everywhere := baseURL(address)
	var b strings.Builder
	fmt.Fprintf(&b, "Aforo listens on %s%s\n\n", url, everywhere)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, door := range handler.Doors() {
		fmt.Fprintf(table, "  %s\t%s%s\t%s\n", door.Method, url, door.Path, door.Does)
	}
	_ = table.Flush() // to memory
	if file == "" {
		b.WriteString("\nPolicies to try, since there is no --config:\n")
	} else {
		fmt.Fprintf(&b, "\nPolicies of %s:\n", file)
	}
	writePolicies(&b, policies)
	fmt.Fprintf(&b, "\nTry it:\n  curl -i %s/v1/check -d '{\"policy\":\"%s\",\"key\":\"user:42\"}'\n", url, shellJSON(policies[0].Name))
	fmt.Fprintf(&b, "\nOpen %s/ in a browser. Keys are reset there with this token: %s\n", url, shownToken(handler.Token()))
	b.WriteString("\nStop with Ctrl-C.\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// shownToken is a token that was made for this run; one that was set is known.
func shownToken(token string) string {
	if os.Getenv("AFORO_TOKEN") != "" {
		return "that of AFORO_TOKEN"
	}
	return token
}

// baseURL is where a browser on this machine finds the server.
func baseURL(address net.Addr) (url, everywhere string) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return "http://" + address.String(), ""
	}
	if tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port), " and on every address of this machine"
	}
	return "http://" + tcp.String(), ""
}

// shellJSON is a name within JSON within the single quotes of a shell.
func shellJSON(name string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `'`, `'\''`).Replace(name)
}

// writePolicies says in plain words what each policy lets through.
func writePolicies(out io.Writer, policies []config.Policy) {
	for _, p := range policies {
		limits := p.Limits.List()
		name := p.Name
		if p.Key.Known() {
			name += ", by " + p.Key.String()
		}
		if len(limits) == 1 {
			fmt.Fprintf(out, "  %s: %s (%v)\n", name, config.Words(limits[0]), limits[0])
			continue
		}
		fmt.Fprintf(out, "  %s: all of\n", name)
		for _, l := range limits {
			fmt.Fprintf(out, "    %s (%v)\n", config.Words(l), l)
		}
	}
}
