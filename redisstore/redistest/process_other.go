//go:build !linux

package redistest

import "syscall"

// dieWithParent is known to Linux only: elsewhere a server outlives a test
// process that is killed.
func dieWithParent() *syscall.SysProcAttr { return nil }
