package main

import (
	"fmt"

	"github.com/aforo-dev/aforo/bench/internal/numbers"
)

// A goal is what Aforo has set itself, and what was found.
type goal struct {
	text  string
	found string
	met   bool
}

// goals compares what was found with what was to be reached.
func (r *Results) goals() (list []goal) {
	for _, keys := range []int{r.Sizes.Keys, 1} {
		w := r.find("speed", target, keys)
		if w == nil {
			continue
		}
		own, plain, rate := w.row(aforoName), w.row(plainName), w.row(redisRateName)
		ceiling, tuned := w.row(rueidisScriptName), w.row(tunedScriptName)
		where := fmt.Sprintf(", %d callers, %s", target, keysText(keys))
		list = append(list,
			atLeast("decisions a second, times those of redis_rate"+where, own.times(rate, perSecond), 2),
			atLeast("decisions a second, times those of rueidis EVALSHA"+where, own.times(ceiling, perSecond), 0.75),
			atLeast("decisions a second of Aforo by rueidis as it comes, times those of rueidis EVALSHA"+where, plain.times(ceiling, perSecond), 0.75),
			atLeast("decisions a second, times those of rueidis EVALSHA, collected"+where, own.times(tuned, perSecond), 0.75),
			atMost("time in the server's script, times that of redis_rate"+where, own.times(rate, script), 0.6))
	}
	for _, f := range r.Memory {
		if f.Value > 0 && r.isAlgorithm(f.Subject) {
			list = append(list, atMost("bytes of the one value of a key, "+f.Subject, float64(f.Value), 64))
		}
	}
	if len(r.Log) == 2 {
		short, long := r.Log[0], r.Log[1]
		list = append(list,
			atMost(fmt.Sprintf("bytes of an admitted request in a log of %s", numbers.Thousands(int64(long.Limit))), long.Bytes, 16),
			atMost(logGoal(long, short)+", steadily allowed", numbers.Median(long.Allowed)/numbers.Median(short.Allowed), 3),
			atMost(logGoal(long, short)+", refused", numbers.Median(long.Refused)/numbers.Median(short.Refused), 3))
	}
	return list
}

func logGoal(long, short LogCost) string {
	return fmt.Sprintf("time in the script with a log of %s, times that with one of %d", numbers.Thousands(int64(long.Limit)), short.Limit)
}

func (r *Results) isAlgorithm(name string) bool {
	w := r.find("algorithms", target, 1)
	return w != nil && w.row(name) != nil
}

func atLeast(text string, found, least float64) goal {
	return goal{fmt.Sprintf("at least %s %s", numbers.Text(least), text), numbers.Text(found), found >= least}
}

func atMost(text string, found, most float64) goal {
	return goal{fmt.Sprintf("at most %s %s", numbers.Text(most), text), numbers.Text(found), found <= most}
}
