// Why a decision fell: the rule's formula with the numbers of the answer put
// in. Nothing is decided here; that the formulas are true is held by the tests
// of the server. Pure.
import { number, per, seconds, span } from './format.js';

// formula is the rule of one limit with its numbers, the same in all languages.
export function formula(why, lang) {
  const n = (x) => number(x, lang);
  const op = why.allowed;
  switch (why.rule) {
    case 'token_bucket':
      return `min(${n(why.capacity)}, ${n(why.tokens_before)} + ${seconds(why.elapsed_us, lang)} × ${n(why.rate)}/${per(why.period_us)}) = ${n(why.tokens)} ${op ? '≥' : '<'} ${n(why.cost)}`;
    case 'leaky_bucket':
      return `max(0, ${n(why.queued_before)} − ${seconds(why.elapsed_us, lang)} × ${n(why.rate)}/${per(why.period_us)}) + ${n(why.cost)} = ${n(sum(why.queued, why.cost))} ${op ? '≤' : '>'} ${n(why.capacity)}`;
    case 'sliding_window_counter':
      return `${n(why.previous)} × ${seconds(why.overlap_us, lang)} / ${span(why.period_us)} + ${n(why.count)} + ${n(why.cost)} = ${n(sum(why.weighted, why.count + why.cost))} ${op ? '≤' : '>'} ${n(why.capacity)}`;
    default:
      return `${n(why.count)} + ${n(why.cost)} = ${n(why.count + why.cost)} ${op ? '≤' : '>'} ${n(why.capacity)}`;
  }
}

// sum adds a number of six decimals and an integer without the noise of doubles.
const sum = (a, b) => Math.round((a + b) * 1e6) / 1e6;

// sentence says the same in words.
export function sentence(decision, t, lang) {
  const parts = decision.why.map((why) =>
    t('why.' + why.rule, { tokens: number(why.tokens ?? 0, lang), queued: number(why.queued ?? 0, lang), count: number(why.count ?? 0, lang),
      weighted: number(why.weighted ?? 0, lang), cost: number(why.cost, lang), capacity: number(why.capacity, lang), period: span(why.period_us) }));
  if (decision.why.length === 0) parts.push(t('why.unlimited'));
  if (!decision.allowed) {
    parts.push(decision.retry_after_us === null ? t('why.never') : t('why.retry', { wait: seconds(decision.retry_after_us, lang) }));
  } else if (decision.delay_us !== 0) {
    parts.push(t('why.delay', { wait: seconds(decision.delay_us, lang) }));
  }
  return parts.join(' ');
}

// kind is how a decision is marked.
export const kind = (d) => (!d.allowed ? 'refused' : d.delay_us !== 0 ? 'delayed' : 'allowed');

// disagreements are the indices of the arrivals that some lanes allow and
// others refuse; none if the lanes have different arrivals.
export function disagreements({ lanes, aligned }) {
  if (!aligned) return [];
  const found = [];
  lanes[0].decisions.forEach((d, i) => {
    if (lanes.some((l) => l.decisions[i].allowed !== d.allowed)) found.push(i);
  });
  return found;
}
