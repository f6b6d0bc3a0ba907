package properties

import (
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// advice finds the number in an error that is said to be the largest or the
// longest good one.
var advice = regexp.MustCompile(`(?:largest|longest below it|longest) that can be held exactly(?: at .*)? is (\d+)`)

// A wish is a limit that somebody would like to have.
type wish struct {
	numbers
	burstSet bool
}

func (w wish) limit() aforo.Limit {
	l := aforo.Per(w.rate, time.Duration(w.per)*time.Microsecond).Using(w.algorithm)
	if w.burstSet {
		l = l.Burst(w.burst)
	}
	return l
}

// with is the wish with another number in a field.
func (w wish) with(field string, n int64) wish {
	switch field {
	case "rate":
		w.rate = n
	case "per":
		w.per = n
	case "burst":
		w.burst, w.burstSet = n, true
	}
	return w
}

// drawWish draws a limit that is mostly too large.
func drawWish(t *rapid.T, a aforo.Algorithm) wish {
	large := rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(largestLimit-3, largestLimit+3),
		rapid.Int64Range(1, 1<<62), rapid.SampledFrom([]int64{1 << 40, 1 << 50, 1<<53 - 1}))
	w := wish{numbers: numbers{algorithm: a, rate: large.Draw(t, "rate")}}
	w.per = rapid.OneOf(
		rapid.SampledFrom([]int64{1, 999, 1000, second, second + 1, minute, hour, 30 * day, 365 * day, 1000 * second}),
		rapid.Int64Range(1, 1<<53), rapid.Int64Range(largestLimit-1, largestLimit+2)).Draw(t, "per")
	if w.bucket() && rapid.Bool().Draw(t, "has a burst") {
		w.burst, w.burstSet = large.Draw(t, "burst"), true
	}
	return w
}

// refusal is the error of a limit, and the good number that it names.
func (w wish) refusal(t *rapid.T) (bad *aforo.LimitError, good int64) {
	err := w.limit().Validate()
	if err == nil {
		return nil, 0
	}
	if !errors.As(err, &bad) {
		t.Fatalf("%+v: %T %v", w, err, err)
	}
	found := advice.FindStringSubmatch(bad.Problem)
	if found == nil {
		t.Fatalf("%+v: no good number in: %v", w, err)
	}
	good, err = strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return bad, good
}

// A limit is refused exactly if no tick holds it.
func TestLimitsAreRefusedIfNoTickHoldsThem(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		w := drawWish(t, a)
		_, held := finestTick(w.numbers)
		if err := w.limit().Validate(); (err == nil) != held {
			t.Fatalf("%+v: %v, want it held %v", w, err, held)
		}
	})
}

// The number that a refusal names is good in place of the bad one: the limit is
// then accepted, and refused with one more. Nothing is good in place of one
// number if another is bad as well.
func TestTheNumberThatARefusalNamesIsTheLargestGoodOne(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		w := drawWish(t, a)
		bad, good := w.refusal(t)
		if bad == nil || w.with(bad.Field, 1).limit().Validate() != nil {
			return
		}
		if err := w.with(bad.Field, good).limit().Validate(); err != nil {
			t.Fatalf("%+v: %v\nbut with that: %v", w, bad, err)
		}
		if w.with(bad.Field, good+1).limit().Validate() == nil {
			t.Fatalf("%+v: %v\nbut one more is accepted", w, bad)
		}
	})
}

// Who follows each refusal in turn has a limit soon, and no refusal takes back
// what an earlier one has said.
func TestFollowingRefusalsEndsWithALimit(t *testing.T) {
	eachAlgorithm(t, func(t *rapid.T, a aforo.Algorithm) {
		w := drawWish(t, a)
		for range 4 {
			bad, good := w.refusal(t)
			if bad == nil {
				return
			}
			w = w.with(bad.Field, good)
		}
		t.Fatalf("%+v is still refused: %v", w, w.limit().Validate())
	})
}
