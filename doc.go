// Package aforo limits rates: it answers, for each client, whether it has done
// too much, too recently. It knows five algorithms behind one API, decides in
// exact integer arithmetic, and keeps its state in this process or in a store
// that is shared.
//
//	limiter, err := aforo.New("100/minute burst 20")
//	...
//	d, err := limiter.Allow(ctx, "user:42")
//	if err != nil {
//		return err // no decision could be made
//	}
//	if !d.Allowed {
//		return fmt.Errorf("too many requests: retry in %v", d.RetryAfter)
//	}
//
// Make one limiter for each thing that is limited, and keep it.
//
// # Verbs
//
// Allow decides at once; Wait returns when it is the request's turn; Reserve
// takes a place in line to act on later. Peek looks, Charge counts what is
// known only afterwards, Refund gives back, Reset forgets. Each takes a key,
// whose usage it is; those ending in N take a cost in units.
//
// # Limits
//
// A limit is written the same everywhere: see ParseLimit. Several limits hold
// together, as in "10/s burst 20, 1000/h": all allow and count a request, or
// none does. Numbers that cannot be held exactly are refused when the limit is
// made; nothing is ever rounded, and nothing drifts.
//
// # Rules and stores
//
// The rules are the methods Take, Peek, Charge, Refund and Undo of Limit: pure
// functions of a State, an instant and a cost. A Store applies them to the
// states that it keeps. Package storetest holds the tests that every store
// passes; package httplimit speaks HTTP.
package aforo
