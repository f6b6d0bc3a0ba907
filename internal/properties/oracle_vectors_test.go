package properties

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/aforo-dev/aforo"
)

// vectors are published sequences with their right answers.
type vectors struct {
	Cases, Refused []struct {
		Rate  int64
		PerUs int64 `json:"per_us"`
		Burst int64
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
}

func readVectors(t *testing.T, a aforo.Algorithm) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("../../storetest/vectors/" + a.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The oracles are only worth something if they agree with the vectors, which
// somebody else has made.
func TestOraclesAnswerAsTheVectorsSay(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			v := readVectors(t, a)
			for _, r := range v.Refused {
				if tick, ok := finestTick(numbers{a, r.Rate, r.PerUs, r.Burst}); ok {
					t.Errorf("%d per %dus: tick %v", r.Rate, r.PerUs, tick)
				}
			}
			for n, c := range v.Cases {
				o := newOracle(numbers{a, c.Rate, c.PerUs, c.Burst})
				for i, s := range c.Steps {
					var got aforo.Verdict
					switch s.Op {
					case "take":
						got = o.take(s.AtUs, s.Cost)
					case "peek":
						got = o.decide(s.AtUs, s.Cost)
					case "charge":
						if _, held := o.charge(s.AtUs, s.Cost); !held {
							t.Fatalf("%+v, step %d: not held", o.numbers, i)
						}
						continue
					case "refund":
						o.refund(s.AtUs, s.Cost)
						continue
					}
					want := aforo.Verdict{Allowed: s.Allowed, Remaining: s.Remaining,
						Retry: s.RetryUs, Reset: s.ResetUs, Delay: s.DelayUs, At: s.AtUs}
					if got != want {
						t.Fatalf("limit %d, %+v, step %d: %s of %d at %d\n got %+v\nwant %+v",
							n, o.numbers, i, s.Op, s.Cost, s.AtUs, got, want)
					}
				}
			}
		})
	}
}
