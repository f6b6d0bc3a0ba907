package aforo

// Size is how many bytes the entries of the log take, packed.
func (g *Log) Size() int { return len(g.data) - g.head }
