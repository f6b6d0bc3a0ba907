package watch

import (
	"cmp"
	"container/list"
	"slices"
	"time"
)

// nearest is how many keys near their limit are remembered, those that asked
// last.
const nearest = 256

// A Near is a key that had a tenth of its limit left or less when it last asked.
type Near struct {
	Subject
	Remaining int64 `json:"remaining"`
	Limit     int64 `json:"limit"`
	Reset     int64 `json:"reset_seconds"` // until it is as if never used
}

type near struct {
	index map[identity]*list.Element
	order *list.List // of *nearSlot, who asked last in front
}

type nearSlot struct {
	who identity
	Near
	until time.Time
}

func newNear() near { return near{index: make(map[identity]*list.Element), order: list.New()} }

func (n *near) add(now time.Time, who identity, s Seen, subject func() Subject) {
	e := n.index[who]
	if s.Remaining > s.Limit/10 {
		if e != nil {
			n.drop(e)
		}
		return
	}
	if e == nil {
		e = n.order.PushFront(&nearSlot{who: who, Near: Near{Subject: subject()}})
		n.index[who] = e
		if n.order.Len() > nearest {
			n.drop(n.order.Back())
		}
	}
	n.order.MoveToFront(e)
	slot := e.Value.(*nearSlot)
	slot.Remaining, slot.Limit, slot.until = s.Remaining, s.Limit, now.Add(min(s.Reset, 1<<62))
}

func (n *near) drop(e *list.Element) {
	n.order.Remove(e)
	delete(n.index, e.Value.(*nearSlot).who)
}

// list is the keys with the least left, without those that are over it.
func (n *near) list(now time.Time) []Near {
	all := []Near{}
	for e := n.order.Front(); e != nil; {
		slot, next := e.Value.(*nearSlot), e.Next()
		if left := slot.until.Sub(now); left <= 0 {
			n.drop(e)
		} else {
			one := slot.Near
			one.Reset = int64((left + time.Second - 1) / time.Second)
			all = append(all, one)
		}
		e = next
	}
	slices.SortStableFunc(all, func(a, b Near) int {
		return cmp.Compare(float64(a.Remaining)/float64(a.Limit), float64(b.Remaining)/float64(b.Limit))
	})
	return all[:min(len(all), shown)]
}
