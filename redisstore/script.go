package redisstore

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"strings"

	"github.com/aforo-dev/aforo"
)

// A Script is what a Runner runs. There are nine, the same in every process.
type Script struct {
	Name string // such as take_bucket
	Text string

	sha1 string // by which the server knows it
}

// Scripts are put together from parts, so that each holds what it needs and no more:
// what a script defines costs time whenever it is run.
//
//go:embed lua/*.lua
var parts embed.FS

// A rule is the parts of an algorithm's script: those that read the state, those that
// then decide whether a call fits, and those that write what has changed; the latter
// two for calls that take, and for those that change a state without asking.
type rule struct {
	name                string
	read                []string
	take, takeWrite     []string
	change, changeWrite []string
}

// rules are in the order of aforo's algorithms.
var rules = []rule{
	simple("bucket", "bucket_read"),
	{name: "bucket"}, // both buckets have one rule
	simple("fixed_window", "fixed_window_read", "window"),
	{"sliding_window_log", []string{"sliding_window_log_read"},
		[]string{"sliding_window_log_take", "sliding_window_log_answer"}, []string{"sliding_window_log_write", "sliding_window_log_count"},
		[]string{"sliding_window_log_change", "sliding_window_log_answer"}, []string{"sliding_window_log_write", "sliding_window_log_change_write"}},
	simple("sliding_window_counter", "sliding_window_counter_read", "window"),
}

// simple is a rule that writes its state in one way.
func simple(name string, read ...string) rule {
	write := []string{name + "_write"}
	return rule{name, read, []string{name + "_take"}, write, []string{name + "_change"}, write}
}

var (
	takeOne     = takeScripts()
	takeSeveral = newScript("take_several", text("call")+text("total")+
		functions(func(r rule) ([]string, []string) { return r.take, r.takeWrite })+text("several"))
	changeAll = newScript("change", text("call")+text("change")+text("total")+
		functions(func(r rule) ([]string, []string) { return r.change, r.changeWrite })+text("several"))
	readStates = newScript("states", text("call")+text("total")+text("states"))
	resetAll   = newScript("reset", text("reset"))

	removeForeign = newScript("remove_foreign", text("remove_foreign"))
)

// takeScripts are the scripts that take from one limit, by its algorithm.
func takeScripts() map[aforo.Algorithm]*Script {
	scripts := make(map[aforo.Algorithm]*Script)
	for i, a := range []aforo.Algorithm{aforo.TokenBucket, aforo.LeakyBucket, aforo.FixedWindow, aforo.SlidingWindowLog, aforo.SlidingWindowCounter} {
		if rules[i].read == nil {
			scripts[a] = scripts[aforo.TokenBucket]
			continue
		}
		body := text("call")
		if a == aforo.SlidingWindowLog {
			body += text("total")
		}
		body += text("one", "state", "now") + text(rules[i].read...) + text(rules[i].take...) + text(rules[i].takeWrite...) + text("one_answer")
		scripts[a] = newScript("take_"+rules[i].name, body)
	}
	return scripts
}

// functions defines a function for each rule, which decides and returns another that
// writes, and the table of them.
func functions(parts func(rule) (decide, write []string)) string {
	var all, table strings.Builder
	for _, r := range rules {
		if r.read != nil {
			decide, write := parts(r)
			all.WriteString("local function " + r.name + "(key, tick, a, b, c, d)\n" + text("state", "now") + text(r.read...) + text(decide...) +
				"return fits, value, function()\n" + text(write...) + "end\nend\n")
		}
		table.WriteString(r.name + ", ")
	}
	return all.String() + "local rules = {" + table.String() + "}\n"
}

// text is the text of parts, with those that they include, and without comments.
func text(names ...string) string {
	var code strings.Builder
	for _, name := range names {
		part, err := parts.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // it is embedded
		}
		for line := range strings.Lines(string(part)) {
			trimmed := strings.TrimSpace(line)
			if included, ok := strings.CutPrefix(trimmed, "-- include "); ok {
				code.WriteString(text(included))
			} else if trimmed != "" && !strings.HasPrefix(trimmed, "--") {
				code.WriteString(line)
			}
		}
	}
	return code.String()
}

func newScript(name, text string) *Script {
	sum := sha1.Sum([]byte(text))
	return &Script{name, text, hex.EncodeToString(sum[:])}
}

// scriptFor is the script that carries out a call.
func scriptFor(call *aforo.Call) *Script {
	switch {
	case call.Op == aforo.OpReset:
		return resetAll
	case call.Op != aforo.OpTake && call.Op != aforo.OpPeek:
		return changeAll
	case len(call.Limits) == 1:
		return takeOne[call.Limits[0].Algorithm()]
	}
	return takeSeveral
}
