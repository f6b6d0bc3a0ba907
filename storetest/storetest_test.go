package storetest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// A suite is worth what it finds: each of these stores has one fault, and the
// suite must see it.

type faulty struct {
	*aforo.Memory
	fault func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error
	mu    sync.Mutex
	calls int
}

func (s *faulty) Do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	return s.fault(s, ctx, call, verdicts)
}

func (s *faulty) do(ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
	return s.Memory.Do(ctx, call, verdicts)
}

var faults = map[string]func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error{
	"shares state between names": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		call.Name = ""
		return s.do(ctx, call, verdicts)
	},
	"joins name and key": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		call.Name, call.Key = "", call.Name+call.Key
		return s.do(ctx, call, verdicts)
	},
	"cuts keys at a zero byte": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		call.Key, _, _ = strings.Cut(call.Key, "\x00")
		return s.do(ctx, call, verdicts)
	},
	"counts limits one after the other": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		for i := range call.Limits {
			one := call
			one.Limits = call.Limits[i : i+1]
			var v []aforo.Verdict
			if verdicts != nil {
				v = verdicts[i : i+1]
			}
			if err := s.do(ctx, one, v); err != nil {
				return err
			}
		}
		return nil
	},
	"counts what is refused": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		err := s.do(ctx, call, verdicts)
		if call.Op == aforo.OpTake && err == nil && !verdicts[0].Allowed && call.Cost == 1 {
			call.Op = aforo.OpCharge
			return s.do(ctx, call, nil)
		}
		return err
	},
	"looks before it counts": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		if call.Op != aforo.OpTake || call.Prompt || call.At != 0 {
			return s.do(ctx, call, verdicts)
		}
		peek := call
		peek.Op = aforo.OpPeek
		if err := s.do(ctx, peek, verdicts); err != nil || !verdicts[0].Allowed {
			return err
		}
		runtime.Gosched() // the race that it has, a little wider
		call.Op = aforo.OpCharge
		return s.do(ctx, call, nil)
	},
	"rounds waits to milliseconds": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		err := s.do(ctx, call, verdicts)
		for i := range verdicts {
			if verdicts[i].Retry > 0 {
				verdicts[i].Retry -= verdicts[i].Retry % 1000
			}
		}
		return err
	},
	"ignores the instant of a turn": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		if call.Op == aforo.OpTake {
			call.At = 0
		}
		return s.do(ctx, call, verdicts)
	},
	"lets a waiter into the queue": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		call.Prompt = false
		return s.do(ctx, call, verdicts)
	},
	"refunds instead of undoing": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		if call.Op == aforo.OpUndo {
			call.Op = aforo.OpRefund
		}
		return s.do(ctx, call, verdicts)
	},
	"forgets now and then": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		s.mu.Lock()
		s.calls++
		forget := s.calls%97 == 0
		s.mu.Unlock()
		if forget {
			reset := call
			reset.Op = aforo.OpReset
			s.do(ctx, reset, nil)
		}
		return s.do(ctx, call, verdicts)
	},
	"takes the largest charge": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		err := s.do(ctx, call, verdicts)
		var debt *aforo.DebtError
		if errors.As(err, &debt) {
			call.Cost = debt.Largest
			return s.do(ctx, call, verdicts)
		}
		return err
	},
	"ignores contexts": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		return s.do(context.WithoutCancel(ctx), call, verdicts)
	},
	"cannot reset": func(s *faulty, ctx context.Context, call aforo.Call, verdicts []aforo.Verdict) error {
		if call.Op == aforo.OpReset {
			return nil
		}
		return s.do(ctx, call, verdicts)
	},
}

const faultVariable = "AFORO_STORETEST_FAULT"

func TestTheSuiteFindsFaults(t *testing.T) {
	for name := range faults {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFaultyStore$", "-test.timeout=60s")
			cmd.Env = append(os.Environ(), faultVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestFaultyStore") {
				t.Errorf("the suite passes a store that %s: %v\n%s", name, err, out)
			}
		})
	}
}

// TestFaultyStore is run by TestTheSuiteFindsFaults, with the fault's name; by
// itself it runs the suite on a store without one.
func TestFaultyStore(t *testing.T) {
	fault, ok := faults[os.Getenv(faultVariable)]
	if !ok {
		fault = (*faulty).do
	}
	Run(t, func(t *testing.T, clock func() time.Time) aforo.Store {
		return &faulty{Memory: aforo.NewMemory(aforo.WithMemoryClock(clock)), fault: fault}
	})
}
