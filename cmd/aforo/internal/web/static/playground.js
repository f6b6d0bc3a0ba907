// The playground: what the person has set up, played by the server, and shown.
import { readLog, simulate } from './api.js';
import { erase, nearest, paint } from './arrivals.js';
import { fit, colour } from './canvas.js';
import { instant, scale } from './axis.js';
import { number } from './format.js';
import { forgetColours, Lanes } from './lanes.js';
import { Painter } from './painter.js';
import { Player } from './player.js';
import { Refused } from './refused.js';
import { fragment, relative, request, start } from './state.js';
import { Setup } from './setup.js';
import { Table } from './table.js';
import { disagreements } from './why.js';

const maxLog = 16 * 1024 * 1024; // bytes: see docs/API.md

const $ = (id) => document.getElementById(id);

export class Playground {
  // tell has problem(error), clear() and say(text).
  constructor(t, lang, tell) {
    Object.assign(this, { t, lang, tell, undone: [], index: -1, pinned: null });
    this.state = start();
    this.played = 0;
    this.lanes = new Lanes($('lanes'), t, lang, {
      hover: (time) => this.look(time),
      leave: () => this.look(this.pinned ?? this.player.t),
      pin: (time) => this.step(nearest(this.arrivals(), time)),
      edit: (i, text) => this.change({ limits: this.state.limits.with(i, text) }),
    });
    this.painter = new Painter($('paint'), {
      paint: (from, to) => this.attempt(() => this.paint(from, to)),
      erase: (from, to) => this.edit(erase(this.arrivals(), from, to)),
      caret: (t) => tell.say(instant(t, lang)),
    }, () => document.querySelector('input[name=mode]:checked').value === 'erase');
    this.player = new Player({ scrub: $('scrub'), button: $('play-pause'), speed: $('speed'),
      playing: (yes) => { $('play-pause').textContent = t(yes ? 'player.pause' : 'player.play'); } }, (time) => this.time(time));
    this.setup = new Setup(this, t, lang);
    this.table = new Table($('table-box'), $('table'), t, lang);
    $('previous').addEventListener('click', () => this.step(this.index - 1));
    $('next').addEventListener('click', () => this.step(this.index + 1));
    $('next-disagreement').addEventListener('click', () => this.nextDisagreement());
    $('undo').addEventListener('click', () => this.undo());
    $('clear').addEventListener('click', () => this.edit([]));
    new ResizeObserver(() => this.draw()).observe($('lanes'));
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  // attempt shows what is wrong instead of failing.
  attempt(does) {
    try {
      return does();
    } catch (error) {
      this.tell.problem(error);
      return undefined;
    }
  }

  paint(from, to) {
    const [rate, cost, key] = [$('brush-rate'), $('brush-cost'), $('brush-key')];
    if (!rate.reportValidity() || !cost.reportValidity()) return;
    this.edit(paint(this.arrivals(), from, to, Number(rate.value), Number(cost.value), key.value));
  }

  // arrivals are those that are shown: also those of traffic in words.
  arrivals() {
    if (!this.state.traffic) return this.state.arrivals;
    return (this.result?.lanes[0].decisions ?? []).map(({ t, cost, key }) => ({ t, cost, key: key ?? '' }));
  }

  // axis is from when to when is shown.
  axis() {
    return this.state.traffic && this.result ? this.result : this.state;
  }

  // edit puts arrivals in the place of what was shown.
  edit(arrivals) {
    const { from, until } = this.axis();
    return this.change({ arrivals, traffic: '', from, until });
  }

  // change sets parts of the state, and plays it. What was before can be undone.
  change(parts) {
    this.undone.push(this.state);
    if (this.undone.length > 100) this.undone.shift();
    return this.set({ ...this.state, ...parts });
  }

  undo() {
    if (this.undone.length > 0) this.set(this.undone.pop());
  }

  // set shows a state; the link in the address bar follows it.
  set(state, keepLink = false) {
    this.state = state;
    $('undo').disabled = this.undone.length === 0;
    this.setup.show(state);
    if (!keepLink) {
      const link = fragment(state);
      history.replaceState(null, '', link.length < 60_000 ? '#' + link : '#play');
    }
    return this.play();
  }

  // playAllFive asks the server which five limits a text stands for.
  async playAllFive(limit) {
    const answer = await this.ask({ limit, arrivals: [{ t_us: 0 }], samples: 0 });
    if (answer) await this.change({ limits: answer.lanes.map((l) => l.limit) });
  }

  async ask(body) {
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await simulate(body, this.asking.signal);
      this.tell.clear();
      return answer;
    } catch (error) {
      if (error.name !== 'AbortError') this.tell.problem(error);
      return null;
    }
  }

  // play asks for the decisions. No arrivals are shown as one that only looks.
  async play() {
    const { state } = this;
    await this.playState(state);
    if (state === this.state) $('lanes').dataset.played = ++this.played; // for those who wait for it
  }

  async playState(state) {
    const none = !state.traffic && state.arrivals.length === 0;
    const body = request(state);
    if (none) body.arrivals = [{ t_us: state.from, cost: 0 }];
    const answer = await this.ask(body);
    if (!answer) return;
    if (none) for (const lane of answer.lanes) Object.assign(lane, { decisions: [], allowed: 0 });
    this.result = relative(answer, state);
    this.disagree = disagreements(this.result);
    this.index = -1;
    this.pinned = null;
    this.draw();
    this.table.show(this.result, this.disagree);
    this.tell.say(this.t('play.done', { n: this.arrivals().length, differ: this.disagree.length }));
  }

  draw() {
    if (!this.result || $('lanes').clientWidth === 0) return;
    forgetColours();
    const { from, until } = this.axis();
    const arrivals = this.arrivals();
    this.painter.show(arrivals, from, until);
    $('paint-count').textContent = this.t('paint.count', { n: arrivals.length });
    $('span').value = (until - from) / 1e6;
    this.ribbon(from, until);
    this.lanes.show(this.result, from, until);
    const at = this.pinned === null ? -1 : this.index;
    // uPlot lays itself out after the present task.
    requestAnimationFrame(() => {
      this.player.show(from, until, arrivals);
      if (at >= 0) this.step(at);
    });
  }

  // ribbon marks where the lanes disagree, and says how often.
  ribbon(from, until) {
    const { ctx, width } = fit($('ribbon'), 16);
    const { x } = scale(from, until, width);
    ctx.fillStyle = colour('line');
    ctx.fillRect(x(from), 7, x(until) - x(from), 2);
    ctx.fillStyle = colour('differ');
    for (const i of this.disagree) ctx.fillRect(x(this.result.lanes[0].decisions[i].t) - 1.5, 1, 3, 14);
    const text = this.t(this.result.aligned ? 'ribbon' : 'ribbon.react', { differ: this.disagree.length, n: this.arrivals().length });
    $('ribbon-text').textContent = text;
    $('ribbon').setAttribute('aria-label', text);
    $('next-disagreement').disabled = this.disagree.length === 0;
  }

  // time is called when the player has moved.
  time(t) {
    this.clock(Math.round(t));
    this.pinned = null;
    this.look(t);
  }

  // clock says where in time the cursor is, to the eye and of the slider.
  clock(t) {
    $('clock-now').textContent = instant(t, this.lang);
    $('scrub').setAttribute('aria-valuetext', $('clock-now').textContent);
  }

  // look puts the cursor to an instant: the latest arrival up to it is explained.
  look(t) {
    if (!this.result) return;
    const list = this.player.arrivals;
    let i = nearest(list, t);
    if (this.player.playing) while (i >= 0 && list[i].t > t) i--;
    this.index = i;
    this.lanes.at(t, i, this.player.t < this.player.until ? this.player.t : null);
  }

  // step goes to an arrival, and says what was decided about it.
  step(i) {
    const list = this.arrivals();
    if (list.length === 0 || !this.result) return;
    i = Math.min(list.length - 1, Math.max(0, i));
    this.player.stop();
    this.pinned = list[i].t;
    this.index = i;
    this.lanes.at(list[i].t, i, null);
    this.player.point(list[i].t);
    this.clock(list[i].t);
    this.tell.say(this.t('step.said', { i: i + 1, n: list.length, at: instant(list[i].t, this.lang), cost: list[i].cost, said: this.lanes.said(i) }));
    this.table.around(i);
  }

  nextDisagreement() {
    this.step(this.disagree.find((i) => i > this.index) ?? this.disagree[0]);
  }

  // log reads a log that was dropped or opened.
  async log(file) {
    try {
      if (file.size > maxLog) throw new Refused('refused.log', { n: number(file.size, this.lang), most: number(maxLog, this.lang) });
      const read = await readLog(file);
      const arrivals = read.arrivals.map((a) => ({ t: a.t_us, cost: 1, key: a.key ?? '' }));
      const [first, last] = [arrivals[0].t, arrivals[arrivals.length - 1].t];
      const room = Math.max(1e6, (last - first) * 0.05);
      await this.change({ arrivals, traffic: '', from: Math.max(0, Math.floor(first - room)), until: Math.ceil(last + room) });
      this.tell.say(this.t('log.read', { n: read.arrivals.length, requests: read.requests, bad: read.bad_lines }), true);
    } catch (error) {
      this.tell.problem(error.status === 400 ? new Refused('refused.junk', { detail: error.message }) : error);
    }
  }
}
