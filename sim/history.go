package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A History is the requests of many clients, client by client, in 8 bytes each.
type History struct {
	times []int64 // of one client after another, each in order of time
	ends  []int   // where those of each end
	first int64
	last  int64
	whole bool // all times are of whole seconds
	most  int  // requests of one client
}

// NewHistory keeps the requests of so many clients, which each hands over in
// order of time, in microseconds since the Unix epoch; it is called twice. The
// error is that of each.
func NewHistory(clients int, each func(use func(at int64, key uint32) error) error) (*History, error) {
	h := &History{ends: make([]int, clients), whole: true}
	n := 0
	err := each(func(at int64, key uint32) error {
		if n == 0 {
			h.first = at
		}
		h.last = at
		h.whole = h.whole && at%1_000_000 == 0
		h.ends[key]++
		n++
		return nil
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for key, count := range h.ends {
		h.most = max(h.most, count)
		h.ends[key] = total // for now where they begin
		total += count
	}
	h.times = make([]int64, total)
	return h, each(func(at int64, key uint32) error {
		h.times[h.ends[key]] = at
		h.ends[key]++
		return nil
	})
}

// Clients is how many clients there are.
func (h *History) Clients() int { return len(h.ends) }

// Requests is how many requests there are.
func (h *History) Requests() int64 { return int64(len(h.times)) }

// of is the requests of a client.
func (h *History) of(key int) []int64 {
	if key == 0 {
		return h.times[:h.ends[0]]
	}
	return h.times[h.ends[key-1]:h.ends[key]]
}

func (h *History) busiest() int64 { return int64(h.most) }

// Doubts is why the history is too thin to tell what an aim asks, or what a
// limit of one of the periods would do; nothing if it is not.
func (h *History) Doubts(aim Aim, periods []time.Duration) (doubts []string) {
	n, what := int64(h.Clients()), "clients"
	if aim.OfRequests {
		n, what = h.Requests(), "requests"
	}
	const three = 3_000_000 // the rule of three, in parts per million
	switch {
	case aim.PPM == 0:
		doubts = append(doubts, "no log can tell a limit that never touches anybody: who comes after it may need more")
	case n*aim.PPM < three && n > 0:
		count := fmt.Sprintf("%d %s are", n, what)
		if n == 1 {
			count = "1 " + strings.TrimSuffix(what, "s") + " is"
		}
		doubts = append(doubts, fmt.Sprintf("%s too few to tell %s: if a limit touches none of them, it may still touch %s of all (3 in %d, at 95 %%); %d would tell",
			count, shareOf(aim.PPM), roughly(min(1_000_000, three/n)), n, (three+aim.PPM-1)/aim.PPM))
	}
	span := time.Duration(min(h.last-h.first, 1<<53)) * time.Microsecond
	for _, period := range periods {
		if span < 10*period {
			doubts = append(doubts, fmt.Sprintf("the log spans %v, less than 10 times %v: too short for limits per %v", span, short(period), short(period)))
		}
		if h.whole && period <= 10*time.Second {
			doubts = append(doubts, fmt.Sprintf("its times are of whole seconds, so that requests of a second come at once: too coarse for limits per %v", short(period)))
		}
	}
	return doubts
}

// shareOf is parts per million as percent.
func shareOf(ppm int64) string { return strconv.FormatFloat(float64(ppm)/10_000, 'f', -1, 64) + " %" }

// roughly is the same to two digits.
func roughly(ppm int64) string {
	unit := int64(1)
	for ppm/unit >= 100 {
		unit *= 10
	}
	return shareOf((ppm + unit/2) / unit * unit)
}

// short is a time without the zeros that Go writes after it.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
