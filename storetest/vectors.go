package storetest

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
)

// The vectors are sequences on one key with the right answers, calculated by
// an exact oracle that shares no code with the rules. Times step back in
// places, on purpose.
//
//go:embed vectors/*.json
var vectorFiles embed.FS

// A vector is a limit and steps in order on one key that was never used.
type vector struct {
	Rate  int64
	PerUs int64 `json:"per_us"`
	Burst *int64
	Steps []vectorStep
}

type vectorStep struct {
	Op        string
	AtUs      int64 `json:"at_us"`
	Cost      int64
	Allowed   bool
	Remaining int64
	RetryUs   int64 `json:"retry_us"`
	ResetUs   int64 `json:"reset_us"`
	DelayUs   int64 `json:"delay_us"`
}

var vectorOps = map[string]aforo.Op{
	"take": aforo.OpTake, "peek": aforo.OpPeek, "charge": aforo.OpCharge, "refund": aforo.OpRefund,
}

func (v *vector) limit(a aforo.Algorithm) aforo.Limit {
	l := aforo.Per(v.Rate, time.Duration(v.PerUs)*time.Microsecond).Using(a)
	if v.Burst != nil {
		l = l.Burst(*v.Burst)
	}
	return l
}

func readVectors(t *testing.T, a aforo.Algorithm) (file struct{ Cases, Refused []vector }) {
	t.Helper()
	data, err := vectorFiles.ReadFile("vectors/" + a.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 25 || len(file.Refused) < 3 {
		t.Fatalf("%d cases, %d refused: the file of %v is not whole", len(file.Cases), len(file.Refused), a)
	}
	return file
}

func testVectors(t *testing.T, newStore New) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			s := newSubject(t, newStore)
			for i, v := range readVectors(t, a).Cases {
				s.t = t
				s.playVector(v, v.limit(a), fmt.Sprint("vector ", i))
			}
		})
	}
}

// playVector plays each vector on a key of its own.
func (s *subject) playVector(v vector, l aforo.Limit, key string) {
	s.t.Helper()
	limits := []aforo.Limit{l}
	verdicts := make([]aforo.Verdict, 1)
	for i, step := range v.Steps {
		s.clock.set(step.AtUs)
		call := aforo.Call{Op: vectorOps[step.Op], Key: key, Limits: limits, Cost: step.Cost}
		if err := s.store.Do(context.Background(), call, verdicts); err != nil {
			s.t.Fatalf("%s, %v, step %d: %v", key, l, i, err)
		}
		if call.Op != aforo.OpTake && call.Op != aforo.OpPeek {
			continue
		}
		want := aforo.Verdict{Allowed: step.Allowed, Remaining: step.Remaining, Retry: step.RetryUs,
			Reset: step.ResetUs, Delay: step.DelayUs, At: step.AtUs}
		if verdicts[0] != want {
			s.t.Fatalf("%s, %v, step %d: %s of %d at %d\n got %+v\nwant %+v",
				key, l, i, step.Op, step.Cost, step.AtUs, verdicts[0], want)
		}
	}
}
