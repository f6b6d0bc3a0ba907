// What the playground shows, all of it, and how that stands in a link's
// fragment: "#play?v=1&limits=...". Pure; nothing that comes from a link is
// trusted.
import { Refused, cut } from './refused.js';
import { pack, unpack, maxTime } from './arrivals.js';

const version = '1';
export const maxFragment = 100_000;
const views = ['play', 'stories', 'story', 'quiz', 'live'];

// start is what the playground shows at first: limits, one a lane, and arrivals,
// or traffic in words; from and until are the time axis of arrivals.
export function start() {
  return {
    limits: ['fixed_window 100/m', 'sliding_window_log 100/m', 'sliding_window_counter 100/m', 'leaky_bucket 100/m burst 20', '100/m burst 20'],
    arrivals: [], traffic: '', seed: 0, from: 0, until: 120e6, instances: '1',
  };
}

// request is the state as POST /v1/simulate takes it.
export function request(state) {
  const r = { limits: state.limits };
  if (state.instances !== '1') r.instances = state.instances;
  if (state.traffic) return state.seed ? { ...r, traffic: state.traffic, seed: state.seed } : { ...r, traffic: state.traffic };
  r.arrivals = state.arrivals.map((a) => {
    const one = { t_us: a.t };
    if (a.cost !== 1) one.cost = a.cost;
    if (a.key) one.key = a.key;
    return one;
  });
  return { ...r, from_us: state.from, until_us: state.until };
}

// fromRequest is a request as the playground shows it.
export function fromRequest(r) {
  const arrivals = (r.arrivals ?? []).map((a) => ({ t: a.t_us, cost: a.cost ?? 1, key: a.key ?? '' }));
  return { ...start(), limits: r.limits, arrivals, traffic: r.traffic ?? '', seed: r.seed ?? 0,
    from: r.from_us ?? 0, until: r.until_us ?? start().until, instances: r.instances ?? '1' };
}

// relative is an answer with its times counted from where traffic in words
// begins, as those of arrivals are counted as they are. Every decision gets its
// instant as t.
export function relative(result, state) {
  const origin = state.traffic ? result.from_us : 0;
  const lanes = result.lanes.map((lane) => ({
    ...lane,
    decisions: lane.decisions.map((d) => ({ ...d, t: d.t_us - origin })),
    curves: lane.curves.map((c) => ({ ...c, points: c.points.map(([t, v]) => [t - origin, v]) })),
  }));
  // Clients that react to answers send something else in each lane.
  const first = lanes[0].decisions;
  const aligned = lanes.every((l) => l.decisions.length === first.length && l.decisions.every((d, i) => d.t === first[i].t && d.key === first[i].key));
  return { from: result.from_us - origin, until: Math.max(result.until_us - origin, result.from_us - origin + 1), lanes, aligned };
}

// fragment is the link to a state, without the "#".
export function fragment(state) {
  const p = new URLSearchParams({ v: version, limits: state.limits.join('|') });
  if (state.instances !== '1') p.set('instances', state.instances);
  if (state.traffic) {
    p.set('traffic', state.traffic);
    if (state.seed) p.set('seed', state.seed);
    return 'play?' + p;
  }
  const { at, keys } = pack(state.arrivals);
  for (const [name, value] of [['from', state.from], ['until', state.until], ['at', at], ...keys.map((k) => ['key', k])]) p.append(name, value);
  return 'play?' + p;
}

// route reads a fragment: which view, of what name, and the state if it has one.
export function route(hash) {
  const text = hash.replace(/^#/, '');
  if (text.length > maxFragment) throw new Refused('refused.long', { n: text.length, most: maxFragment });
  const [path, query] = split(text, '?');
  const [view, name] = split(path, '/');
  if (text !== '' && !views.includes(view)) throw new Refused('refused.place', { text: cut(text) });
  return { view: view || 'play', name, state: view === 'play' && query ? read(new URLSearchParams(query)) : null };
}

function split(text, at) {
  const i = text.indexOf(at);
  return i < 0 ? [text, ''] : [text.slice(0, i), text.slice(i + 1)];
}

function read(p) {
  if (p.get('v') !== version) throw new Refused('refused.version', { v: cut(p.get('v') ?? '?') });
  const s = start();
  const integer = (name, low, high) => {
    const text = p.get(name) ?? String(s[name]);
    const n = Number(text);
    if (!/^\d{1,16}$/.test(text) || n < low || n > high) throw new Refused('refused.link', { text: cut(name + '=' + text) });
    return n;
  };
  const text = (name, longest) => {
    const value = p.get(name) ?? s[name];
    if (value.length > longest) throw new Refused('refused.link', { text: cut(name + '=' + value) });
    return value;
  };
  if (p.has('limits')) s.limits = p.get('limits').split('|');
  if (s.limits.length > 8 || s.limits.some((l) => l.length > 500)) throw new Refused('refused.link', { text: cut(p.get('limits')) });
  s.from = integer('from', 0, maxTime - 1);
  s.until = integer('until', s.from + 1, maxTime);
  s.instances = text('instances', 200) || '1';
  s.traffic = text('traffic', 2000);
  s.seed = integer('seed', 0, maxTime);
  s.arrivals = unpack(p.get('at') ?? '', p.getAll('key'));
  return s;
}
