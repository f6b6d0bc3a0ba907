// Package properties holds tests and nothing else: it checks Aforo against
// independent exact oracles, random histories, and simulated time.
//
// It is a module of its own, so that the libraries it tests with never become
// dependencies of Aforo. To run it:
//
//	cd internal/properties && go test -race ./...
//
// and for longer than a minute:
//
//	go test ./... -rapid.checks=10000 -timeout=1h
//
// A property that fails prints the smallest history that rapid could find, and
// writes a file to replay it with -rapid.failfile.
package properties
