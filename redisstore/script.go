package redisstore

import (
	"embed"
	"strings"

	"github.com/redis/rueidis"

	"github.com/aforo-dev/aforo"
)

// A Script is what a Runner runs. There are seven, each the same in every process.
type Script struct {
	Name string // such as token_bucket
	Text string

	lua *rueidis.Lua
}

// The scripts are put together from the files that they need, and no others: what
// a script defines costs time whenever it is run.
//
//go:embed lua/*.lua
var files embed.FS

func newScript(name string, parts ...string) *Script {
	var text strings.Builder
	for _, part := range parts {
		if rule, ok := strings.CutPrefix(part, "rule "); ok {
			text.WriteString("local rule = " + rule + "\n")
			continue
		}
		file, err := files.ReadFile("lua/" + part + ".lua")
		if err != nil {
			panic(err) // it is embedded
		}
		text.Write(withoutComments(file))
	}
	return &Script{name, text.String(), rueidis.NewLuaScript(text.String())}
}

// withoutComments spares the server what is for readers.
func withoutComments(file []byte) []byte {
	var code []byte
	for line := range strings.Lines(string(file)) {
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "--") {
			code = append(code, line...)
		}
	}
	return code
}

var (
	bucketScript  = newScript("bucket", "call", "bucket", "rule bucket", "one")
	severalScript = newScript("several", "call", "bucket", "window", "fixed_window", "sliding_window_counter", "total", "sliding_window_log", "several")
	statesScript  = newScript("states", "call", "total", "states")

	oneScript = map[aforo.Algorithm]*Script{
		aforo.TokenBucket:          bucketScript,
		aforo.LeakyBucket:          bucketScript,
		aforo.FixedWindow:          newScript("fixed_window", "call", "window", "fixed_window", "rule fixed_window", "one"),
		aforo.SlidingWindowCounter: newScript("sliding_window_counter", "call", "window", "sliding_window_counter", "rule sliding_window_counter", "one"),
		aforo.SlidingWindowLog:     newScript("sliding_window_log", "call", "total", "sliding_window_log", "rule sliding_window_log", "one"),
	}
)

// scriptFor is the script that carries out a call.
func scriptFor(call *aforo.Call) *Script {
	if len(call.Limits) == 1 {
		return oneScript[call.Limits[0].Algorithm()]
	}
	return severalScript
}
