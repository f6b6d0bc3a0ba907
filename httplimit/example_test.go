package httplimit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/aforo-dev/aforo"
	"github.com/aforo-dev/aforo/httplimit"
)

func ExampleMiddleware() {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })

	limiter := aforo.Must(aforo.PerHour(2)) // once, not in the handler
	server := httptest.NewServer(httplimit.Middleware(limiter, httplimit.PeerIP)(mux))
	defer server.Close()

	for range 3 {
		response, err := http.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Printf("%s; remaining %q, retry after %q\n", response.Status,
			response.Header.Get("X-RateLimit-Remaining"), response.Header.Get("Retry-After"))
	}
	// Output:
	// 200 OK; remaining "1", retry after ""
	// 200 OK; remaining "0", retry after ""
	// 429 Too Many Requests; remaining "0", retry after "1800"
}

// Clients with a key are limited by it, others by their address; and all by
// their address around that, so that inventing keys does not help.
func ExampleHeader() {
	perPeer := httplimit.Middleware(aforo.Must(aforo.PerMinute(1000)), httplimit.PeerIP)
	perKey := httplimit.Middleware(aforo.Must(aforo.PerMinute(100).Burst(20)), httplimit.Header("X-Api-Key"),
		httplimit.WithDialects(httplimit.IETF))
	http.Handle("/api/", perPeer(perKey(http.NotFoundHandler())))
}

// A function of yours is a key function as well.
func ExampleKeyFunc() {
	user := func(r *http.Request) (string, bool) {
		name, _, ok := r.BasicAuth()
		return name, ok
	}
	limit := httplimit.Middleware(aforo.Must(aforo.PerMinute(100)), user,
		httplimit.WithMissing(httplimit.Refuse("a user name")))
	http.Handle("/private/", limit(http.NotFoundHandler()))
}
