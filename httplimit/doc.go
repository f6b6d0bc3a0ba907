// Package httplimit limits HTTP requests: a middleware for net/http that asks
// an aforo.Limiter, tells every client where it stands, and refuses the way
// HTTP wants it.
//
//	limiter := aforo.Must(aforo.PerMinute(100).Burst(20))
//	http.Handle("/", httplimit.Middleware(limiter, httplimit.PeerIP)(mux))
//
// Make the limiter once, beside the handler. One that is made inside of a
// handler is new for every request, has seen nothing, and limits nothing:
//
//	func handle(w http.ResponseWriter, r *http.Request) {
//		limiter := aforo.Must(aforo.PerMinute(100)) // wrong: it never refuses
//		...
//	}
//
// # Keys
//
// A KeyFunc says whose request it is. PeerIP takes the address at the other
// end of the connection; Header takes what a header says; any function of the
// same type does. Headers are written by the client, unless somebody in front
// checks them: who may invent keys is limited by none. So put a second
// middleware, keyed by PeerIP, around one that is keyed by a header.
//
// # What clients see
//
// Responses carry the header fields of the dialects XRateLimit and IETF; see
// WithDialects. A refusal is a 429 with Retry-After and a body that says which
// limit refused, what it allows and when to come back: as problem details, or
// as plain text for who prefers it. No field and no body ever shows a key.
//
// Browsers show these fields to scripts of other origins only if the response
// says so; a handler for CORS belongs around this middleware, so that it also
// adds to refusals, and so that preflight requests are not counted.
//
// The middleware hands the http.ResponseWriter on as it got it. Flushing,
// hijacking and http.ResponseController work as they do without it.
package httplimit
