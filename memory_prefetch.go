//go:build (amd64 || arm64) && gc && !purego

package aforo

// prefetch asks for the cache line at an address, and does not wait until it has
// come. Go has no other way to say it.
func prefetch(address uintptr)
