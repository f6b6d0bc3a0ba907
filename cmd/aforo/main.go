// Command aforo limits rates: it serves decisions, checks keys and explains
// limits. Run aforo --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
