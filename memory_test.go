package aforo_test

import (
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) aforo.Store {
		return aforo.NewMemory(aforo.WithMemoryClock(clock))
	})
}
