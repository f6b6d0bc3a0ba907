package redistest

import "syscall"

// dieWithParent has the kernel kill a child when the test's process ends,
// however it ends.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
