package aforo

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"
)

// vector is a limit with steps on one key and what each must answer.
type vector struct {
	Rate  int64
	PerUs int64 `json:"per_us"`
	Burst *int64
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

func (v vector) limit(a Algorithm) Limit {
	l := Per(v.Rate, time.Duration(v.PerUs)*time.Microsecond).Using(a)
	if v.Burst != nil {
		l = l.Burst(*v.Burst)
	}
	return l
}

func readVectors(t *testing.T, a Algorithm) (file struct{ Cases, Refused []vector }) {
	t.Helper()
	data, err := os.ReadFile("storetest/vectors/" + a.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 25 || len(file.Refused) < 3 {
		t.Fatalf("%d cases, %d refused: the file is not whole", len(file.Cases), len(file.Refused))
	}
	return file
}

func TestRulesAnswerAsTheVectorsSay(t *testing.T) {
	for _, a := range Algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			file := readVectors(t, a)
			for _, v := range file.Refused {
				if err := v.limit(a).Validate(); err == nil {
					t.Errorf("%d per %dus was not refused", v.Rate, v.PerUs)
				}
			}
			for _, v := range file.Cases {
				l := v.limit(a)
				if err := l.Validate(); err != nil {
					t.Fatal(err)
				}
				playVector(t, &l, v)
			}
		})
	}
}

func playVector(t *testing.T, l *Limit, v vector) {
	t.Helper()
	var s State
	for i, step := range v.Steps {
		before := s.Clone()
		var got Verdict
		switch step.Op {
		case "take":
			s, got = l.Take(s, step.AtUs, step.Cost)
		case "peek":
			got = l.Peek(s, step.AtUs, step.Cost)
		case "charge":
			var err error
			if s, err = l.Charge(s, step.AtUs, step.Cost); err != nil {
				t.Fatalf("%v step %d: %v", l, i, err)
			}
			continue
		case "refund":
			s = l.Refund(s, step.AtUs, step.Cost)
			continue
		}
		want := Verdict{step.Allowed, step.Remaining, step.RetryUs, step.ResetUs, step.DelayUs, step.AtUs}
		if got != want {
			t.Fatalf("%v step %d: %s %d at %d from %+v\n got %+v\nwant %+v", l, i, step.Op, step.Cost, step.AtUs, before, got, want)
		}
		if (step.Op == "peek" || !got.Allowed || step.Cost == 0) && !reflect.DeepEqual(before.Clone(), s.Clone()) {
			t.Fatalf("%v step %d: a look or a refusal changed %+v to %+v", l, i, before, s)
		}
	}
}
