//go:build !(amd64 || arm64) || !gc || purego

package aforo

// prefetch does nothing where nobody has written how.
func prefetch(uintptr) {}
