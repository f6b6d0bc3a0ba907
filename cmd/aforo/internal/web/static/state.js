// What the playground shows, all of it, and how that stands in a link's
// fragment: "#play?v=1&limits=...". Pure; nothing that comes from a link is
// trusted.
import { Refused, cut } from './refused.js';
import { pack, unpack, maxTime } from './arrivals.js';

const version = '1';
export const maxFragment = 100_000;
const views = ['play', 'stories', 'story', 'quiz', 'live'];

// start is what the playground shows at first.
export function start() {
  return {
    limits: ['fixed_window 100/m', 'sliding_window_log 100/m', 'sliding_window_counter 100/m', 'leaky_bucket 100/m burst 20', '100/m burst 20'],
    arrivals: [], from: 0, until: 120e6, instances: 1, store: 'shared', clock: 'store', skew: [0],
  };
}

// request is the state as POST /v1/simulate takes it.
export function request(state) {
  const r = {
    limits: state.limits,
    arrivals: state.arrivals.map((a) => {
      const one = { t_us: a.t };
      if (a.cost !== 1) one.cost = a.cost;
      if (a.key) one.key = a.key;
      if (a.instance !== undefined) one.instance = a.instance;
      return one;
    }),
    until_us: state.until,
  };
  if (state.instances > 1) Object.assign(r, { instances: state.instances, store: state.store, clock: state.clock });
  if (state.skew.some((s) => s !== 0)) r.skew_us = state.skew.slice(0, state.instances);
  return r;
}

// fromRequest is a request as the playground shows it.
export function fromRequest(r, from = 0) {
  const arrivals = r.arrivals.map((a) => {
    const one = { t: a.t_us, cost: a.cost ?? 1, key: a.key ?? '' };
    if (a.instance !== undefined) one.instance = a.instance;
    return one;
  });
  return {
    ...start(), limits: r.limits, arrivals, from, until: r.until_us,
    instances: r.instances ?? 1, store: r.store ?? 'shared', clock: r.clock ?? 'store', skew: r.skew_us ?? [0],
  };
}

// fragment is the link to a state, without the "#".
export function fragment(state) {
  const { at, keys } = pack(state.arrivals);
  const p = new URLSearchParams({ v: version, limits: state.limits.join('|'), from: state.from, until: state.until, at });
  keys.forEach((k) => p.append('key', k));
  if (state.instances > 1) {
    p.set('instances', state.instances);
    p.set('store', state.store);
    p.set('clock', state.clock);
  }
  if (state.skew.some((s) => s !== 0)) p.set('skew', state.skew.join());
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
  const word = (name, ...known) => {
    const text = p.get(name) ?? known[0];
    if (!known.includes(text)) throw new Refused('refused.link', { text: cut(name + '=' + text) });
    return text;
  };
  if (p.has('limits')) s.limits = p.get('limits').split('|');
  if (s.limits.length > 8 || s.limits.some((l) => l.length > 500)) throw new Refused('refused.link', { text: cut(p.get('limits')) });
  s.from = integer('from', 0, maxTime - 1);
  s.until = integer('until', s.from + 1, maxTime);
  s.instances = integer('instances', 1, 8);
  s.store = word('store', 'shared', 'own');
  s.clock = word('clock', 'store', 'instance');
  s.skew = (p.get('skew') ?? '0').split(',').map(Number);
  if (s.skew.length > s.instances || s.skew.some((n) => !Number.isSafeInteger(n) || Math.abs(n) > 86400e6)) {
    throw new Refused('refused.link', { text: cut('skew=' + p.get('skew')) });
  }
  s.arrivals = unpack(p.get('at') ?? '', p.getAll('key'));
  if (s.arrivals.some((a) => a.instance >= s.instances)) throw new Refused('refused.link', { text: 'instances=' + s.instances });
  return s;
}
