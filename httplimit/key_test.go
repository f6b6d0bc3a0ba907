package httplimit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/aforo-dev/aforo/httplimit"
)

func peerKey(remoteAddr string) string {
	key, _ := httplimit.PeerIP(&http.Request{RemoteAddr: remoteAddr})
	return key
}

func TestPeerIP(t *testing.T) {
	for remoteAddr, want := range map[string]string{
		"192.0.2.1:1234":                   "192.0.2.1",
		"192.0.2.1:1":                      "192.0.2.1",
		"192.0.2.1":                        "192.0.2.1",
		"[::ffff:192.0.2.1]:80":            "192.0.2.1",
		"[::ffff:c000:201]:80":             "192.0.2.1",
		"[2001:db8:1:2:3:4:5:6]:80":        "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:80":         "2001:db8:1:2::/64",
		"2001:db8:1:2::1":                  "2001:db8:1:2::/64",
		"[2001:DB8:1:3::1]:80":             "2001:db8:1:3::/64",
		"[fe80::1%eth0]:80":                "fe80::/64",
		"[fe80::2%wlan0]:80":               "fe80::/64",
		"[::1]:80":                         "::/64",
		"":                                 "none",
		"@":                                "none",
		"/run/app.sock":                    "none",
		"example.com:80":                   "none",
		"192.0.2.1:80, 198.51.100.1:80":    "none",
		"192.0.2.01:80":                    "none",
		"192.0.2.1:80\r\nX-Forged: header": "none",
	} {
		if got := peerKey(remoteAddr); got != want {
			t.Errorf("the key of %q is %q, want %q", remoteAddr, got, want)
		}
	}
}

func FuzzPeerIP(f *testing.F) {
	for _, seed := range []string{"192.0.2.1:1", "[::ffff:192.0.2.1]:80", "[fe80::1%x]:1", "@", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, remoteAddr string) {
		key, ok := httplimit.PeerIP(&http.Request{RemoteAddr: remoteAddr})
		again := peerKey(strings.TrimSuffix(key, "/64"))
		if !ok || again != key || strings.Trim(key, "0123456789abcdef.:/") != "" && key != "none" {
			t.Errorf("the key of %q is %q, %v; the key of that is %q", remoteAddr, key, ok, again)
		}
	})
}

func TestForwardedHeadersDoNotMoveAPeer(t *testing.T) {
	h := httplimit.Middleware(newLimiter(t, "3/m", newClock()), httplimit.PeerIP)(ok)
	n := 0
	got := statuses(10, func() *httptest.ResponseRecorder {
		n++
		return ask(h, fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", n), fmt.Sprintf("Forwarded: for=198.51.100.%d", n),
			fmt.Sprintf("X-Real-IP: 198.51.100.%d", n), fmt.Sprintf("CF-Connecting-IP: 198.51.100.%d", n))
	})
	if want := []int{204, 204, 204, 429, 429, 429, 429, 429, 429, 429}; !reflect.DeepEqual(got, want) {
		t.Errorf("statuses are %v, want %v", got, want)
	}
}

// headerKey is what Header makes of the values.
func headerKey(values ...string) (string, bool) {
	return httplimit.Header("x-api-KEY")(&http.Request{Header: http.Header{"X-Api-Key": values}})
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		values []string
		key    string
		ok     bool
	}{
		{nil, "", false},
		{[]string{""}, "", false},
		{[]string{"", ""}, "", false},
		{[]string{"a"}, "a", true},
		{[]string{"a", "a"}, "a", true},
		{[]string{"a", "b"}, "", false},
		{[]string{"", "a"}, "", false},
		{[]string{"a", "a", "b"}, "", false},
	} {
		if key, ok := headerKey(c.values...); key != c.key || ok != c.ok {
			t.Errorf("the key of %q is %q, %v; want %q, %v", c.values, key, ok, c.key, c.ok)
		}
	}
	if key, ok := httplimit.Header("host")(&http.Request{Host: "example.com"}); key != "example.com" || !ok {
		t.Errorf("the key of the host is %q, %v", key, ok)
	}
}

// FuzzHeader: a key is the one value that was sent, or there is none.
func FuzzHeader(f *testing.F) {
	f.Add("a", "b")
	f.Add("", "")
	f.Add("\x00", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		key, ok := headerKey(a, b)
		if ok != (a == b && a != "") || ok && key != a {
			t.Errorf("the key of %q and %q is %q, %t", a, b, key, ok)
		}
	})
}

func TestKeysAreAnyBytes(t *testing.T) {
	keys := []string{"", " ", "a b", "a\tb", "a\nb", "\xff", "é", "e\u0301", "𝟙", "\u200f", "2001:db8::1", "\x00", "\x00\x00",
		"\x00peer 192.0.2.1", "\x00shared", "\x00\x00peer 192.0.2.1", strings.Repeat("k", 10_000), strings.Repeat("k", 9_999) + "x"}
	key, missing := "", false
	h := httplimit.Middleware(newLimiter(t, "1/m", newClock()),
		func(*http.Request) (string, bool) { return key, !missing })(ok)
	missing = true
	if w := ask(h); w.Code != 204 {
		t.Errorf("no key: status %d", w.Code)
	}
	missing = false
	for _, key = range keys {
		w, again := ask(h), ask(h)
		if w.Code != 204 || again.Code != 429 {
			t.Errorf("key %.40q: statuses %d and %d", key, w.Code, again.Code)
		}
	}
}

func TestKeysNeverLeakIntoResponses(t *testing.T) {
	h := refused(t, "1/m", newClock(), httplimit.WithDialects(httplimit.XRateLimit, httplimit.XRateLimitEpoch, httplimit.IETF))
	keyed := httplimit.Middleware(newLimiter(t, "1/m", newClock()), httplimit.Header("X-Api-Key"))(ok)
	for _, h := range []http.Handler{h, keyed} {
		for range 2 {
			w := ask(h, "X-Api-Key: hunter2<script>", "X-Api-Key: hunter2")
			if all := fmt.Sprint(w.Header(), w.Body); strings.Contains(all, "hunter2") || strings.Contains(all, "192.0.2.1") {
				t.Errorf("response is %s", all)
			}
		}
	}
}

func TestMissingKeys(t *testing.T) {
	type result struct{ first, sameOther, emptyFirst []int } // by peer, then with an empty header
	for name, c := range map[string]struct {
		missing httplimit.Missing
		want    result
	}{
		"zero value": {httplimit.Missing{}, result{[]int{204, 204, 204, 429}, []int{204, 204, 204, 429}, []int{429}}},
		"fall back":  {httplimit.FallBack(), result{[]int{204, 204, 204, 429}, []int{204, 204, 204, 429}, []int{429}}},
		"share":      {httplimit.Share(), result{[]int{204, 204, 204, 429}, []int{429, 429, 429, 429}, []int{429}}},
		"refuse":     {httplimit.Refuse("header X-Api-Key"), result{[]int{400, 400, 400, 400}, []int{400, 400, 400, 400}, []int{400}}},
		"skip":       {httplimit.Skip(), result{[]int{204, 204, 204, 204}, []int{204, 204, 204, 204}, []int{204}}},
	} {
		h := httplimit.Middleware(newLimiter(t, "3/m", newClock()), httplimit.Header("X-Api-Key"), httplimit.WithMissing(c.missing))(ok)
		got := result{
			statuses(4, func() *httptest.ResponseRecorder { return askFrom(h, "192.0.2.1:1") }),
			statuses(4, func() *httptest.ResponseRecorder { return askFrom(h, "192.0.2.2:1") }),
			statuses(1, func() *httptest.ResponseRecorder { return askFrom(h, "192.0.2.1:1", "X-Api-Key: ") }),
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: statuses %v, want %v", name, got, c.want)
		}
		// A key that looks like one of those made for requests without is its owner's.
		for _, forged := range []string{"192.0.2.1", "peer 192.0.2.1", "\x00peer 192.0.2.1", "\x00shared"} {
			if w := ask(h, "X-Api-Key: "+forged); w.Code != 204 {
				t.Errorf("%s: key %q has the bucket of requests without a key", name, forged)
			}
		}
	}
}

func TestARequestRefusedForItsMissingKeyLearnsWhich(t *testing.T) {
	h := httplimit.Middleware(newLimiter(t, "3/m", newClock()), httplimit.Header("X-Api-Key"),
		httplimit.WithMissing(httplimit.Refuse("header X-Api-Key")))(ok)
	w := ask(h)
	if p := readProblem(t, w); p.Status != 400 || p.Title != "Bad Request" || !strings.Contains(p.Detail, "header X-Api-Key") {
		t.Errorf("problem %+v", p)
	}
	if w.Header().Get("X-RateLimit-Limit") != "" || w.Header().Get("RateLimit") != "" {
		t.Errorf("header is %v", w.Header())
	}
}

func TestSeveralValuesOfAHeaderAreNoKey(t *testing.T) {
	h := httplimit.Middleware(newLimiter(t, "1/m", newClock()), httplimit.Header("X-Api-Key"))(ok)
	n := 0
	invented := func() *httptest.ResponseRecorder {
		n++
		return ask(h, "X-Api-Key: mine", fmt.Sprint("X-Api-Key: invented-", n))
	}
	if got, want := statuses(3, invented), []int{204, 429, 429}; !reflect.DeepEqual(got, want) {
		t.Errorf("statuses %v, want %v", got, want)
	}
	if w := ask(h, "X-Api-Key: mine"); w.Code != 204 {
		t.Errorf("the bucket of the first value was used: %d", w.Code)
	}
}

func TestAnOuterLimitByPeerHoldsWhoRotatesKeys(t *testing.T) {
	clock := newClock()
	h := httplimit.Middleware(newLimiter(t, "5/m", clock), httplimit.PeerIP)(
		httplimit.Middleware(newLimiter(t, "3/m", clock), httplimit.Header("X-Api-Key"))(ok))
	n, passed := 0, 0
	for _, status := range statuses(30, func() *httptest.ResponseRecorder {
		n++
		return ask(h, fmt.Sprint("X-Api-Key: invented-", n))
	}) {
		if status == 204 {
			passed++
		}
	}
	if passed != 5 {
		t.Errorf("%d of 30 passed, want 5", passed)
	}
}
