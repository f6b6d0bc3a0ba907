package main

// curve measures how a decision gets dearer as the table outgrows one cache
// after the other.
func (r *run) curve() error {
	s := &Section{
		Name: "curve", Title: "From few keys to many",
		Note: "ns a decision on 1 goroutine, each key as likely as the other, all allowed.",
	}
	var err error
	for _, n := range r.Sizes.Curve {
		list := those(aforoName, floorName, wideFloorName, loopName)
		if n <= r.Sizes.PeerKeys {
			list = those(aforoName, floorName, wideFloorName, loopName, xtimeMutexName, sethvargoName, throttledName)
		}
		keys := uniform(n, r.Sizes.Draws, 1)
		err = r.rounds(s.Name+", "+short(n)+" keys", len(list), func(i int) error {
			l, err := list[i].New(open(n))
			if err != nil {
				return err
			}
			defer l.Close()
			fill(l, n)
			r.note(s, short(n)+" keys", list[i].Name, stopwatch(l, keys), true)
			return nil
		})
		if err != nil {
			break
		}
	}
	r.keep(s)
	return err
}
