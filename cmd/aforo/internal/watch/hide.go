package watch

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// identity is a key of a policy, for counting: a hash that nobody can foresee.
type identity [2]uint64

// A hider makes of keys what may be shown. Its hashes are of this process only,
// so that nobody can find a key by trying.
type hider struct {
	secret [32]byte
	seeds  [2]maphash.Seed
}

func newHider() *hider {
	h := &hider{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	_, _ = rand.Read(h.secret[:]) // it never fails
	return h
}

func (h *hider) identify(policy, key string) (id identity) {
	for i, seed := range h.seeds {
		id[i] = maphash.Comparable(seed, [2]string{policy, key})
	}
	return id
}

func (h *hider) sum(text string) []byte {
	mac := hmac.New(sha256.New, h.secret[:])
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// longest is how much of a key is shown, in bytes.
const longest = 64

// show is a key as it may be shown, and whether that is a hash.
func (h *hider) show(key string, secret bool) (text string, hidden bool) {
	if secret || looksSecret(key) {
		return "#" + hex.EncodeToString(h.sum(key)[:6]), true
	}
	if len(key) > longest {
		end := longest
		for !utf8.RuneStart(key[end]) {
			end--
		}
		key = key[:end] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, key), false
}

// credential is what keys look like that open doors: an authorization header, a
// token with its issuer's mark, or a long run of letters and digits.
var credential = regexp.MustCompile(`(?i)^(bearer|basic|digest|token|apikey)\b|\beyJ[\w-]+\.|\b(sk|pk|rk|gh[opsu]|xox[abp]|glpat)[_-]|\bakia[a-z0-9]|[=;]`)
var random = regexp.MustCompile(`[A-Za-z0-9+/_-]{24,}`)

// looksSecret errs to hiding: of keys that nobody has described, those that look
// like credentials are not shown.
func looksSecret(key string) bool {
	if credential.MatchString(key) {
		return true
	}
	run := random.FindString(key)
	return strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsLetter)
}
