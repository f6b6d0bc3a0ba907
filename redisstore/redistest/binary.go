package redistest

import (
	"fmt"
	"os"
	"os/exec"
)

// BinaryVariable is the environment variable that names the server's binary.
const BinaryVariable = "AFORO_REDIS_SERVER"

// serverBinary is the path of the server to start.
func serverBinary() (string, error) {
	if path := os.Getenv(BinaryVariable); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("%s=%q is no program (for example: %s=/usr/bin/redis-server): %w", BinaryVariable, path, BinaryVariable, err)
		}
		return found, nil
	}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("neither redis-server nor valkey-server is in PATH: install one (for example: apt-get install redis-server) or name a binary (for example: %s=/opt/valkey/bin/valkey-server)", BinaryVariable)
}
