package properties

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aforo-dev/aforo"
	"pgregory.net/rapid"
)

// However many keys come and go, the memory store decides as if it never
// forgot one: it only drops what makes no difference.
func TestSweepingMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHand(t, numbers{per: second})
		store := aforo.NewMemory(aforo.WithMemoryClock(func() time.Time { return time.UnixMicro(h.at) }))
		names := []string{"", "reads", "writes"}
		limiters, models := map[string]*aforo.Limiter{}, map[string]*ledger{}
		list := drawBriefLimits(t)
		for _, name := range names {
			limiters[name] = limiterOf(t, list, aforo.WithStore(store), aforo.WithName(name))
			models[name] = newLedger(list)
		}
		for step := range rapid.IntRange(20, 120).Draw(t, "steps") {
			h.at += rapid.SampledFrom([]int64{0, 0, 1, 1000, second / 3, second - 1, second, 20 * second}).Draw(t, "step")
			name := rapid.SampledFrom(names).Draw(t, "name")
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "once"}).Draw(t, "key")
			if key == "once" {
				key = fmt.Sprint(step)
			}
			playTwo(t, models[name], limiters[name], key, h.at)
		}
	})
}

// drawBriefLimits draws limits under which keys are soon as never used.
func drawBriefLimits(t *rapid.T) (list []aforo.Limit) {
	for _, a := range aforo.Algorithms() {
		if len(list) == 0 || rapid.IntRange(0, 3).Draw(t, "one more") == 0 {
			rate := rapid.Int64Range(1, 4).Draw(t, "rate")
			list = append(list, aforo.Per(rate, time.Second).Using(a))
		}
	}
	return list
}

func playTwo(t *rapid.T, model *ledger, l *aforo.Limiter, key string, at int64) {
	ctx := context.Background()
	cost := rapid.Int64Range(0, 3).Draw(t, "cost")
	switch op := rapid.SampledFrom([]string{"take", "take", "take", "take", "take", "peek", "charge", "refund", "reset"}).Draw(t, "op"); op {
	case "charge":
		must(t, l.Charge(ctx, key, cost))
		model.charge(key, at, cost)
	case "refund":
		must(t, l.Refund(ctx, key, cost))
		model.refund(key, at, cost)
	case "reset":
		must(t, l.Reset(ctx, key))
		delete(model.states, key)
	default:
		want, allowed := model.decide(key, at, cost)
		if op == "take" {
			want, allowed = model.take(key, at, cost)
		}
		// A limiter of one limit reports its own name: not what is tested here.
		d, _ := ask(t, l, op, key, cost)
		if d.Name == l.Name() {
			d.Name = model.limits[0].Name()
		}
		if !model.agrees(d, want, allowed) {
			t.Fatalf("%v %q: %s of %d at %d: %+v, want what comes to\n%+v", l.Limits(), key, op, cost, at, d, want)
		}
	}
}

// Keys that come once are dropped as others come, so that the store holds
// little more than the keys that are still limited.
func TestOneOffKeysDoNotPileUp(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		at := today
		store := aforo.NewMemory(aforo.WithMemoryClock(func() time.Time { return time.UnixMicro(at) }))
		l := aforo.Must(aforo.PerSecond(10).Using(a), aforo.WithStore(store))
		const live, keys = 100, 20_000
		most := 0
		for i := range keys {
			at += second / live // every key is limited for 2 s at most
			if _, err := l.Allow(context.Background(), fmt.Sprint("key ", i)); err != nil {
				t.Fatal(err)
			}
			most = max(most, store.Len())
		}
		if most > 8*live {
			t.Errorf("%v: %d keys were kept, of at most %d that were limited", l.Limits(), most, 2*live)
		}
	}
}

// A key that is still limited is kept, however many come after it.
func TestFloodsOfKeysDropNobody(t *testing.T) {
	for _, a := range aforo.Algorithms() {
		at := today
		l := aforo.Must(aforo.PerHour(3).Using(a), aforo.WithClock(func() time.Time { return time.UnixMicro(at) }))
		ctx := context.Background()
		for range 3 {
			if d, err := l.Allow(ctx, "victim"); err != nil || !d.Allowed {
				t.Fatalf("%v: %+v, %v", l.Limits(), d, err)
			}
		}
		for i := range 20_000 {
			at += 10
			if _, err := l.Allow(ctx, fmt.Sprint("flood ", i)); err != nil {
				t.Fatal(err)
			}
		}
		if d, err := l.Allow(ctx, "victim"); err != nil || d.Allowed {
			t.Errorf("%v: after a flood of keys: %+v, %v", l.Limits(), d, err)
		}
	}
}
