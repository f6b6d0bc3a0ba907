package redistest

import (
	"testing"
	"time"
)

// patience is how long a server may take to get where a test wants it. It is
// generous: only what hangs reaches it.
const patience = time.Minute

// Wait returns when a condition holds, which it looks at every 10 ms. It ends
// the test if that takes more than a minute; what says what was waited for.
func Wait(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(patience); !condition(); {
		if time.Now().After(deadline) {
			tb.Fatalf("waited %v in vain: %s", patience, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
