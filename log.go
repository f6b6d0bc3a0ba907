package aforo

import "encoding/binary"

// A Log is the units that a sliding_window_log has admitted, oldest first, as
// many bytes as they need: how much later than the one before in ticks, doubled,
// with a 1 added if it is one unit, and otherwise the units after it, both as
// varints. A request of one unit takes a byte for each 7 bits of that: 3 bytes,
// where requests are some seconds apart in microseconds or less.
type Log struct {
	base int64  // what the oldest entry is later than
	data []byte // entries; those before head are gone
	head int
	tail int // where the newest entry begins
}

// A LogEntry is the units that were admitted at one instant, in ticks of the
// limit since the Unix epoch.
type LogEntry struct {
	At    int64
	Units int64
}

// Entries is what is in the log, oldest first.
func (g *Log) Entries() (entries []LogEntry) {
	for c := g.walk(); c.next(); {
		entries = append(entries, c.LogEntry)
	}
	return entries
}

// clone is a copy that shares nothing with the log, without what is gone.
func (g *Log) clone() Log {
	if g.empty() {
		return Log{}
	}
	return Log{base: g.base, data: append([]byte(nil), g.data[g.head:]...), tail: g.tail - g.head}
}

func (g *Log) empty() bool { return g.head == len(g.data) }

// logCursor walks through a log; LogEntry is where it stands.
type logCursor struct {
	LogEntry
	data []byte
	pos  int // of what comes after it
}

func (g *Log) walk() logCursor {
	return logCursor{LogEntry: LogEntry{At: g.base}, data: g.data, pos: g.head}
}

// next goes on to the next entry, and tells whether there is one.
func (c *logCursor) next() bool {
	if c.pos == len(c.data) {
		return false
	}
	later := c.varint()
	c.At += int64(later >> 1)
	c.Units = 1
	if later&1 == 0 {
		c.Units = int64(c.varint())
	}
	return true
}

func (c *logCursor) varint() uint64 {
	v, n := binary.Uvarint(c.data[c.pos:])
	c.pos += n
	return v
}

// add appends units that were admitted at an instant, to the newest entry if that
// is of the same, newest. The array is used again when it is full and half of it
// is gone.
func (g *Log) add(at, units, newest int64) {
	later := uint64(0)
	switch {
	case g.empty():
		*g = Log{base: at, data: g.data[:0]}
	case at == newest:
		c := logCursor{data: g.data, pos: g.tail}
		c.next()
		g.data, later, units = g.data[:g.tail], uint64(c.At), units+c.Units
	default:
		later = uint64(at - newest)
		g.tail = len(g.data)
	}
	const most = 2 * binary.MaxVarintLen64
	if len(g.data)+most > cap(g.data) && 2*g.head >= len(g.data) {
		g.data = append(g.data[:0], g.data[g.head:]...)
		g.tail -= g.head
		g.head = 0
	}
	if units == 1 {
		g.data = binary.AppendUvarint(g.data, later<<1|1)
		return
	}
	g.data = binary.AppendUvarint(binary.AppendUvarint(g.data, later<<1), uint64(units))
}

// newLog packs entries into an array that may be used again.
func newLog(entries []LogEntry, array []byte) Log {
	g, newest := Log{data: array[:0]}, int64(0)
	for _, e := range entries {
		g.add(e.At, e.Units, newest)
		newest = e.At
	}
	return g
}
