// The decisions as a table, a hundred rows around the arrival that is looked at:
// for those who do not see the lanes, and for those who want to read.
import { number, seconds } from './format.js';
import { formula, kind } from './why.js';

const rows = 100;

export class Table {
  constructor(box, root, t, lang) {
    Object.assign(this, { box, root, t, lang, first: 0 });
    box.addEventListener('toggle', () => this.draw());
  }

  show(result, disagree) {
    Object.assign(this, { result, disagree: new Set(disagree), first: 0 });
    this.draw();
  }

  around(i) {
    this.first = Math.max(0, Math.min(i - rows / 2, this.result.arrivals.length - rows));
    this.index = i;
    this.draw();
  }

  draw() {
    if (!this.box.open || !this.result) return;
    const { arrivals, lanes } = this.result;
    const table = document.createElement('table');
    const caption = table.createCaption();
    const last = Math.min(arrivals.length, this.first + rows);
    caption.textContent = this.t('table.caption', { first: Math.min(this.first + 1, last), last, n: arrivals.length });
    const head = table.createTHead().insertRow();
    for (const name of ['#', this.t('table.time'), this.t('table.cost'), this.t('table.key'), ...lanes.map((l) => l.limit)]) {
      head.append(Object.assign(document.createElement('th'), { textContent: name, scope: 'col' }));
    }
    const body = table.createTBody();
    for (let i = this.first; i < last; i++) {
      const row = body.insertRow();
      row.classList.toggle('differs', this.disagree.has(i));
      if (i === this.index) row.setAttribute('aria-current', 'true');
      const a = arrivals[i];
      row.append(Object.assign(document.createElement('th'), { textContent: number(i + 1, this.lang), scope: 'row' }));
      for (const text of [seconds(a.t_us, this.lang), number(a.cost, this.lang), a.key ?? '']) row.insertCell().textContent = text;
      for (const lane of lanes) this.cell(row.insertCell(), lane.decisions[i]);
    }
    this.root.replaceChildren(table);
  }

  cell(cell, d) {
    cell.className = kind(d);
    cell.textContent = { allowed: '● ', delayed: '◆ ', refused: '✕ ' }[kind(d)] + this.t('mark.' + kind(d));
    cell.title = d.why.map((w) => formula(w, this.lang)).join('; ');
  }
}
