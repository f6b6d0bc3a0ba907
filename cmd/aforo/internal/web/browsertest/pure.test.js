// The parts of the page that touch nothing: node --test.
import assert from 'node:assert/strict';
import test from 'node:test';
import { erase, formatTimes, maxArrivals, nearest, pack, paint, parseTimes, unpack } from '../static/arrivals.js';
import { label, scale, ticks } from '../static/axis.js';
import * as copies from '../static/copy.js';
import { seconds, span } from '../static/format.js';
import { choose, fill } from '../static/i18n.js';
import { columns } from '../static/lanes.js';
import { fragment, fromRequest, relative, request, route, start } from '../static/state.js';
import { disagreements, formula, kind, sentence } from '../static/why.js';

const at = (...times) => times.map((t) => ({ t, cost: 1, key: '' }));
const refusedWith = (key) => (error) => error.key === key;

test('painting adds arrivals evenly, in either direction, and keeps the order', () => {
  assert.deepEqual(paint(at(500_000), 1_000_000, 0, 2, 1, ''), at(0, 500_000, 500_000, 1_000_000));
  assert.deepEqual(paint([], 7, 7, 10, 3, 'k'), [{ t: 7, cost: 3, key: 'k' }]);
  assert.throws(() => paint([], 0, 1e12, 1000, 1, ''), refusedWith('refused.many'));
});

test('erasing takes what lies between', () => {
  assert.deepEqual(erase(at(1, 2, 3, 4), 3, 2), at(1, 4));
});

test('the nearest arrival', () => {
  const list = at(10, 20, 20, 40);
  for (const [t, i] of [[0, 0], [14, 0], [16, 1], [29, 2], [31, 3], [99, 3]]) assert.equal(nearest(list, t), i, String(t));
  assert.equal(nearest([], 5), -1);
});

test('times as text are read as they are written', () => {
  assert.deepEqual(parseTimes('12.5x3@ann, 1:05\n1:00:00.000001;0'), [
    { t: 0, cost: 1, key: '' }, { t: 12_500_000, cost: 3, key: 'ann' }, { t: 65_000_000, cost: 1, key: '' }, { t: 3_600_000_001, cost: 1, key: '' }]);
  assert.deepEqual(parseTimes('2026-03-02T10:00:02Z 2026-03-02T11:00:02.5+01:00').map((a) => a.t), [1772445602e6, 1772445602.5e6]);
  const odd = [{ t: 1, cost: 0, key: 'a b,c@xé' }, { t: 2e15, cost: 1_000_000, key: '' }];
  assert.deepEqual(parseTimes(formatTimes(odd)), odd);
  for (const bad of ['x', '1.5.2', '-1', '1x', '1x-2', '1x1000001', '1x1.5', '1@%', '1e3', 'NaN', 'Infinity', '99999999999999', '2026-13-45T10:00:02Z', '1@' + 'k'.repeat(65)]) {
    assert.throws(() => parseTimes('3\n' + bad), (e) => e.key === 'refused.time' && e.values.line === 2, bad);
  }
  assert.throws(() => parseTimes('1 '.repeat(maxArrivals + 1)), refusedWith('refused.many'));
});

// random is the same numbers each time.
function random(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
}

test('what is packed is unpacked, whatever it was', () => {
  const r = random(1);
  for (let round = 0; round < 200; round++) {
    let t = r(1e9);
    const arrivals = Array.from({ length: r(300) }, () => {
      t += [0, 10_000, r(1e9)][r(3)];
      return { t, cost: [1, 1, r(1e6)][r(3)], key: ['', 'a', 'ü&=#?|'][r(3)] };
    });
    const { at, keys } = pack(arrivals);
    assert.deepEqual(unpack(at, keys), arrivals);
  }
  const even = Array.from({ length: 5000 }, (_, i) => ({ t: i * 1000, cost: 1, key: '' }));
  assert.ok(pack(even).at.length < 20);
});

test('a link is the state, and nothing else', () => {
  const states = [
    start(),
    { ...start(), arrivals: [{ t: 5, cost: 2, key: 'a&b=#' }], limits: ['10/s, 1000/h', 'unlimited'], instances: '4 shared', from: 1, until: 9e6 },
    { ...start(), traffic: 'poisson 5/s for 1m', seed: 42 },
  ];
  for (const s of states) assert.deepEqual(route('#' + fragment(s)).state, s);
  for (const s of states.slice(0, 2)) assert.deepEqual(fromRequest(request(s)), s);
  assert.equal(route('').view, 'play');
  assert.deepEqual(route('#story/edge-burst'), { view: 'story', name: 'edge-burst', state: null });
});

test('hostile links are refused in words', () => {
  const good = '#play?v=1&limits=5/s&from=0&until=9&at=1';
  assert.ok(route(good).state);
  for (const [hash, key] of [
    ['#' + 'x'.repeat(200_000), 'refused.long'], ['#nowhere', 'refused.place'], ['#__proto__', 'refused.place'], ['#<img src=x onerror=alert(1)>', 'refused.place'],
    ['#play?v=2', 'refused.version'], ['#play?x=1', 'refused.version'],
    [good + '&at=', null], [good.replace('at=1', 'at=1N3v1'), 'refused.many'], [good.replace('at=1', 'at=1.'), 'refused.link'],
    [good.replace('at=1', 'at=1C'), 'refused.link'], [good.replace('at=1', 'at=zzzzzzzzzzz'), 'refused.link'], [good.replace('at=1', 'at=1N0'), 'refused.link'],
    [good.replace('at=1', 'at=1K1'), 'refused.link'], [good.replace('at=1', 'at=1Clfls'), null], [good.replace('at=1', 'at=1Clflt'), 'refused.link'],
    [good + '&key=' + 'k'.repeat(65), 'refused.link'], [good.replace('until=9', 'until=-9'), 'refused.link'], [good.replace('until=9', 'until=1e99'), 'refused.link'],
    [good.replace('until=9', 'until=0'), 'refused.link'], [good.replace('until=9', 'until=99999999999999999'), 'refused.link'],
    [good.replace('limits=5/s', 'limits=' + '|'.repeat(8)), 'refused.link'], [good.replace('limits=5/s', 'limits=' + 'x'.repeat(501)), 'refused.link'],
    [good + '&instances=' + '4'.repeat(201), 'refused.link'], [good + '&traffic=' + 'x'.repeat(2001), 'refused.link'], [good + '&seed=1.5', 'refused.link'],
  ]) {
    if (key) assert.throws(() => route(hash), refusedWith(key), hash.slice(0, 80));
    else assert.ok(route(hash).state, hash);
  }
  const r = random(7);
  for (let i = 0; i < 5000; i++) { // anything at all is a state or refused
    const cut = 1 + r(good.length - 1);
    const odd = String.fromCharCode(r(0x500));
    try {
      route(good.slice(0, cut) + odd + good.slice(cut + r(3)));
    } catch (error) {
      assert.match(error.key ?? String(error.stack), /^refused\./);
    }
  }
});

test('times of traffic in words are counted from its beginning', () => {
  const lane = { decisions: [{ t_us: 105, key: 'a' }], curves: [{ points: [[100, 1]] }] };
  const answer = { from_us: 100, until_us: 200, lanes: [lane, lane] };
  const r = relative(answer, { ...start(), traffic: 'x' });
  assert.deepEqual([r.from, r.until, r.lanes[0].decisions[0].t, r.lanes[0].curves[0].points[0][0], r.aligned], [0, 100, 5, 0, true]);
  assert.equal(relative(answer, start()).lanes[0].decisions[0].t, 105);
  const other = { ...lane, decisions: [{ t_us: 106, key: 'a' }] };
  assert.equal(relative({ ...answer, lanes: [lane, other] }, start()).aligned, false);
});

const why = (parts) => ({ allowed: true, cost: 1, capacity: 20, rate: 100, period_us: 60e6, ...parts });

test('formulas show the numbers of the answer', () => {
  for (const [parts, want] of [
    [{ rule: 'token_bucket', tokens_before: 3.4, elapsed_us: 600_000, tokens: 4.4 }, 'min(20, 3.4 + 0.6 s × 100/m) = 4.4 ≥ 1'],
    [{ rule: 'token_bucket', allowed: false, tokens_before: 0, elapsed_us: 599_999, tokens: 0.999998 }, 'min(20, 0 + 0.599999 s × 100/m) = 0.999998 < 1'],
    [{ rule: 'leaky_bucket', allowed: false, queued_before: 20, elapsed_us: 0, queued: 19.000001 }, 'max(0, 20 − 0 s × 100/m) + 1 = 20.000001 > 20'],
    [{ rule: 'fixed_window', count: 19 }, '19 + 1 = 20 ≤ 20'],
    [{ rule: 'sliding_window_log', allowed: false, count: 20 }, '20 + 1 = 21 > 20'],
    [{ rule: 'sliding_window_counter', previous: 20, overlap_us: 30e6, weighted: 10, count: 4 }, '20 × 30 s / 1 m + 4 + 1 = 15 ≤ 20'],
  ]) assert.equal(formula(why(parts), 'en'), want);
  assert.match(formula(why({ rule: 'token_bucket', tokens_before: 3.4, elapsed_us: 600_000, tokens: 4.4 }), 'es'), /= 4,4 ≥ 1/);
});

test('sentences say what comes of it', () => {
  const t = (key, values = {}) => key + (values.wait ? ' ' + values.wait : '');
  const d = (parts) => ({ allowed: true, delay_us: 0, retry_after_us: 0, why: [why({ rule: 'fixed_window', count: 1 })], ...parts });
  assert.equal(sentence(d({}), t, 'en'), 'why.fixed_window');
  assert.equal(sentence(d({ delay_us: 500_000 }), t, 'en'), 'why.fixed_window why.delay 0.5 s');
  assert.equal(sentence(d({ delay_us: null }), t, 'en'), 'why.fixed_window why.delay ∞');
  assert.equal(sentence(d({ allowed: false, retry_after_us: 1500 }), t, 'en'), 'why.fixed_window why.retry 0.0015 s');
  assert.equal(sentence(d({ allowed: false, retry_after_us: null }), t, 'en'), 'why.fixed_window why.never');
  assert.equal(sentence(d({ why: [] }), t, 'en'), 'why.unlimited');
  assert.deepEqual([d({}), d({ delay_us: 1 }), d({ delay_us: null }), d({ allowed: false })].map(kind), ['allowed', 'delayed', 'delayed', 'refused']);
});

test('lanes disagree where one allows and another does not', () => {
  const lane = (...allowed) => ({ decisions: allowed.map((a) => ({ allowed: a })) });
  assert.deepEqual(disagreements({ aligned: true, lanes: [lane(true, true, false), lane(true, false, false), lane(true, true, true)] }), [1, 2]);
  assert.deepEqual(disagreements({ aligned: false, lanes: [lane(true), lane(false)] }), []);
});

test('one axis: there and back, few ticks, short labels', () => {
  const s = scale(1e6, 121e6, 600);
  assert.equal(s.t(s.x(61e6)), 61e6);
  assert.deepEqual([s.t(-50), s.t(9999)], [1e6, 121e6]);
  for (const until of [1, 999, 1e6, 6e7, 1.2e8, 8.64e10, 3e13, 9e15]) {
    const found = ticks(0, until);
    assert.ok(found.length >= 1 && found.length <= 10, `${until}: ${found.length}`);
  }
  assert.deepEqual([label(500_000), label(119e6), label(120e6), label(3725e6), label(1772445602e6)], ['0.5', '119', '2:00', '1:02:05', '10:00:02']);
  assert.deepEqual([span(60e6), span(90e6), span(1e6), span(250), span(604800e6)], ['1 m', '90 s', '1 s', '250 us', '1 w']);
  assert.deepEqual([seconds(1, 'en'), seconds(1_500_000, 'es'), seconds(null, 'en')], ['0.000001 s', '1,5 s', '∞']);
});

test('curves of several stores stand in one list of instants', () => {
  const curve = (of, points) => ({ of, capacity: 9, points });
  assert.deepEqual(columns([curve('tokens', [[2, 9], [4, 8]]), curve('count', [[3, 1]])], 0), [
    [0, 0, 2, 2, 3, 3, 4], [9, null, 9, 9, null, null, 8], [null, 0, null, null, 0, 1, null]]);
});

test('the language is that of the link, or of the browser', () => {
  assert.equal(choose('?lang=es', ['en']), 'es');
  assert.equal(choose('?lang=xx', ['fr', 'es-AR', 'en']), 'es');
  assert.equal(choose('', ['de']), 'en');
  assert.equal(fill('{a} of {b} {c}', { a: 1, b: '{a}' }), '1 of {a} ');
});

test('copies quote what they are given', () => {
  const state = { ...start(), limits: ['fixed_window 5/s', '5/s', '1/s, 9/m'], arrivals: [{ t: 0, cost: 1, key: '' }, { t: 0, cost: 1, key: '' }, { t: 9, cost: 3, key: "a'b" }, { t: 10, cost: 1, key: '' }] };
  assert.equal(copies.cli(state, '5/s'), "aforo compare --shape 'at 0s*2 10us and at 9us cost 3 as k1' --seed 0 --limit 'fixed_window 5/s' --limit 'token_bucket 5/s' --limit '1/s, 9/m'\n");
  assert.equal(copies.words([{ t: 604800e6 * 2900 + 5, cost: 1, key: 'x' }]), 'at 5us as k1');
  assert.match(copies.cli({ ...state, traffic: 'burst 9', seed: 4, instances: '4 shared' }, ''), /--shape 'burst 9' --seed 4 .* --instances '4 shared'\n$/);
  assert.match(copies.cli({ ...start(), arrivals: Array.from({ length: 33 }, (_, i) => ({ t: i, cost: i + 1, key: '' })) }, '5/s'), /^aforo check /);
  assert.match(copies.cli(start(), "5/s'; rm -rf /"), /^aforo check --limit '5\/s'\\''; rm -rf \/' --times 3 user:42\n$/);
  assert.match(copies.go('5/s"\n'), /aforo\.New\("5\/s\\"\\n"\)/);
  assert.match(copies.curl({ key: "it's" }, 'http://127.0.0.1:1'), /-d '\{"key":"it'\\''s"\}'\n$/);
  assert.match(copies.yaml('10/s, 1000/h'), /limit: "10\/s, 1000\/h"\n$/);
});
