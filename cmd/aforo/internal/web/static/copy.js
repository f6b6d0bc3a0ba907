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

const week = 604800e6;
const maxParts = 32; // of traffic in words

// words is arrivals as traffic in words: a part for each cost and key, whose names
// mean nothing but who is who; null if there are too many of them. Times of a log
// are moved by whole weeks, so that windows begin where they did.
export function words(arrivals) {
  const keys = [...new Set(arrivals.map((a) => a.key))].filter(Boolean);
  const shift = Math.floor(arrivals[0].t / week) * week;
  const parts = new Map();
  for (const a of arrivals) {
    const ending = (a.cost === 1 ? '' : ' cost ' + a.cost) + (a.key ? ' as k' + (keys.indexOf(a.key) + 1) : '');
    if (!parts.has(ending)) parts.set(ending, new Map());
    const at = parts.get(ending);
    at.set(a.t - shift, (at.get(a.t - shift) ?? 0) + 1);
  }
  if (parts.size > maxParts) return null;
  const part = ([ending, at]) => 'at ' + [...at].map(([t, n]) => (t === 0 ? '0s' : t + 'us') + (n > 1 ? '*' + n : '')).join(' ') + ending;
  return [...parts].map(part).join(' and ');
}

// cli plays the whole simulation in a terminal; if it cannot be put into words,
// it asks one limit three times.
export function cli(state, limit) {
  const traffic = state.traffic || (state.arrivals.length > 0 && state.arrivals.every((a) => a.cost > 0) ? words(state.arrivals) : null);
  if (!traffic) return `aforo check --limit ${quote(limit)} --times 3 user:42\n`;
  // A limit that names no algorithm would be played by all five.
  const limits = state.limits.map((l) => '--limit ' + quote(/^\d/.test(l) && !l.includes(',') ? 'token_bucket ' + l : l));
  const instances = state.instances === '1' ? [] : ['--instances', quote(state.instances)];
  return ['aforo compare --shape', quote(traffic), '--seed', state.seed, ...limits, ...instances].join(' ') + '\n';
}
