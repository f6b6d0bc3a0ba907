package aforo_test

import (
	"reflect"
	"testing"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/storetest"
)

func TestRulesAnswerAsTheVectorsSay(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			cases, refused := storetest.Vectors(t, a)
			for _, l := range refused {
				if err := l.Validate(); err == nil {
					t.Errorf("%v was not refused", l)
				}
			}
			for _, v := range cases {
				if err := v.Limit.Validate(); err != nil {
					t.Fatal(err)
				}
				playVector(t, &v.Limit, v.Steps)
			}
		})
	}
}

func playVector(t *testing.T, l *aforo.Limit, steps []storetest.Step) {
	t.Helper()
	var s aforo.State
	for i, step := range steps {
		before, at := s.Clone(), step.Want.At
		var got aforo.Verdict
		switch step.Op {
		case aforo.OpTake:
			s, got = l.Take(s, at, step.Cost)
		case aforo.OpPeek:
			got = l.Peek(s, at, step.Cost)
		case aforo.OpCharge:
			var err error
			if s, err = l.Charge(s, at, step.Cost); err != nil {
				t.Fatalf("%v step %d: %v", l, i, err)
			}
			continue
		case aforo.OpRefund:
			s = l.Refund(s, at, step.Cost)
			continue
		}
		if got != step.Want {
			t.Fatalf("%v step %d: %v of %d from %+v\n got %+v\nwant %+v", l, i, step.Op, step.Cost, before, got, step.Want)
		}
		if changes := step.Op == aforo.OpTake && got.Allowed && step.Cost > 0; !changes && !reflect.DeepEqual(before, s.Clone()) {
			t.Fatalf("%v step %d: a look or a refusal changed %+v to %+v", l, i, before, s)
		}
	}
}
