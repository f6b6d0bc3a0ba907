//go:build !linux

package main

import "syscall"

// dieWithParent is known to Linux only: elsewhere the server outlives a program
// that is killed.
func dieWithParent() *syscall.SysProcAttr { return nil }
