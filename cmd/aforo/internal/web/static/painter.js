// The lane of arrivals: click and drag to paint, or the keyboard.
import { label, scale, ticks } from './axis.js';
import { colour, fit } from './canvas.js';

const height = 92;

export class Painter {
  // on has paint(from, to), erase(from, to) and caret(t); erasing tells which of them a drag is.
  constructor(canvas, on, erasing) {
    Object.assign(this, { canvas, on, erasing, arrivals: [], from: 0, until: 1, caret: null, drag: null });
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', () => { this.drag = null; this.draw(); });
    canvas.addEventListener('keydown', (e) => this.key(e));
    canvas.addEventListener('focus', () => { this.caret ??= this.from; this.draw(); });
    canvas.addEventListener('blur', () => this.draw());
  }

  show(arrivals, from, until) {
    Object.assign(this, { arrivals, from, until });
    if (this.caret !== null) this.caret = Math.min(until, Math.max(from, this.caret));
    this.draw();
  }

  time(e) {
    const box = this.canvas.getBoundingClientRect();
    return scale(this.from, this.until, box.width).t(e.clientX - box.left);
  }

  down(e) {
    if (e.button !== 0) return;
    this.canvas.setPointerCapture(e.pointerId);
    this.drag = { start: this.time(e), end: this.time(e) };
    this.draw();
  }

  move(e) {
    if (!this.drag) return;
    this.drag.end = this.time(e);
    this.draw();
  }

  up(e) {
    if (!this.drag) return;
    let { start } = this.drag;
    let end = this.time(e);
    this.drag = null;
    this.draw(); // also if what was painted is refused
    if (this.erasing()) {
      const near = (this.until - this.from) / 200;
      if (start === end) [start, end] = [start - near, end + near];
      this.on.erase(start, end);
    } else {
      this.on.paint(start, end);
    }
  }

  key(e) {
    const step = (this.until - this.from) / (e.shiftKey ? 10 : 100);
    const go = (t) => { this.caret = Math.round(Math.min(this.until, Math.max(this.from, t))); this.draw(); this.on.caret(this.caret); };
    switch (e.key) {
      case 'ArrowLeft': go(this.caret - step); break;
      case 'ArrowRight': go(this.caret + step); break;
      case 'Home': go(this.from); break;
      case 'End': go(this.until); break;
      case 'Enter': case ' ': this.on.paint(this.caret, this.caret); break;
      case 'Delete': case 'Backspace': this.on.erase(this.caret - step / 2, this.caret + step / 2); break;
      default: return;
    }
    e.preventDefault();
  }

  draw() {
    const { ctx, width } = fit(this.canvas, height);
    const { x } = scale(this.from, this.until, width);
    const floor = height - 22;
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    for (const t of ticks(this.from, this.until)) {
      ctx.fillStyle = colour('line');
      ctx.fillRect(Math.round(x(t)), 4, 1, floor - 4);
      ctx.fillStyle = colour('dim');
      ctx.fillText(label(t), x(t), height - 6);
    }
    ctx.fillStyle = colour('ink');
    ctx.fillRect(x(this.from), floor, x(this.until) - x(this.from), 1);
    for (const a of this.arrivals) {
      if (a.t < this.from || a.t > this.until) continue;
      const tall = Math.min(floor - 8, 14 + 12 * Math.log2(Math.max(1, a.cost)));
      ctx.fillRect(x(a.t) - 0.75, floor - tall, 1.5, tall);
    }
    if (this.drag) {
      ctx.fillStyle = colour(this.erasing() ? 'refused' : 'allowed');
      ctx.globalAlpha = 0.25;
      const [a, b] = [x(this.drag.start), x(this.drag.end)].sort((p, q) => p - q);
      ctx.fillRect(a - 1, 4, b - a + 2, floor - 4);
      ctx.globalAlpha = 1;
    }
    if (this.caret !== null && document.activeElement === this.canvas) {
      ctx.fillStyle = colour('focus');
      ctx.fillRect(x(this.caret) - 1, 2, 2, floor);
    }
  }
}
