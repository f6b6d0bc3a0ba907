package main

import "syscall"

// dieWithParent has the kernel end the server with this program, however that ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
