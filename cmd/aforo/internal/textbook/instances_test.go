package textbook

import (
	"testing"

	"github.com/aforo-dev/aforo/sim"
)

// instances is the most that passed in any minute through so many instances, each
// with a fixed window of 100 a minute in its own memory, or in a shared store.
type instances struct {
	N           int
	Own, Shared int64
}

func measureInstances(t *testing.T) (list []instances) {
	for _, n := range []int{1, 2, 4, 8} {
		most := func(shared bool) int64 {
			return run(t, "steady 20/s for 3m", "fixed_window 100/m", sim.Options{Instances: sim.Instances{N: n, Shared: shared}}).Most.Units
		}
		list = append(list, instances{n, most(false), most(true)})
	}
	return list
}
