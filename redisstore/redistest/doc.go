// Package redistest starts real Redis and Valkey servers for tests: a single
// one, a cluster, a Sentinel set, each on free ports of this machine and with
// its data in the test's temporary folder. They are killed when the test ends,
// and by the kernel if the test's process dies before (on Linux).
//
// The server is redis-server, or valkey-server, from PATH; the environment's
// AFORO_REDIS_SERVER names another binary (for example:
// AFORO_REDIS_SERVER=/opt/valkey/bin/valkey-server).
//
// A test can do to them what happens in production: kill and restart, stop
// and continue (SIGSTOP), step the clock, move slots, fail over; and a Proxy
// before a server delays, loses and cuts what goes through it.
//
// Whatever cannot be done ends the test with tb.Fatal, so functions must be
// called from the test's own goroutine unless they say otherwise.
package redistest
