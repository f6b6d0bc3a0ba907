// Arrivals as the page edits them: {t, cost, key, instance?}, t in microseconds,
// always in order of time. Pure functions, tested by node --test.
import { Refused, cut } from './refused.js';

// The bounds of POST /v1/simulate: see docs/API.md.
export const maxArrivals = 5000;
export const maxTime = Number.MAX_SAFE_INTEGER;
const maxKey = 64;

// sorted puts arrivals in order, those of one instant as they were added.
export function sorted(arrivals) {
  if (arrivals.length > maxArrivals) {
    throw new Refused('refused.many', { n: arrivals.length, most: maxArrivals });
  }
  return arrivals.slice().sort((a, b) => a.t - b.t);
}

// paint adds arrivals from an instant to another, evenly at a rate per second;
// one if the two are the same.
export function paint(arrivals, from, to, rate, cost, key) {
  if (to < from) [from, to] = [to, from];
  const step = Math.max(1, Math.round(1e6 / rate));
  const count = Math.floor((to - from) / step) + 1;
  if (arrivals.length + count > maxArrivals) {
    throw new Refused('refused.many', { n: arrivals.length + count, most: maxArrivals });
  }
  const painted = Array.from({ length: count }, (_, i) => ({ t: from + i * step, cost, key }));
  return sorted(arrivals.concat(painted));
}

// erase removes the arrivals between two instants, both included.
export function erase(arrivals, from, to) {
  if (to < from) [from, to] = [to, from];
  return arrivals.filter((a) => a.t < from || a.t > to);
}

// nearest is the index of the arrival that is nearest to an instant; -1 if
// there are none.
export function nearest(arrivals, t) {
  let low = 0;
  let high = arrivals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (arrivals[middle].t < t) low = middle + 1;
    else high = middle;
  }
  if (low === arrivals.length) return low - 1;
  if (low > 0 && t - arrivals[low - 1].t < arrivals[low].t - t) return low - 1;
  return low;
}

// parseTimes reads times as text: 12.5, 12.5x3 (it costs 3), 1:05x3@user:42, or
// 2026-03-02T10:00:02Z, with white space, commas or semicolons between them.
export function parseTimes(text) {
  const arrivals = [];
  text.split('\n').forEach((line, i) => {
    for (const word of line.split(/[\s,;]+/)) {
      if (word === '') continue;
      arrivals.push(parseTime(word, i + 1));
      if (arrivals.length > maxArrivals) throw new Refused('refused.many', { n: arrivals.length, most: maxArrivals });
    }
  });
  return sorted(arrivals);
}

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const clock = /^(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d+)?)$/;

function parseTime(word, line) {
  const [, time, cost, key] = /^([^x@]*)(?:x([^@]*))?(?:@(.*))?$/.exec(word) || [];
  const wrong = () => new Refused('refused.time', { line, text: cut(word) });
  let t = NaN;
  const parts = clock.exec(time);
  if (parts) t = Math.round(((Number(parts[1] || 0) * 60 + Number(parts[2] || 0)) * 60 + Number(parts[3])) * 1e6);
  else if (stamp.test(time || '')) t = Date.parse(time) * 1000;
  if (!(t >= 0 && t <= maxTime)) throw wrong();
  if (cost !== undefined && !(/^\d+$/.test(cost) && Number.isSafeInteger(Number(cost)))) throw wrong();
  let name = '';
  try {
    name = decodeURIComponent(key || '');
  } catch {
    throw wrong();
  }
  if (new TextEncoder().encode(name).length > maxKey) throw wrong();
  return { t, cost: cost === undefined ? 1 : Number(cost), key: name };
}

// formatTimes is what parseTimes reads.
export function formatTimes(arrivals) {
  return arrivals
    .map((a) => a.t / 1e6 + (a.cost === 1 ? '' : 'x' + a.cost) + (a.key ? '@' + encodeURIComponent(a.key) : ''))
    .join('\n');
}

// pack is arrivals as short text for a link: runs of the same distance, cost, key
// and instance. Numbers are in base 36, in lower case; what follows a capital
// letter is C cost, K the key's place among keys, I instance, N repetitions.
export function pack(arrivals) {
  const keys = [''];
  const runs = [];
  let last = 0;
  for (const a of arrivals) {
    let key = keys.indexOf(a.key || '');
    if (key < 0) key = keys.push(a.key) - 1;
    let run = (a.t - last).toString(36);
    if (a.cost !== 1) run += 'C' + a.cost.toString(36);
    if (key > 0) run += 'K' + key.toString(36);
    if (a.instance !== undefined) run += 'I' + a.instance.toString(36);
    last = a.t;
    const before = runs[runs.length - 1];
    if (before && before.run === run) before.n++;
    else runs.push({ run, n: 1 });
  }
  return {
    at: runs.map(({ run, n }) => (n > 1 ? run + 'N' + n.toString(36) : run)).join('.'),
    keys: keys.slice(1),
  };
}

const packed = /^([0-9a-z]{1,11})(?:C([0-9a-z]{1,11}))?(?:K([0-9a-z]{1,3}))?(?:I([0-7]))?(?:N([0-9a-z]{1,3}))?$/;

// unpack reads what pack wrote, and refuses everything else.
export function unpack(at, keys) {
  const arrivals = [];
  const wrong = (run) => new Refused('refused.link', { text: cut(run) });
  let t = 0;
  const names = ['', ...keys];
  if (names.some((k) => new TextEncoder().encode(k).length > maxKey)) throw wrong(names.join());
  for (const run of at === '' ? [] : at.split('.')) {
    const m = packed.exec(run);
    if (!m) throw wrong(run);
    const number = (text, otherwise) => (text === undefined ? otherwise : parseInt(text, 36));
    const [step, cost, key, n] = [number(m[1]), number(m[2], 1), number(m[3], 0), number(m[5], 1)];
    if (key >= names.length || !Number.isSafeInteger(cost) || n < 1) throw wrong(run);
    if (arrivals.length + n > maxArrivals) throw new Refused('refused.many', { n: arrivals.length + n, most: maxArrivals });
    for (let i = 0; i < n; i++) {
      t += step;
      if (!(t <= maxTime)) throw wrong(run);
      const a = { t, cost, key: names[key] };
      if (m[4] !== undefined) a.instance = Number(m[4]);
      arrivals.push(a);
    }
  }
  return arrivals;
}
