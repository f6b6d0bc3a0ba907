// Package trace reads logs of requests, so that they can be played through rate
// limits.
//
// A log is opened with [Open], read request by request with a [Reader], which
// recognises its [Format], and each [Entry] is turned into the key that a limit
// counts under with a [Key]. [Requests] put those of all logs in order of time,
// in bounded memory:
//
//	in, _, err := trace.Open("access.log.gz")
//	...
//	key, err := trace.ParseKey("ip+path")
//	...
//	requests := trace.NewRequests(0)
//	defer requests.Close()
//	r := trace.NewReader("access.log.gz", in, trace.Options{})
//	var e trace.Entry
//	var buf []byte
//	for r.Next(&e) {
//		buf, _ = key.Append(buf[:0], &e)
//		if err := requests.Add(&e, buf); err != nil { ... }
//	}
//	if err := r.Err(); err != nil { ... }
//	report := r.Report()
//	err = requests.Each(func(one trace.Request) error { ... })
//
// Of several logs, each has its own Reader; [Report.Add] sums up.
//
// Logs come from the wild, so the reader is lenient about everything a replay
// does not need: a line with a readable client and a readable time is a
// request, whatever the rest of it looks like. Every other line is counted and
// the first few are kept in the [Report]; no line stops the reading.
package trace

// An Entry is one request of a log.
//
// The byte slices hold the text exactly as it was logged: escapes such as \"
// or \x16 are not undone but for those of JSON and CSV themselves, invalid UTF-8
// is kept, and a value the server logged as "-" is "-". A field the line does not have is empty. The slices share the
// reader's memory: they must not be changed, and those filled in by
// [Reader.Next] are valid only until the next call of it.
type Entry struct {
	// Time is when the request was logged, in microseconds since the Unix
	// epoch; times before 1970 are negative.
	Time int64

	// NoZone says that the time stamp had no offset from UTC, so that Time
	// rests on the location the parser was given.
	NoZone bool

	// Ambiguous says that the clock of that location shows such a time twice,
	// as in the hour in which it is set back, or never; see [Options].
	Ambiguous bool

	// Refused says that the line itself tells that a limiter refused the
	// request, whatever its status.
	Refused bool

	// Client is the address or the host name of the client, without brackets
	// and port.
	Client []byte

	// User is the name of the authenticated user.
	User []byte

	// Host is the virtual host, without its port.
	Host []byte

	// Method and Target are the first two parts of the request line. A request
	// line that is not HTTP has the method "-" and is the Target as a whole.
	Method []byte
	Target []byte

	// Referer and UserAgent are the two request headers of the combined format.
	Referer   []byte
	UserAgent []byte

	// Status is the status code of the answer, three digits (nominally 100 to
	// 599), or 0 if the line has none.
	Status int
}
