// Scrub, step and speed: where in time the person looks.

export class Player {
  // on(t, playing) is called whenever the time changes.
  constructor(parts, on) {
    Object.assign(this, { parts, on, from: 0, until: 1, t: 1, playing: false });
    parts.scrub.addEventListener('input', () => { this.stop(); this.go(this.from + (parts.scrub.value / 1000) * (this.until - this.from)); });
    parts.button.addEventListener('click', () => (this.playing ? this.stop() : this.play()));
  }

  show(from, until, arrivals) {
    Object.assign(this, { from, until, arrivals });
    this.stop();
    this.go(until);
  }

  go(t) {
    this.t = Math.min(this.until, Math.max(this.from, t));
    this.point(this.t);
    this.on(this.t, this.playing);
  }

  // point moves the slider only: to an arrival that is looked at, and from where
  // playing goes on.
  point(t) {
    this.start = t;
    this.parts.scrub.value = ((t - this.from) / (this.until - this.from)) * 1000;
  }

  play() {
    this.t = this.start < this.until ? this.start : this.from;
    this.playing = true;
    this.parts.playing(true);
    // Who wants no motion gets arrival after arrival instead of a moving line.
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) this.leap();
    else requestAnimationFrame((now) => this.frame(now, now));
  }

  frame(before, now) {
    if (!this.playing) return;
    this.go(this.t + (now - before) * 1e3 * Number(this.parts.speed.value));
    if (this.t >= this.until) this.stop();
    else requestAnimationFrame((next) => this.frame(now, next));
  }

  leap() {
    if (!this.playing) return;
    const next = this.arrivals.find((a) => a.t > this.t);
    this.go(next ? next.t : this.until);
    if (!next) this.stop();
    else setTimeout(() => this.leap(), 500);
  }

  stop() {
    if (this.playing) this.parts.playing(false);
    this.playing = false;
  }
}
