package redisstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/redisstore"
	"github.com/aforo-dev/aforo/redisstore/redistest"
)

// TestLimitsOfDifferentSubjects: a user's limit and a tenant's lie in different slots
// of a cluster. Who asks both, and gives back to the first what the second refuses,
// admits what the tenant may have, and leaves nobody charged for more.
func TestLimitsOfDifferentSubjects(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t)
	store := open(t, cluster.URL(), redisstore.WithBudget(unhurried))
	make := func(name, limits string) *aforo.Limiter {
		l, err := aforo.New(limits, aforo.WithName(name), aforo.WithStore(store))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	perUser, perTenant := make("user", "fixed_window 20/d, 20/d"), make("tenant", "sliding_window_log 50/d")
	ctx := context.Background()
	var admitted [8]atomic.Int64 // by user
	var group sync.WaitGroup
	for user := range admitted {
		for range 4 {
			group.Add(1)
			go func() {
				defer group.Done()
				for range 10 {
					key := fmt.Sprint("user ", user)
					d, err := perUser.Allow(ctx, key)
					if err != nil {
						t.Error(err)
					}
					if !d.Allowed {
						continue
					}
					if d, err = perTenant.Allow(ctx, "tenant"); err != nil {
						t.Error(err)
					}
					if d.Allowed {
						admitted[user].Add(1)
					} else if err := perUser.Refund(ctx, key, 1); err != nil {
						t.Error(err)
					}
				}
			}()
		}
	}
	group.Wait()
	total := int64(0)
	for user := range admitted {
		n := admitted[user].Load()
		total += n
		d, err := perUser.Peek(ctx, fmt.Sprint("user ", user), 0)
		if err != nil || d.Remaining != 20-n {
			t.Errorf("user %d was admitted %d times, and has %d left of 20 (%v)", user, n, d.Remaining, err)
		}
	}
	if total != 50 {
		t.Errorf("%d were admitted, the tenant may have 50", total)
	}
}
