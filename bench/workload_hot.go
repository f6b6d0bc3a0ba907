package main

// hot measures one key: how much a decision costs when everything lies in the
// processor's cache, and how the goroutines get in each other's way.
func (r *run) hot() error {
	s := &Section{
		Name:  "hot",
		Title: "One hot key",
		Note:  "ns a decision: wall time by all decisions, so that two goroutines at best halve it.",
	}
	keys, list := oneKey(r.Sizes.Hot), peers()
	err := r.rounds(s.Name, len(list), func(i int) error {
		p := list[i]
		if err := r.hotOf(s, p, open(1), keys, "allowed", true); err != nil || p.Waits {
			return err
		}
		return r.hotOf(s, p, shut(1), keys, "refused", false)
	})
	r.keep(s)
	return err
}

func (r *run) hotOf(s *Section, p Peer, spec Spec, keys []string, name string, allowed bool) error {
	l, err := p.New(spec)
	if err != nil {
		return err
	}
	defer l.Close()
	l.Allow(keys[0]) // the one that is allowed even where all others are refused
	r.note(s, name+", 1 goroutine", p.Name, stopwatch(l, keys), allowed)
	r.note(s, name+", 2 goroutines", p.Name, shared(l, keys, keys), allowed)
	return nil
}
