package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// writeReplayCSV writes a row for each limit, or with clients, for each client
// of each.
func writeReplayCSV(out io.Writer, r *replay) error {
	w := csv.NewWriter(out)
	if r.ClientsShown > 0 {
		writeClientRows(w, r)
	} else {
		writeLimitRows(w, r)
	}
	w.Flush()
	return w.Error()
}

func writeLimitRows(w *csv.Writer, r *replay) {
	head := []string{"limit", "allowed", "refused", "clients_touched", "clients", "worst_client", "worst_requests", "worst_refused", "longest_delay_ms"}
	if len(r.There) > 0 {
		head = append(head, "both", "only_here", "only_there")
	}
	w.Write(head)
	for _, c := range r.Columns {
		worst := r.worst(c)
		if worst == nil {
			worst = &client{refusals: &refusals{}}
		}
		row := []string{
			heading(c.Limits), fmt.Sprint(c.Allowed), fmt.Sprint(c.Refused),
			strconv.Itoa(len(c.Clients)), strconv.Itoa(r.Traffic.Keys()),
			printable(worst.Key), fmt.Sprint(worst.Requests), fmt.Sprint(worst.Count),
			orNever(c.LongestDelay),
		}
		if len(r.There) > 0 {
			row = append(row, fmt.Sprint(c.Both), fmt.Sprint(c.OnlyHere), fmt.Sprint(c.OnlyThere))
		}
		w.Write(row)
	}
}

func writeClientRows(w *csv.Writer, r *replay) {
	w.Write([]string{"limit", "client", "requests", "refused", "first", "first_retry_ms", "last", "longest_retry_ms", "refused_by"})
	for _, c := range r.Columns {
		for _, k := range r.clients(c, r.ClientsShown) {
			w.Write([]string{
				heading(c.Limits), printable(k.Key), fmt.Sprint(k.Requests), fmt.Sprint(k.Count),
				time.UnixMicro(k.First).UTC().Format(time.RFC3339Nano), orNever(k.FirstRetry),
				time.UnixMicro(k.Last).UTC().Format(time.RFC3339Nano), orNever(k.Longest), c.byText(k.By),
			})
		}
	}
}

// orNever is a time in milliseconds, or the word never.
func orNever(d time.Duration) string {
	if isNever(d) {
		return "never"
	}
	return milliseconds(d).String()
}
