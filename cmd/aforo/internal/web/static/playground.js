// The playground: what the person has set up, played by the server, and shown.
import { readLog, simulate } from './api.js';
import { erase, nearest, paint } from './arrivals.js';
import { fit, colour } from './canvas.js';
import { scale } from './axis.js';
import { seconds } from './format.js';
import { forgetColours, Lanes } from './lanes.js';
import { Painter } from './painter.js';
import { Player } from './player.js';
import { fragment, request, start } from './state.js';
import { Setup } from './setup.js';
import { Table } from './table.js';
import { disagreements } from './why.js';

const $ = (id) => document.getElementById(id);

export class Playground {
  // tell has problem(error), clear() and say(text).
  constructor(t, lang, tell) {
    Object.assign(this, { t, lang, tell, undone: [], index: -1, pinned: null });
    this.state = start();
    this.lanes = new Lanes($('lanes'), t, lang, {
      hover: (time) => this.look(time),
      leave: () => this.look(this.pinned ?? this.player.t),
      pin: (time) => this.step(nearest(this.state.arrivals, time)),
      edit: (i, text) => this.change({ limits: this.state.limits.with(i, text) }),
    });
    this.painter = new Painter($('paint'), {
      paint: (from, to) => this.attempt(() => this.paint(from, to)),
      erase: (from, to) => this.change({ arrivals: erase(this.state.arrivals, from, to) }),
    }, () => document.querySelector('input[name=mode]:checked').value === 'erase');
    this.player = new Player({ scrub: $('scrub'), button: $('play-pause'), speed: $('speed'),
      playing: (yes) => { $('play-pause').textContent = t(yes ? 'player.pause' : 'player.play'); } }, (time) => this.time(time));
    this.setup = new Setup(this, t, lang);
    this.table = new Table($('table-box'), $('table'), t, lang);
    $('previous').addEventListener('click', () => this.step(this.index - 1));
    $('next').addEventListener('click', () => this.step(this.index + 1));
    $('next-disagreement').addEventListener('click', () => this.nextDisagreement());
    $('undo').addEventListener('click', () => this.undo());
    $('clear').addEventListener('click', () => this.change({ arrivals: [] }));
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
    this.change({ arrivals: paint(this.state.arrivals, from, to, Number(rate.value), Number(cost.value), key.value) });
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
    this.painter.show(state.arrivals, state.from, state.until);
    $('paint-count').textContent = this.t('paint.count', { n: state.arrivals.length });
    if (!keepLink) {
      const link = fragment(state);
      history.replaceState(null, '', link.length < 60_000 ? '#' + link : '#play');
    }
    return this.play();
  }

  // playAllFive asks the server which five limits a text stands for.
  async playAllFive(limit) {
    const first = this.state.arrivals[0]?.t ?? this.state.from;
    const answer = await this.ask({ limit, arrivals: [{ t_us: first }], samples: 0 });
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
    const none = this.state.arrivals.length === 0;
    const body = request(this.state);
    if (none) body.arrivals = [{ t_us: this.state.from, cost: 0 }];
    const result = await this.ask(body);
    if (!result) return;
    if (none) {
      result.arrivals = [];
      for (const lane of result.lanes) Object.assign(lane, { decisions: [], allowed: 0 });
    }
    this.result = result;
    this.state.arrivals = result.arrivals.map((a, i) => ({ ...this.state.arrivals[i], t: a.t_us }));
    this.disagree = disagreements(result.lanes);
    this.index = -1;
    this.pinned = null;
    this.draw();
    this.table.show(result, this.disagree);
    this.tell.say(this.t('play.done', { n: result.arrivals.length, differ: this.disagree.length }));
  }

  draw() {
    if (!this.result || $('lanes').clientWidth === 0) return;
    forgetColours();
    const { from, until } = this.state;
    this.painter.draw();
    this.ribbon();
    this.lanes.show(this.result, from, until);
    const at = this.index;
    this.player.show(from, until, this.state.arrivals);
    if (at >= 0) this.step(at);
  }

  // ribbon marks where the lanes disagree, and says how often.
  ribbon() {
    const { from, until } = this.state;
    const { ctx, width } = fit($('ribbon'), 16);
    const { x } = scale(from, until, width);
    ctx.fillStyle = colour('line');
    ctx.fillRect(x(from), 7, x(until) - x(from), 2);
    ctx.fillStyle = colour('differ');
    for (const i of this.disagree) ctx.fillRect(x(this.result.arrivals[i].t_us) - 1.5, 1, 3, 14);
    const text = this.t('ribbon', { differ: this.disagree.length, n: this.result.arrivals.length });
    $('ribbon-text').textContent = text;
    $('ribbon').setAttribute('aria-label', text);
    $('next-disagreement').disabled = this.disagree.length === 0;
  }

  // time is called when the player has moved.
  time(t) {
    $('clock-now').textContent = seconds(Math.round(t), this.lang);
    this.pinned = null;
    this.look(t);
  }

  // look puts the cursor to an instant: the latest arrival up to it is explained.
  look(t) {
    if (!this.result) return;
    const list = this.state.arrivals;
    let i = nearest(list, t);
    if (this.player.playing) while (i >= 0 && list[i].t > t) i--;
    this.index = i;
    this.lanes.at(t, i, this.player.t < this.state.until ? this.player.t : null);
  }

  // step goes to an arrival, and says what was decided about it.
  step(i) {
    const list = this.state.arrivals;
    if (list.length === 0 || !this.result) return;
    i = Math.min(list.length - 1, Math.max(0, i));
    this.player.stop();
    this.pinned = list[i].t;
    this.index = i;
    this.lanes.at(list[i].t, i, null);
    $('clock-now').textContent = seconds(list[i].t, this.lang);
    this.tell.say(this.t('step.said', { i: i + 1, n: list.length, at: seconds(list[i].t, this.lang), cost: list[i].cost, said: this.lanes.said(i) }));
    this.table.around(i);
  }

  nextDisagreement() {
    this.step(this.disagree.find((i) => i > this.index) ?? this.disagree[0]);
  }

  // log reads a log that was dropped or opened.
  async log(file) {
    try {
      const read = await readLog(file);
      const arrivals = read.arrivals.map((a) => ({ t: a.t_us, cost: 1, key: a.key ?? '' }));
      const [first, last] = [arrivals[0].t, arrivals[arrivals.length - 1].t];
      const room = Math.max(1e6, (last - first) * 0.05);
      await this.change({ arrivals, from: Math.max(0, Math.floor(first - room)), until: Math.ceil(last + room) });
      this.tell.say(this.t('log.read', { n: read.arrivals.length, requests: read.requests, bad: read.bad_lines }), true);
    } catch (error) {
      this.tell.problem(error);
    }
  }
}
