package main

import (
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress draws bars while something takes long, on a terminal only. Its
// methods do nothing on others.
type progress struct {
	bars  *mpb.Progress
	began time.Time
}

func newProgress(out io.Writer) *progress {
	f, ok := out.(*os.File)
	if !ok || !isTerminal(f) {
		return &progress{}
	}
	return &progress{bars: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40)), began: time.Now()}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// stop waits until the last state of all bars is drawn.
func (p *progress) stop() {
	if p.bars != nil {
		p.bars.Wait()
	}
}

// bar is one of them; nil draws nothing.
type bar struct{ *mpb.Bar }

// reading is a bar for a file of so many bytes, or of unknown size if negative.
func (p *progress) reading(name string, size int64) *bar {
	speed := decor.AverageSpeed(decor.SizeB1024(0), " % .1f")
	if size < 0 {
		return p.bar("read "+name, 0, decor.CurrentKibiByte(" % .1f"), speed)
	}
	return p.bar("read "+name, size, decor.Counters(decor.SizeB1024(0), " % .1f / % .1f"), speed, timeLeft())
}

// playing is a bar for so many requests.
func (p *progress) playing(limits string, requests int64) *bar {
	return p.bar("play "+limits, requests, decor.CountersNoUnit(" %d / %d"), decor.AverageSpeed(0, " %.0f/s"), timeLeft())
}

// finding is a bar for so many limits.
func (p *progress) finding(limits int) *bar {
	return p.bar("find limits", int64(limits), decor.CountersNoUnit(" %d / %d"))
}

func timeLeft() decor.Decorator {
	return decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WC{C: decor.DextraSpace}), "")
}

func (p *progress) bar(name string, total int64, counters ...decor.Decorator) *bar {
	if p.bars == nil {
		return &bar{}
	}
	return &bar{p.bars.AddBar(total, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(counters...))}
}

func (b *bar) set(done int64) {
	if b.Bar != nil {
		b.SetCurrent(done)
	}
}

func (b *bar) done() {
	if b.Bar != nil {
		b.SetTotal(-1, true)
	}
}
