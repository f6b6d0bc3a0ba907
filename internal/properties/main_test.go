package properties

import (
	"testing"

	"go.uber.org/goleak"
)

// No test may leave a goroutine behind: neither a waiter nor a timer's.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
