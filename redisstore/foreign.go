package redisstore

import (
	"context"
	"strings"

	"github.com/aforo-dev/aforo"
)

// execute runs a script. What lies under its keys and is not of a state's type gives
// way: the script has then changed nothing, and is run again.
func execute(ctx context.Context, runner Runner, script *Script, keys []string, argument string) (string, error) {
	answer, err := runner.Run(ctx, script, keys, argument)
	if err == nil || !strings.Contains(err.Error(), "WRONGTYPE") {
		return answer, err
	}
	types := make([]byte, len(keys))
	for i, key := range keys {
		types[i] = typeOf(key)
	}
	if _, err := runner.Run(ctx, removeForeign, keys, string(types)); err != nil {
		return "", err
	}
	return runner.Run(ctx, script, keys, argument)
}

// typeOf is l for the key of a log, which is a list, and s for others.
func typeOf(key string) byte {
	if strings.HasPrefix(key[strings.LastIndexByte(key, '}')+1:], codes[aforo.SlidingWindowLog]) {
		return 'l'
	}
	return 's'
}
