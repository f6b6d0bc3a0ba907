// Package redisstore keeps the states of aforo's limiters in Redis or Valkey: so
// the limit is the limit, for any number of processes.
//
//	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{"127.0.0.1:6379"}, DisableRetry: true})
//	store, err := redisstore.New(client)
//	limiter, err := aforo.New("100/minute burst 20", aforo.WithStore(store), aforo.OnStoreFailure(aforo.FailLocal(4)))
//
// or, by an address:
//
//	store, err := redisstore.Open("redis://127.0.0.1:6379")
//
// Every call is one script, one round trip, whatever the number of limits, on the
// server's clock, and has a budget of time. The scripts are the twins of the rules
// in package aforo: they decide, and answer with the state that they found, of
// which the rules then make the verdict.
//
// It works on Redis 6.2 and later and on Valkey, single, with replicas, Sentinel
// or Cluster. All limits of one key lie in one slot. A call whose outcome is not
// known is not sent again.
package redisstore
