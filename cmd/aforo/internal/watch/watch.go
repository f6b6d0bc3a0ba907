// Package watch counts what a server decides, for whoever watches it live: how
// many decisions there are, who is refused most, and who is near a limit. Its
// memory is bounded whatever comes, and it never gives away a key that is a
// secret.
package watch

import (
	"slices"
	"sync"
	"time"
)

// Seconds is how many seconds of rates are kept.
const Seconds = 60

// AdHoc stands for the limits that requests bring themselves.
const AdHoc = ""

// A Watch counts decisions. Its methods may be called concurrently.
type Watch struct {
	mu      sync.Mutex
	now     func() time.Time
	hide    *hider
	secret  map[string]bool // policies whose keys are secrets
	names   []string        // of the policies, in order; the last is AdHoc
	counts  map[string]*counter
	top     recent
	near    near
	started int64 // seconds since the Unix epoch
}

// A Seen is a decision as it is counted.
type Seen struct {
	Policy    string // or AdHoc
	Key       string
	Allowed   bool
	Limit     int64 // 0 if unlimited, or if nothing is ever allowed
	Remaining int64
	Reset     time.Duration // until the key is as if never used
}

// New makes a watch of policies, by the clock now; secret are those whose keys
// are never shown.
func New(policies []string, secret map[string]bool, now func() time.Time) *Watch {
	w := &Watch{now: now, hide: newHider(), secret: secret, names: append(slices.Clone(policies), AdHoc),
		counts: make(map[string]*counter), near: newNear(), started: now().Unix()}
	for _, name := range w.names {
		w.counts[name] = new(counter)
	}
	w.top = newRecent(now().Unix())
	return w
}

// Add counts a decision.
func (w *Watch) Add(s Seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	c := w.counts[s.Policy]
	if c == nil {
		return
	}
	c.add(now.Unix(), s.Allowed)
	who := w.hide.identify(s.Policy, s.Key)
	if !s.Allowed {
		w.top.add(now.Unix(), who, func() Subject { return w.subject(s) })
	}
	if s.Limit == 0 {
		return
	}
	w.near.add(now, who, s, func() Subject { return w.subject(s) })
}

// Forget takes a key of a policy, which was reset, from those near their limit.
func (w *Watch) Forget(policy, key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.near.index[w.hide.identify(policy, key)]; e != nil {
		w.near.drop(e)
	}
}

// A Subject is a key of a policy as it may be shown.
type Subject struct {
	Policy string `json:"policy"`
	Key    string `json:"key"`
	Hidden bool   `json:"hidden,omitempty"` // the key is a hash of it
}

func (w *Watch) subject(s Seen) Subject {
	shown, hidden := w.hide.show(s.Key, w.secret[s.Policy])
	return Subject{s.Policy, shown, hidden}
}

// A Snapshot is what there is to see at an instant. The rates are decisions in
// each of the last full seconds, the latest last.
type Snapshot struct {
	At       int64    `json:"at"`      // seconds since the Unix epoch
	Started  int64    `json:"started"` // likewise
	Policies []Policy `json:"policies"`
	Top      []Heavy  `json:"top"`
	Near     []Near   `json:"near"`
	TopSince int64    `json:"top_since"` // from when refusals are counted
}

// A Policy is the decisions of one policy.
type Policy struct {
	Name         string       `json:"name"` // "" for limits that requests bring
	Allowed      [Seconds]int `json:"allowed"`
	Refused      [Seconds]int `json:"refused"`
	AllowedTotal int64        `json:"allowed_total"`
	RefusedTotal int64        `json:"refused_total"`
}

// Snapshot is what there is to see now.
func (w *Watch) Snapshot() Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	s := Snapshot{At: now.Unix(), Started: w.started, Near: w.near.list(now)}
	for _, name := range w.names {
		s.Policies = append(s.Policies, w.counts[name].policy(name, now.Unix()))
	}
	s.Top, s.TopSince = w.top.list(now.Unix())
	return s
}

// A counter counts decisions, in total and in each of the last seconds.
type counter struct {
	total   [2]int64 // allowed, refused
	seconds [Seconds + 1][2]int
	latest  int64
}

// turn clears the seconds that have begun since the last time.
func (c *counter) turn(now int64) {
	for s := max(c.latest+1, now-Seconds); s <= now; s++ {
		c.seconds[s%(Seconds+1)] = [2]int{}
	}
	c.latest = max(c.latest, now)
}

func (c *counter) add(now int64, allowed bool) {
	c.turn(now)
	outcome := 1
	if allowed {
		outcome = 0
	}
	c.total[outcome]++
	c.seconds[c.latest%(Seconds+1)][outcome]++
}

func (c *counter) policy(name string, now int64) Policy {
	c.turn(now)
	p := Policy{Name: name, AllowedTotal: c.total[0], RefusedTotal: c.total[1]}
	for i := range Seconds {
		at := c.latest - Seconds + int64(i)
		p.Allowed[i], p.Refused[i] = c.seconds[(at%(Seconds+1)+Seconds+1)%(Seconds+1)][0], c.seconds[(at%(Seconds+1)+Seconds+1)%(Seconds+1)][1]
	}
	return p
}
