package main

import (
	"cmp"
	"slices"
)

// A client is a key that was refused at least once.
type client struct {
	Key      string
	Requests int64
	*refusals
}

// worst is the client that was refused most often, nil if nobody was. Of several
// it is the one that the log has first.
func (r *replay) worst(c *column) *client {
	if clients := r.clients(c, 1); len(clients) > 0 {
		return &clients[0]
	}
	return nil
}

// clients are the n that were refused most often, most of all first.
func (r *replay) clients(c *column, n int) (list []client) {
	keys := make([]uint32, 0, len(c.Clients))
	for k := range c.Clients {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(c.Clients[b].Count, c.Clients[a].Count), cmp.Compare(a, b))
	})
	for _, k := range keys[:min(n, len(keys))] {
		list = append(list, client{r.Traffic.Key(k), r.Requests[k], c.Clients[k]})
	}
	return list
}
