// A lane's limit, or the whole simulation, as text to use elsewhere. Pure; a test
// runs what it makes.

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// go is a program that makes the limiter and asks it.
export function go(limit) {
  return `package main

import (
	"context"
	"fmt"

	"github.com/aforo-dev/aforo"
)

func main() {
	limiter, err := aforo.New(${JSON.stringify(limit)})
	if err != nil {
		panic(err)
	}
	d, err := limiter.Allow(context.Background(), "user:42")
	fmt.Println(d.Allowed, d.Remaining, d.RetryAfter, err)
}
`;
}

// yaml is a configuration for aforo serve.
export const yaml = (limit) => `policies:\n  my-policy:\n    limit: ${JSON.stringify(limit)}\n`;

// curl asks for the whole simulation.
export const curl = (request, origin) =>
  `curl -sS ${origin}/v1/simulate -H 'Content-Type: application/json' -d ${quote(JSON.stringify(request))}\n`;

// cli asks the limit three times.
export const cli = (limit) => `aforo check --limit ${quote(limit)} --times 3 user:42\n`;
