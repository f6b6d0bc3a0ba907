// The dashboard: what the server decides now, once a second.
import { look, policies, reset } from './api.js';
import { fit, colour } from './canvas.js';
import { number, period } from './format.js';

const make = (tag, parts = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), parts);
  e.append(...children);
  return e;
};

export class Live {
  constructor(root, t, lang, tell) {
    Object.assign(this, { root, t, lang, tell, source: null, parts: null });
  }

  // show connects while the dashboard is looked at, and not longer.
  async show(yes) {
    if (!yes || this.source) {
      if (!yes) this.close();
      return;
    }
    this.build();
    this.connect();
    try {
      this.describe((await policies()).policies);
    } catch (error) {
      this.close();
      this.root.replaceChildren();
      this.tell.problem(error);
    }
  }

  // connect asks again where browsers give up: when the server has refused, since
  // too many watch already.
  connect() {
    const source = this.source = new EventSource('/v1/events');
    source.addEventListener('snapshot', (e) => this.draw(JSON.parse(e.data)));
    source.onerror = () => {
      this.parts.state.textContent = this.t('live.lost');
      if (source.readyState === EventSource.CLOSED) this.again = setTimeout(() => this.connect(), 10_000);
    };
  }

  close() {
    clearTimeout(this.again);
    this.source?.close();
    this.source = null;
  }

  build() {
    const panel = (key, id) => {
      const section = make('section', { className: 'panel' }, make('h2', { id: 'live-h-' + id, textContent: this.t(key) }));
      section.setAttribute('aria-labelledby', 'live-h-' + id);
      const body = make('div', { id: 'live-' + id });
      section.append(body);
      return { section, body };
    };
    const [rates, top, near, store, loaded, inspect] = [panel('live.since', 'rates'), panel('live.top', 'top'), panel('live.near', 'near'),
      panel('live.store', 'store'), panel('live.policies', 'policies'), panel('live.inspect', 'inspect')];
    const state = make('p', { className: 'help', textContent: this.t('live.waiting') });
    this.parts = { state, rates: rates.body, top: top.body, near: near.body, store: store.body, policies: loaded.body, rows: new Map() };
    inspect.body.append(this.inspector());
    this.root.replaceChildren(state, make('div', { className: 'live-grid' }, ...[rates, store, inspect, top, near, loaded].map((p) => p.section)));
  }

  name(policy) {
    return policy === '' ? this.t('live.adhoc') : policy;
  }

  draw(s) {
    this.parts.state.textContent = new Date(s.at * 1000).toLocaleTimeString(this.lang);
    for (const p of s.policies) this.rate(p);
    this.list(this.parts.top, s.top, 'live.top.none', ['live.policy', 'live.key', 'live.count'], (h) => [
      this.name(h.policy), h.key, number(h.count, this.lang) + (h.error ? ' (' + this.t('live.error', { n: number(h.error, this.lang) }) + ')' : '')]);
    this.list(this.parts.near, s.near, 'live.near.none', ['live.policy', 'live.key', 'live.remaining'], (n) => [
      this.name(n.policy), n.key, this.t('live.left', { n: number(n.remaining, this.lang), limit: number(n.limit, this.lang) })]);
    this.parts.store.textContent = s.store.kind === 'memory' ? this.t('live.store.memory', { keys: number(s.store.keys, this.lang) })
      : s.store.kind + ': ' + (s.store.ok ? this.t('live.store.ok') : this.t('live.store.bad', { detail: s.store.detail ?? '' }));
  }

  // rate is the decisions of a policy: bars of the last minute, allowed from the
  // line upwards and refused downwards.
  rate(p) {
    let row = this.parts.rows.get(p.name);
    if (!row) {
      const canvas = make('canvas');
      canvas.setAttribute('role', 'img');
      const text = make('p', { className: 'help' });
      this.parts.rates.append(make('h3', { textContent: this.name(p.name) }), make('div', { className: 'plot' }, canvas), text);
      row = { canvas, text };
      this.parts.rows.set(p.name, row);
    }
    const last = (list) => this.t('live.rate', { n: number(list[list.length - 1], this.lang) });
    row.text.textContent = `● ${this.t('live.allowed')}: ${last(p.allowed)} · ✕ ${this.t('live.refused')}: ${last(p.refused)} · ` +
      `${this.t('live.total')}: ● ${number(p.allowed_total, this.lang)} ✕ ${number(p.refused_total, this.lang)}`;
    row.canvas.setAttribute('aria-label', row.text.textContent);
    const { ctx, width } = fit(row.canvas, 64);
    const most = Math.max(1, ...p.allowed, ...p.refused);
    const step = width / p.allowed.length;
    ctx.fillStyle = colour('line');
    ctx.fillRect(0, 32, width, 1);
    p.allowed.forEach((n, i) => {
      ctx.fillStyle = colour('allowed');
      ctx.fillRect(i * step, 32 - (n / most) * 30, Math.max(1, step - 1), (n / most) * 30);
      ctx.fillStyle = colour('refused');
      ctx.fillRect(i * step, 33, Math.max(1, step - 1), (p.refused[i] / most) * 30);
    });
  }

  list(root, items, none, heads, cells) {
    if (items.length === 0) {
      root.replaceChildren(make('p', { className: 'help', textContent: this.t(none) }));
      return;
    }
    const table = make('table');
    const head = table.createTHead().insertRow();
    for (const key of heads) head.append(make('th', { scope: 'col', textContent: this.t(key) }));
    const body = table.createTBody();
    for (const item of items) {
      const row = body.insertRow();
      for (const text of cells(item)) row.insertCell().textContent = text;
    }
    root.replaceChildren(table);
  }

  // describe says the policies in plain words.
  describe(list) {
    this.parts.policies.replaceChildren(...list.map((p) => make('div', {}, make('h3', { textContent: p.name }),
      ...(p.key ? [make('p', { className: 'help', textContent: this.t('live.by', { key: p.key }) })] : []),
      make('ul', {}, ...p.limits.map((l) => make('li', {}, this.words(l) + ' ', make('code', { textContent: l.limit })))))));
    this.parts.policy.replaceChildren(...list.map((p) => new Option(p.name, p.name)));
  }

  words(l) {
    const kinds = { sliding_window_log: 'any', fixed_window: 'window', sliding_window_counter: 'counter', leaky_bucket: 'queue', token_bucket: 'bucket' };
    let kind = kinds[l.algorithm] ?? 'unlimited';
    if (l.algorithm && l.capacity === 0) kind = 'closed';
    else if (l.algorithm && l.rate === 0) kind = 'once';
    return this.t('live.words.' + kind, { n: number(l.rate, this.lang), burst: number(l.capacity, this.lang), period: period(l.period_us, this.t) });
  }

  inspector() {
    const policy = make('select', { id: 'inspect-policy' });
    const key = make('input', { id: 'inspect-key', autocomplete: 'off', spellcheck: false });
    const token = make('input', { id: 'inspect-token', type: 'password', autocomplete: 'off' });
    const out = make('p', { id: 'inspect-out' });
    out.setAttribute('role', 'status');
    const again = make('button', { type: 'button', id: 'inspect-reset', textContent: this.t('live.reset') });
    const confirm = make('form', { id: 'inspect-confirm', hidden: true });
    const form = make('form', { className: 'tools' },
      make('label', {}, make('span', { textContent: this.t('live.policy') }), policy),
      make('label', { className: 'grow' }, make('span', { textContent: this.t('live.key') }), key),
      make('button', { textContent: this.t('live.look') }), again);
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      this.attempt(async () => { out.textContent = this.standing(await look(policy.value, key.value)); });
    });
    const yes = make('button', { id: 'inspect-yes', textContent: this.t('live.confirm.yes') });
    const no = make('button', { type: 'button', textContent: this.t('times.cancel') });
    const question = make('p');
    confirm.append(question, make('label', {}, make('span', { textContent: this.t('live.token') }), token, make('span', { className: 'help', textContent: this.t('live.token.help') })),
      make('p', { className: 'buttons' }, yes, no));
    again.addEventListener('click', () => {
      question.textContent = this.t('live.confirm', { policy: policy.value });
      confirm.hidden = false;
      token.focus();
    });
    no.addEventListener('click', () => { confirm.hidden = true; });
    for (const field of [policy, key]) field.addEventListener('input', () => { confirm.hidden = true; }); // what was asked about another key
    confirm.addEventListener('submit', (e) => {
      e.preventDefault();
      this.attempt(async () => {
        await reset(policy.value, key.value, token.value);
        confirm.hidden = true;
        token.value = '';
        out.textContent = this.t('live.reset.done');
      });
    });
    this.parts.policy = policy;
    return make('div', {}, form, out, confirm);
  }

  async attempt(does) {
    try {
      await does();
      this.tell.clear();
    } catch (error) {
      this.tell.problem(error);
    }
  }

  standing(a) {
    if (a.capacity === null) return this.t('live.unlimited');
    const reset_ = a.reset_after_ms === null ? this.t('live.never') : number(a.reset_after_ms / 1000, this.lang) + ' s';
    return this.t('live.standing', { verdict: this.t(a.remaining > 0 ? 'live.would.allow' : 'live.would.refuse'),
      left: this.t('live.left', { n: number(a.remaining, this.lang), limit: number(a.capacity, this.lang) }), reset: reset_ });
  }
}
