package sim

import (
	"fmt"
	"strings"

	"github.com/aforo-dev/aforo"
)

// A Scenario is a load with limits that shows something.
type Scenario struct {
	Name      string
	Title     string // what it shows, in a line
	Text      string // and in a few sentences
	Shape     Shape
	Limits    []aforo.Limits
	Instances Instances
}

// Scenarios are all there are, simplest first.
func Scenarios() (list []Scenario) {
	for _, s := range scenarios {
		list = append(list, s.make())
	}
	return list
}

// FindScenario is the scenario of a name. Its error lists the names there are.
func FindScenario(name string) (Scenario, error) {
	var names []string
	for _, s := range scenarios {
		if s.name == name {
			return s.make(), nil
		}
		names = append(names, s.name)
	}
	return Scenario{}, fmt.Errorf("aforo: there is no scenario %s: write one of %s; for example: window-edge", excerpt(name), strings.Join(names, ", "))
}

// draft is a scenario as text.
type draft struct {
	name, title, text, shape, limits, instances string // limits as lines
}

// make reads the texts, which a test has read before.
func (d draft) make() Scenario {
	s := Scenario{Name: d.name, Title: d.title, Text: d.text}
	s.Shape, _ = ParseShape(d.shape)
	s.Instances, _ = ParseInstances(d.instances)
	for _, line := range strings.Split(d.limits, "\n") {
		columns, _ := Expand(line)
		s.Limits = append(s.Limits, columns...)
	}
	return s
}

const persistent = "sine 2/s to 40/s every 50s for 10m"

var scenarios = []draft{
	{"window-edge", "Twice the limit passes around the edge of a fixed window",
		"A hundred requests just before the edge of a minute, and a hundred just after it: 200 in two seconds. Each of the two windows of a fixed window has had its hundred. The log counts any minute; the buckets have their burst.",
		"window edge 100 every 1m for 2m", "100/m burst 20", "1"},
	{"burst-then-sustained", "A token bucket passes a burst, a leaky bucket spreads it",
		"Both admit the same requests. The token bucket passes the first 20 at once. The leaky bucket passes one every 200 ms, and since traffic goes on at its rate, its queue stays full: each later request waits 4 seconds too.",
		"burst 20 then steady 5/s for 30s", "token_bucket 5/s burst 20\nleaky_bucket 5/s burst 20", "1"},
	{"naive-instances", "A limiter in each of 4 instances lets 4 times the limit through",
		"Each instance knows only what came to it, and a quarter of the traffic came to it. What passes in any one minute is four times the limit.",
		"steady 20/s for 3m", "100/m", "4"},
	{"shared-store", "With one store the limit is the limit, for any number of instances",
		"The same traffic over the same four instances, which ask one store that is 1 to 5 ms away.",
		"steady 20/s for 3m", "100/m", "4 shared latency 1ms..5ms"},
	{"clock-skew", "Instances that bring their own clocks to a shared store",
		"The clocks of four instances are up to 5 s apart, and each decision is dated by the instance that asks. The limits take the latest clock that they have seen to be right, and hold nearly what they should. When clocks are further apart than a period, each of them seems to have been set back for good, and nothing holds. A store that decides by its own clock does not care.",
		"poisson 20/s for 1m", "100/10s", "4 random shared skew 5s own clocks"},
	{"one-address", "Many people behind one address are one client",
		"Two hundred people, each asking every 40 s, share one address and so one key. None does anything wrong; together they are refused.",
		"poisson 5/s clients 200 one key for 5m", "120/m burst 20", "1"},
	{"costs", "Requests that cost more are refused first",
		"Requests cost 1 to 50 units, as tokens of a model do. What is expensive does not fit when little is left, and what is cheap comes first.",
		"poisson 4/s cost 1..50 for 5m", "3000/m burst 500", "1"},
	{"log-or-counter", "The sliding window counter against the log",
		"Traffic at just the limit, on average. The counter supposes that the previous window was spread evenly, and so decides a little differently than the log, in a few bytes instead of one entry for each request.",
		"poisson 100/m for 1h", "sliding_window_log 100/m\nsliding_window_counter 100/m", "1"},
	{"retry-obey", "Clients that come back when Retry-After says so",
		"After an outage, 200 clients come back at once to a service that allows 10 per second. Those that are refused come back when they are told: all are told the same second, and come back together.",
		"retry storm clients 200 obey every 1m for 1m", "10/s", "1"},
	{"retry-jitter", "Clients that come back at some time after Retry-After",
		"The same, but each client waits up to 10 s longer than it is told. Far fewer requests are in vain.",
		"retry storm clients 200 obey every 1m jitter 10s for 1m", "10/s", "1"},
	{"retry-ignore", "Clients that ask again each 100 ms",
		"The same, but they do not care. The service has to refuse most of what comes.",
		"retry storm clients 200 ignore every 1m retry 100ms for 1m", "10/s", "1"},
	{"persistent-client", "A client that never stops asking still gets its limit",
		"What is refused is not counted. If it were, this client would be refused for as long as it asks faster than the limit.",
		persistent, "600/m burst 60", "1"},
	{"half-wait", "Nobody is allowed before the wait that was told is over",
		"Six per minute are used up at once; the next token comes after 10 s: not after 5, nor a millisecond early.",
		"at 0s*6 5s 9.999s 10s", "token_bucket 6/m", "1"},
	{"window-end", "Just before a window ends, the wait is short and not zero",
		"Five per minute are used up; 600 ms and 1 ms before the next minute the answer is still no, and the wait is what is left.",
		"at 0s*5 59.4s 59.999s 1m", "fixed_window 5/m", "1"},
	{"whole-window", "The wait is until something fits, not until all is over",
		"Ten requests in 20 s, then an eleventh. A log has room when the first of them is a minute old, in 40 s; a fixed window when the minute is over; a bucket has drained enough already.",
		"at 0s 2s 4s 6s 8s 10s 12s 14s 16s 18s 20s", "10/m", "1"},
	{"two-instances", "Another instance tells the same wait",
		"Two instances share a store and take turns. Together they use up ten per minute; the eleventh request is told the true wait, whoever answers it.",
		"at 0s*10 5s*2", "10/m", "2 shared"},
	{"counter-wait", "A sliding window counter has room again after one second",
		"Sixty in the previous minute, and twelve in the first twelve seconds of this one: 60 x 48/60 + 12 is 60, the limit. A second later it is 59, and one more fits: the wait is 1 s, not until the end of the window.",
		"at 30s*60 61s 62s 63s 64s 65s 66s 67s 68s 69s 70s 71s 72s*2 73s", "sliding_window_counter 60/m", "1"},
	{"six-a-minute", "What 6/m means to each algorithm",
		"Six at once, then one every 10 s. The windows allow 6 in the minute. A bucket of 6/m allows 6 at once and one every 10 s as it refills: 11. With a burst of 1 it allows one every 10 s.",
		"at 0s*6 10s 20s 30s 40s 50s", "6/m\ntoken_bucket 6/m burst 1", "1"},
}
