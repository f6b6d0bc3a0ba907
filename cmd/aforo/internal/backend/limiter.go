package backend

import (
	"slices"
	"strings"

	"github.com/aforo-dev/aforo"
)

// Limiter is a limiter for limits that belong to no policy. It is made anew for each
// request, which costs next to nothing; what has been used is in the store, under a
// name that is made of the limits and that no policy can have. So there is no table
// of these limiters to fill up, and nothing that is being limited is forgotten for
// want of a place in it.
func Limiter(limits aforo.Limits, store aforo.Store) (*aforo.Limiter, error) {
	list := limits.List()
	texts := make([]string, len(list))
	for i, l := range list {
		texts[i] = l.String()
		list[i] = l.Named(texts[i]) // clients need not see the limiter's name
	}
	limits, err := aforo.NewLimits(list...)
	if err != nil {
		return nil, err
	}
	slices.Sort(texts) // their order means nothing
	return aforo.NewLimiter(limits, aforo.WithStore(store), aforo.WithName(" "+strings.Join(texts, ", ")))
}
