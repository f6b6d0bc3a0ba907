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

// The vectors are calculated by an exact oracle that shares no code with the
// rules. Times step back in places, on purpose.
//
//go:embed vectors/*.json
var vectorFiles embed.FS

// A Vector is a limit, and steps in order on one key that was never used.
type Vector struct {
	Limit aforo.Limit
	Steps []Step
}

// A Step is one operation of a vector, at Want.At. For OpTake and OpPeek, Want is
// the right answer.
type Step struct {
	Op   aforo.Op
	Cost int64
	Want aforo.Verdict
}

// vectorLimit is a limit as the files have it.
type vectorLimit struct {
	Rate  int64
	PerUs int64 `json:"per_us"`
	Burst *int64
}

func (v *vectorLimit) limit(a aforo.Algorithm) aforo.Limit {
	l := aforo.Per(v.Rate, time.Duration(v.PerUs)*time.Microsecond).Using(a)
	if v.Burst != nil {
		l = l.Burst(*v.Burst)
	}
	return l
}

// Vectors are the vectors of an algorithm, and limits that must not be valid.
func Vectors(t testing.TB, a aforo.Algorithm) (cases []Vector, refused []aforo.Limit) {
	t.Helper()
	data, err := vectorFiles.ReadFile("vectors/" + a.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			vectorLimit
			Steps []struct {
				Op        string
				AtUs      int64 `json:"at_us"`
				Cost      int64
				Allowed   bool
				Remaining int64
				RetryUs   int64 `json:"retry_us"`
				ResetUs   int64 `json:"reset_us"`
				DelayUs   int64 `json:"delay_us"`
			}
		}
		Refused []vectorLimit
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	ops := map[string]aforo.Op{"take": aforo.OpTake, "peek": aforo.OpPeek, "charge": aforo.OpCharge, "refund": aforo.OpRefund}
	for _, c := range file.Cases {
		v := Vector{Limit: c.limit(a)}
		for _, s := range c.Steps {
			v.Steps = append(v.Steps, Step{ops[s.Op], s.Cost, aforo.Verdict{Allowed: s.Allowed, Remaining: s.Remaining,
				Retry: s.RetryUs, Reset: s.ResetUs, Delay: s.DelayUs, At: s.AtUs}})
		}
		cases = append(cases, v)
	}
	for _, r := range file.Refused {
		refused = append(refused, r.limit(a))
	}
	if len(cases) < 25 || len(refused) < 3 {
		t.Fatalf("%d vectors, %d refused: those of %v are not whole", len(cases), len(refused), a)
	}
	return cases, refused
}

func testVectors(t *testing.T, newStore New) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			s := newSubject(t, newStore)
			cases, _ := Vectors(t, a)
			for i, v := range cases {
				s.playVector(v, fmt.Sprint("vector ", i))
			}
		})
	}
}

// playVector plays each vector on a key of its own.
func (s *subject) playVector(v Vector, key string) {
	s.t.Helper()
	verdicts := make([]aforo.Verdict, 1)
	for i, step := range v.Steps {
		s.clock.set(step.Want.At)
		call := aforo.Call{Op: step.Op, Key: key, Limits: []aforo.Limit{v.Limit}, Cost: step.Cost}
		if err := s.store.Do(context.Background(), call, verdicts); err != nil {
			s.t.Fatalf("%s, %v, step %d: %v", key, v.Limit, i, err)
		}
		anySource(verdicts)
		if looks := step.Op == aforo.OpTake || step.Op == aforo.OpPeek; looks && verdicts[0] != step.Want {
			s.t.Fatalf("%s, %v, step %d: %v of %d\n got %+v\nwant %+v", key, v.Limit, i, step.Op, step.Cost, verdicts[0], step.Want)
		}
	}
}
