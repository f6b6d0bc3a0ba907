package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/api"
	"github.com/aforo-dev/aforo/cmd/aforo/internal/simulate"
	"github.com/aforo-dev/aforo/trace"
)

// MaxLog bounds an access log that is sent to be simulated, in bytes.
const MaxLog = 16 << 20

const goodLog = `192.0.2.1 - - [17/May/2026:10:05:03 +0000] "GET / HTTP/1.1" 200 512`

// A readLog is what was found in a log.
type readLog struct {
	Arrivals []simulate.Arrival `json:"arrivals"`  // the first, in order of time
	Requests int64              `json:"requests"`  // how many there were
	Bad      int64              `json:"bad_lines"` // that were no requests
	FirstBad []badLine          `json:"first_bad,omitempty"`
}

type badLine struct {
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
}

// arrivals answers POST /v1/arrivals: the requests of an access log as arrivals
// that /v1/simulate takes, counted by address. The log is read once and not
// kept; no line of it is sent back.
func (s *Server) arrivals(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxLog))
	if err != nil {
		unreadable(w, r, err, goodLog)
		return
	}
	// What a few bytes decompress to may be endless.
	if head := body[:min(len(body), 4096)]; bytes.HasPrefix(head, []byte("\x1f\x8b")) || bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) {
		badLog(w, r, "this is no text: a compressed log is to be decompressed first")
		return
	}
	text, leave, err := s.inTurn(r, func(ctx context.Context) (any, error) { return readArrivals(ctx, body) })
	defer leave()
	switch {
	case isOver(err):
		simulateBusy(w, r)
	case err != nil:
		badLog(w, r, err.Error())
	default:
		answerText(w, r, http.StatusOK, "application/json", text)
	}
}

func badLog(w http.ResponseWriter, r *http.Request, problem string) {
	answerProblem(w, r, &api.Problem{Status: http.StatusBadRequest, Detail: problem + "; for example: " + goodLog, Example: goodLog})
}

// readArrivals finds the requests, and keeps the first by time.
func readArrivals(ctx context.Context, text []byte) (*readLog, error) {
	key, err := trace.ParseKey("ip")
	if err != nil {
		return nil, err
	}
	reader := trace.NewReader("log", bytes.NewReader(text), trace.Options{})
	found := &readLog{Arrivals: []simulate.Arrival{}}
	var entry trace.Entry
	var name []byte
	for n := 0; reader.Next(&entry); n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if entry.Time < 0 || entry.Time > simulate.MaxTime {
			continue
		}
		name, _ = key.Append(name[:0], &entry)
		found.add(entry.Time, name)
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	report := reader.Report()
	found.Requests, found.Bad = int64(report.Entries), int64(report.Bad)
	for _, bad := range report.FirstBad {
		found.FirstBad = append(found.FirstBad, badLine{int64(bad.Line), bad.Reason})
	}
	if len(found.Arrivals) == 0 {
		return nil, noRequests(found)
	}
	found.cut()
	return found, nil
}

func (f *readLog) add(at int64, name []byte) {
	if len(name) > simulate.MaxKey {
		name = name[:simulate.MaxKey]
	}
	f.Arrivals = append(f.Arrivals, simulate.Arrival{At: at, Key: string(bytes.ToValidUTF8(name, []byte("?")))})
	if len(f.Arrivals) >= 4*simulate.MaxArrivals {
		f.cut()
	}
}

// cut keeps the first arrivals by time.
func (f *readLog) cut() {
	slices.SortStableFunc(f.Arrivals, func(a, b simulate.Arrival) int { return cmp.Compare(a.At, b.At) })
	f.Arrivals = f.Arrivals[:min(len(f.Arrivals), simulate.MaxArrivals)]
}

func noRequests(f *readLog) error {
	if len(f.FirstBad) == 0 {
		return errors.New("the log is empty")
	}
	return fmt.Errorf("no line of %s is a request of an access log; line %d: %s", strconv.FormatInt(f.Bad, 10), f.FirstBad[0].Line, f.FirstBad[0].Reason)
}
