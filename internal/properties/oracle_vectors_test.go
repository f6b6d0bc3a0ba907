package properties

import (
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/storetest"
)

// The oracles are only worth something if they agree with the vectors, which
// somebody else has made.
func TestOraclesAnswerAsTheVectorsSay(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			cases, _ := storetest.Vectors(t, a)
			for n, v := range cases {
				o := newOracle(numbers{a, v.Limit.Rate(), v.Limit.Period().Microseconds(), v.Limit.Capacity()})
				for i, s := range v.Steps {
					var got aforo.Verdict
					switch s.Op {
					case aforo.OpTake:
						got = o.take(s.Want.At, s.Cost)
					case aforo.OpPeek:
						got = o.decide(s.Want.At, s.Cost)
					case aforo.OpCharge:
						if _, held := o.charge(s.Want.At, s.Cost); !held {
							t.Fatalf("%+v, step %d: not held", o.numbers, i)
						}
						continue
					case aforo.OpRefund:
						o.refund(s.Want.At, s.Cost)
						continue
					}
					if got != s.Want {
						t.Fatalf("vector %d, %+v, step %d: %v of %d\n got %+v\nwant %+v", n, o.numbers, i, s.Op, s.Cost, got, s.Want)
					}
				}
			}
		})
	}
}
