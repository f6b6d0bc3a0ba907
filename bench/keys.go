package main

import (
	"math/rand/v2"
	"strconv"
)

// key is the i-th key.
func key(i int) string { return "user:" + strconv.Itoa(i) }

// fill makes n keys known to a limiter, one hit each. The key strings are made
// here and dropped, so that they stay in memory only if the limiter keeps them.
// It returns how many were allowed.
func fill(l Limiter, n int) (allowed int) {
	for i := range n {
		if l.Allow(key(i)) {
			allowed++
		}
	}
	return allowed
}

// uniform draws from n keys, each as likely as the other.
func uniform(n, draws int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 1))
	return inOneBuffer(draws, func() int { return random.IntN(n) })
}

// zipf draws from n keys so that the k-th most frequent comes k^-1.1 times as
// often as the first. The frequent ones are spread over all keys, because a
// limiter that was filled in order would have them side by side otherwise.
func zipf(n, draws int, seed uint64) []string {
	const prime = 2_147_483_647 // no factor of any n that is used
	random := rand.New(rand.NewPCG(seed, 2))
	ranks := rand.NewZipf(random, 1.1, 1, uint64(n-1))
	return inOneBuffer(draws, func() int { return int(ranks.Uint64() * prime % uint64(n)) })
}

// inOneBuffer draws keys whose bytes lie one behind the other in the order of
// their use. So the processor has the next key at hand, as a server has that
// of the request that it has just read; and none of them is the very string
// that a limiter keeps, which would spare it to compare the bytes.
func inOneBuffer(draws int, next func() int) []string {
	buffer := make([]byte, 0, draws*len("user:1000000"))
	ends := make([]int, draws)
	for i := range ends {
		buffer = strconv.AppendInt(append(buffer, "user:"...), int64(next()), 10)
		ends[i] = len(buffer)
	}
	text, start := string(buffer), 0
	keys := make([]string, draws)
	for i, end := range ends {
		keys[i], start = text[start:end], end
	}
	return keys
}

// oneKey is the same key again and again.
func oneKey(draws int) []string {
	keys := make([]string, draws)
	for i := range keys {
		keys[i] = "user:42"
	}
	return keys
}
