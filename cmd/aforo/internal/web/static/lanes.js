// The lanes: what each limit did to the arrivals, on one time axis with one
// cursor.
import { nearest } from './arrivals.js';
import { left, right, label, ticks } from './axis.js';
import { colour, mark, size } from './canvas.js';
import { formula, kind, sentence } from './why.js';
import { number, seconds, span } from './format.js';

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3], [4, 4], [1, 3], [10, 4], [3, 1]];

export class Lanes {
  // on has hover(t), pin(t), leave() and edit(lane, text).
  constructor(root, t, lang, on) {
    Object.assign(this, { root, t, lang, on, lanes: [] });
  }

  // show draws a result; from and until are the axis.
  show(result, from, until) {
    Object.assign(this, { result, from, until });
    while (this.lanes.length > result.lanes.length) this.lanes.pop().element.remove();
    result.lanes.forEach((lane, i) => {
      this.lanes[i] ??= this.build(i);
      this.fill(this.lanes[i], lane);
      this.chart(this.lanes[i], lane, i === result.lanes.length - 1);
    });
  }

  build(i) {
    const element = document.getElementById('lane-template').content.firstElementChild.cloneNode(true);
    const part = (name) => element.querySelector('.' + name);
    const heading = part('name');
    heading.id = 'lane-' + i;
    element.setAttribute('aria-labelledby', heading.id);
    const input = part('lane-limit');
    input.setAttribute('aria-label', this.t('lane.limit', { n: i + 1 }));
    input.addEventListener('change', () => this.on.edit(i, input.value));
    this.root.append(element);
    return { element, heading, input, numbers: part('numbers'), plot: part('plot'), why: part('why') };
  }

  fill(view, lane) {
    const rule = lane.decisions[0]?.why[0]?.rule;
    view.heading.textContent = lane.limit.includes(',') || !rule ? lane.limit : this.t('algorithm.' + rule);
    view.heading.title = rule ?? '';
    if (document.activeElement !== view.input) view.input.value = lane.limit;
    const most = lane.most ? `${number(lane.most.units, this.lang)} / ${span(lane.most.period_us)}` : '–';
    const facts = [
      ['allowed', number(lane.allowed, this.lang)], ['refused', number(lane.refused, this.lang)],
      ['most', most], ['delay', lane.longest_delay_us === 0 ? '–' : seconds(lane.longest_delay_us, this.lang)],
    ];
    view.numbers.replaceChildren(...facts.map(([name, value]) => {
      const box = document.createElement('div');
      const term = document.createElement('dt');
      const data = document.createElement('dd');
      term.textContent = this.t('lane.' + name);
      data.textContent = value;
      data.dataset.number = name;
      box.append(term, data);
      return box;
    }));
  }

  chart(view, lane, last) {
    view.chart?.destroy();
    view.plot.replaceChildren();
    const top = Math.max(1, ...lane.curves.map((c) => c.capacity));
    const high = Math.max(top, ...lane.curves.flatMap((c) => c.points.map((p) => p[1])));
    const text = colour('dim');
    const hidden = { show: true, size: 0, ticks: { show: false }, grid: { stroke: colour('line'), width: 1 }, values: () => [], splits: () => ticks(this.from, this.until) };
    view.chart = new window.uPlot({
      width: Math.max(200, view.plot.clientWidth), height: last ? 134 : 114,
      padding: [6, right, last ? 0 : 30, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false, range: () => [this.from, this.until] }, y: { range: () => [0, high * 1.08] } },
      axes: [
        last ? { ...hidden, size: 50, gap: 32, stroke: text, values: (_, all) => all.map((t) => label(t)) } : hidden,
        { size: left, stroke: text, ticks: { show: false }, grid: { show: false }, splits: () => [0, top], values: (_, all) => all.map((v) => number(v, this.lang)) },
      ],
      series: [{}, ...lane.curves.map((_, i) => ({ stroke: colour('curve'), width: 1.5, dash: dashes[i % dashes.length], spanGaps: true, points: { show: false }, fill: lane.curves.length === 1 ? colour('under') : undefined }))],
      hooks: { draw: [(u) => { this.capacity(u, top); this.marks(u, lane); }] },
    }, columns(lane.curves, this.from, this.until), view.plot);
    const over = view.chart.over;
    const at = (e) => Math.round(view.chart.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    view.plot.onmousemove = (e) => this.on.hover(at(e));
    view.plot.onmouseleave = () => this.on.leave();
    view.plot.onclick = (e) => this.on.pin(at(e));
    view.ring = over.appendChild(Object.assign(document.createElement('div'), { className: 'ring' }));
    view.future = over.appendChild(Object.assign(document.createElement('div'), { className: 'future' }));
    view.plot.setAttribute('role', 'img');
    view.plot.setAttribute('aria-label', this.t('lane.picture', { limit: lane.limit, allowed: lane.allowed, refused: lane.refused }));
  }

  // capacity is the line that no curve should cross.
  capacity(u, top) {
    const y = Math.round(u.valToPos(top, 'y', true)) + 0.5;
    u.ctx.save();
    u.ctx.strokeStyle = colour('dim');
    u.ctx.setLineDash([4, 4]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.restore();
  }

  marks(u, lane) {
    const ratio = window.devicePixelRatio || 1;
    const floor = (u.bbox.top + u.bbox.height) / ratio;
    const ctx = u.ctx;
    ctx.save();
    ctx.scale(ratio, ratio);
    ctx.lineWidth = 2;
    const x = (t) => u.valToPos(t, 'x', true) / ratio;
    lane.decisions.forEach((d) => {
      if (d.t < this.from || d.t > this.until) return;
      const name = kind(d);
      ctx.fillStyle = ctx.strokeStyle = colour2(name);
      mark(ctx, name, x(d.t), floor + row(name), size(d.cost));
      if (name === 'delayed' && d.delay_us !== null) {
        const release = x(d.t + d.delay_us);
        ctx.fillRect(release - 1, floor - 6, 2, 6);
      }
    });
    ctx.restore();
  }

  // at puts the cursor to an instant and says why the arrival i was decided as it
  // was; after is what of the future is covered, null for nothing.
  at(t, i, after) {
    this.lanes.forEach((view, n) => {
      const u = view.chart;
      u.setCursor({ left: u.valToPos(t, 'x'), top: 10 }, false);
      const decisions = this.result.lanes[n].decisions;
      const d = decisions[this.result.aligned ? i : nearest(decisions, t)];
      view.ring.hidden = !d;
      if (d) {
        view.ring.style.left = u.valToPos(d.t, 'x') + 'px';
        view.ring.style.top = u.over.clientHeight + row(kind(d)) + 'px';
      }
      view.future.hidden = after === null;
      if (after !== null) view.future.style.left = Math.max(0, u.valToPos(after, 'x')) + 'px';
      this.explain(view.why, d);
    });
  }

  explain(root, d) {
    root.replaceChildren();
    if (!d) return;
    const put = (tag, name, text) => root.append(Object.assign(document.createElement(tag), { className: name, textContent: text }), ' ');
    put('strong', kind(d), { allowed: '● ', delayed: '◆ ', refused: '✕ ' }[kind(d)] + this.t('mark.' + kind(d)));
    for (const why of d.why) put('code', 'formula', formula(why, this.lang));
    put('span', 'sentence', sentence(d, this.t, this.lang));
  }

  // said is the decisions about an arrival for those who hear the page.
  said(i) {
    const t = this.result.lanes[0].decisions[i].t;
    return this.result.lanes.map((lane, n) => {
      const d = lane.decisions[this.result.aligned ? i : nearest(lane.decisions, t)];
      return this.lanes[n].heading.textContent + ': ' + this.t('mark.' + kind(d));
    }).join('; ');
  }
}

const row = (name) => (name === 'refused' ? 22 : 9);

// colour2 is colour, but asks the style sheet once a frame.
let known = {};
const colour2 = (name) => (known[name] ??= colour(name));
export const forgetColours = () => { known = {}; };

// columns is curves as uPlot takes them: one list of instants for all.
export function columns(curves, from, until) {
  const all = [];
  curves.forEach((c, k) => {
    if (c.points.length === 0) return;
    const first = c.points[0];
    if (first[0] > from) all.push([from, k, c.of === 'tokens' ? c.capacity : 0], [first[0], k, c.of === 'tokens' ? c.capacity : 0]);
    c.points.forEach((p) => all.push([p[0], k, p[1]]));
  });
  all.sort((a, b) => a[0] - b[0]);
  return [all.map((p) => p[0]), ...curves.map((_, k) => all.map((p) => (p[1] === k ? p[2] : null)))];
}
