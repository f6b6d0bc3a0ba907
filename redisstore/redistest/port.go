package redistest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are drawn from below the range from which Linux takes ports for
// outgoing connections (32768 and up), so that a killed server finds its port
// still free. A cluster's bus listens 10,000 above.
const (
	firstPort = 11000
	lastPort  = 21999
	busOffset = 10000
)

var ports struct {
	sync.Mutex
	given map[int]bool
}

// freePort is a port of 127.0.0.1 that nobody listens on, and whose bus port
// is free too; no port is given twice by one process. Another process may take
// it before the server does: who starts a server tries again.
func freePort() (int, error) {
	ports.Lock()
	defer ports.Unlock()
	if ports.given == nil {
		ports.given = make(map[int]bool)
	}
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if ports.given[port] || !canListen(port) || !canListen(port+busOffset) {
			continue
		}
		ports.given[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free port between %d and %d after 1000 draws", firstPort, lastPort)
}

func canListen(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	listener.Close()
	return true
}

func address(port int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
