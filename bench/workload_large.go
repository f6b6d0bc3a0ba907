package main

// large measures a table of many keys, where a decision waits for memory. Both
// sections share the table, which is dear to fill.
func (r *run) large() error {
	n, draws, list := r.Sizes.Keys, r.Sizes.Draws, refusing()
	even := &Section{
		Name: "uniform", Title: short(n) + " keys, each as likely as the other",
		Note: "ns a decision, all of them allowed, on keys that are in the table.",
	}
	skewed := &Section{
		Name: "zipf", Title: short(n) + " keys, Zipf 1.1",
		Note: "ns a decision, all of them allowed, on keys that are in the table. A few keys get most of the requests.",
	}
	traffic := map[*Section][2][]string{
		even:   {uniform(n, draws, 1), uniform(n, draws, 2)},
		skewed: {zipf(n, draws, 1), zipf(n, draws, 2)},
	}
	err := r.rounds("uniform, zipf", len(list), func(i int) error {
		l, err := list[i].New(open(n))
		if err != nil {
			return err
		}
		defer l.Close()
		fill(l, n)
		for _, s := range []*Section{even, skewed} {
			if r.wants(s.Name) {
				a, b := traffic[s][0], traffic[s][1]
				r.note(s, "1 goroutine", list[i].Name, stopwatch(l, a), true)
				r.note(s, "2 goroutines", list[i].Name, shared(l, a, b), true)
			}
		}
		return nil
	})
	for _, s := range []*Section{even, skewed} {
		if r.wants(s.Name) {
			r.keep(s)
		}
	}
	return err
}
