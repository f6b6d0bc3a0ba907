package trace_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/aforo-dev/aforo/trace"
)

func ExampleReader() {
	log := `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /search?q=a HTTP/1.1" 200 5120 "-" "Mozilla/5.0"
2001:db8::17 - alice [17/May/2015:12:05:04 +0200] "POST /login HTTP/1.1" 401 12 "-" "curl/8.5.0"
something else
`
	key, err := trace.ParseKey("ip+path")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := trace.NewReader("access.log", strings.NewReader(log), trace.Options{})
	var e trace.Entry
	var buf []byte
	for r.Next(&e) {
		buf, _ = key.Append(buf[:0], &e)
		fmt.Printf("%s %s\n", time.UnixMicro(e.Time).UTC().Format(time.TimeOnly), buf)
	}
	if err := r.Err(); err != nil {
		fmt.Println(err)
	}
	for _, line := range r.Report().FirstBad {
		fmt.Println(line)
	}
	// Output:
	// 10:05:03 192.0.2.1|/search
	// 10:05:04 2001:db8::/64|/login
	// access.log:3: no readable time stamp such as [17/May/2015:10:05:03 +0000]: "something else"
}
