// The quiz: what is right is not written down anywhere; the server plays the
// question, and its answer is the answer.
import { simulate } from './api.js';
import { number, seconds } from './format.js';
import { fragment, fromRequest } from './state.js';

export class Quiz {
  constructor(root, questions, t, lang, tell) {
    Object.assign(this, { t, lang, tell });
    root.replaceChildren(...questions.map((q, i) => this.question(q, i)));
  }

  question(q, i) {
    const box = Object.assign(document.createElement('form'), { className: 'panel question' });
    const set = document.createElement('fieldset');
    set.append(Object.assign(document.createElement('legend'), { textContent: `${i + 1}. ${this.t('quiz.' + q.name)}` }));
    for (const option of q.options) {
      const label = document.createElement('label');
      const input = Object.assign(document.createElement('input'), { type: 'radio', name: 'answer', value: option, required: true });
      label.append(input, ' ', this.value(q, option));
      set.append(label);
    }
    const out = Object.assign(document.createElement('p'), { className: 'answer' });
    out.setAttribute('role', 'status');
    const button = Object.assign(document.createElement('button'), { textContent: this.t('quiz.run') });
    box.append(set, button, out);
    box.addEventListener('submit', (e) => {
      e.preventDefault();
      this.run(q, Number(new FormData(box).get('answer')), out);
    });
    return box;
  }

  // value is an answer as people read it: times are microseconds.
  value(q, n) {
    return q.asks.endsWith('_us') ? seconds(n, this.lang) : number(n, this.lang);
  }

  async run(q, guess, out) {
    try {
      const result = await simulate(q.request);
      const found = result.lanes[0][q.asks];
      out.dataset.right = guess === found;
      const values = { n: this.value(q, found) };
      const see = Object.assign(document.createElement('a'), { href: '#' + fragment(fromRequest(q.request)), textContent: this.t('quiz.see') });
      out.replaceChildren((guess === found ? '✓ ' : '✕ ') + this.t(guess === found ? 'quiz.right' : 'quiz.wrong', values) + ' ' + this.t(`quiz.${q.name}.because`) + ' ', see);
    } catch (error) {
      this.tell.problem(error);
    }
  }
}
