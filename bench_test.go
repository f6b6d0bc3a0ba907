package aforo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aforo-dev/aforo"
)

func BenchmarkAllow(b *testing.B) {
	for _, text := range []string{"1000000000/s", "1/h", "10000000/s, 1000000000/h, fixed_window 100000000000/d"} {
		for _, a := range aforo.Algorithms() {
			limits, err := aforo.ParseLimits(text)
			if err != nil {
				b.Fatal(err)
			}
			name := text
			if limits.Len() == 1 {
				l := limits.List()[0].Using(a)
				limits, _ = aforo.NewLimits(l)
				name = l.String()
			} else if a != aforo.TokenBucket {
				continue
			}
			limiter, err := aforo.NewLimiter(limits)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%q", name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					limiter.Allow(context.Background(), "user:42")
				}
			})
		}
	}
}
