// The form above the lanes: limits, traffic, instances and clocks; times as text,
// logs, and what is copied.
import { formatTimes, parseTimes } from './arrivals.js';
import * as copies from './copy.js';
import { fragment, request } from './state.js';

const $ = (id) => document.getElementById(id);

export class Setup {
  constructor(playground, t, lang) {
    Object.assign(this, { playground, t, lang, presets: [] });
    $('setup').addEventListener('submit', (e) => {
      e.preventDefault();
      playground.playAllFive($('limit').value);
    });
    $('preset').addEventListener('change', () => this.preset($('preset').selectedIndex - 1));
    $('traffic').addEventListener('change', () => this.describe($('traffic').value));
    $('instances').addEventListener('change', () => playground.change({ instances: $('instances').value.trim() || '1' }));
    $('span').addEventListener('change', () => {
      if ($('span').reportValidity()) playground.change({ until: playground.state.from + Math.round(Number($('span').value) * 1e6) });
    });
    this.text();
    this.logs();
    this.copies();
  }

  // offer lists the presets.
  offer(presets) {
    this.presets = presets;
    const first = new Option(this.t('preset.choose'), '');
    $('preset').replaceChildren(first, ...presets.map((p) => new Option(this.t('preset.' + p.name), p.name)));
  }

  preset(i) {
    if (i >= 0) this.describe(this.presets[i].traffic);
  }

  // describe plays traffic in words; none stands for the arrivals as they are.
  describe(text) {
    if (text.trim() === '') this.playground.change({ arrivals: this.playground.arrivals(), traffic: '' });
    else this.playground.change({ traffic: text.trim(), arrivals: [] });
  }

  show(state) {
    $('instances').value = state.instances;
    $('traffic').value = state.traffic;
    const bare = state.limits.find((l) => /^\d/.test(l) && !l.includes(','));
    if (bare && document.activeElement !== $('limit')) $('limit').value = bare;
    $('preset').value = this.presets.find((p) => p.traffic === state.traffic)?.name ?? '';
    $('span').disabled = state.traffic !== '';
    const chosen = $('copy-lane').selectedIndex;
    $('copy-lane').replaceChildren(...state.limits.map((l) => new Option(l, l)));
    $('copy-lane').selectedIndex = chosen >= 0 && chosen < state.limits.length ? chosen : state.limits.length - 1;
  }

  // text is the dialog with the arrivals as text.
  text() {
    const dialog = $('times');
    $('paste').addEventListener('click', () => {
      $('times-text').value = formatTimes(this.playground.arrivals());
      $('times-problem').hidden = true;
      dialog.showModal();
    });
    $('times-use').addEventListener('click', () => {
      try {
        const arrivals = parseTimes($('times-text').value);
        dialog.close();
        this.playground.change({ arrivals, traffic: '', ...this.frame(arrivals) });
      } catch (error) {
        $('times-problem').textContent = this.t(error.key, error.values);
        $('times-problem').hidden = false;
      }
    });
  }

  // frame is the axis on which arrivals fit, the present one if they do.
  frame(arrivals) {
    const { from, until } = this.playground.axis();
    if (arrivals.length === 0 || (arrivals[0].t >= from && arrivals[arrivals.length - 1].t <= until)) return { from, until };
    const [first, last] = [arrivals[0].t, arrivals[arrivals.length - 1].t];
    const room = Math.max(1e6, Math.round((last - first) * 0.05));
    return { from: first < 86400e6 ? 0 : Math.max(0, first - room), until: last + room };
  }

  logs() {
    $('log').addEventListener('change', () => {
      if ($('log').files[0]) this.playground.log($('log').files[0]);
      $('log').value = '';
    });
    const page = document.documentElement;
    page.addEventListener('dragover', (e) => { e.preventDefault(); page.classList.add('dropping'); });
    page.addEventListener('dragleave', (e) => { if (!e.relatedTarget) page.classList.remove('dropping'); });
    page.addEventListener('drop', (e) => {
      e.preventDefault();
      page.classList.remove('dropping');
      if (e.dataTransfer.files[0]) this.playground.log(e.dataTransfer.files[0]);
    });
  }

  copies() {
    $('share').addEventListener('click', () => {
      const link = location.origin + '/?lang=' + this.lang + '#' + fragment(this.playground.state);
      this.copy(link.length > 60_000 ? '' : link);
    });
    for (const button of $('copy-as').children) {
      button.addEventListener('click', () => {
        const limit = $('copy-lane').value;
        const make = { go: () => copies.go(limit), yaml: () => copies.yaml(limit), cli: () => copies.cli(this.playground.state, limit),
          curl: () => copies.curl(request(this.playground.state), location.origin) };
        this.copy(make[button.dataset.as]());
      });
    }
  }

  // copy shows a text, and puts it into the clipboard where that is allowed.
  async copy(text) {
    const out = $('copied');
    out.textContent = text || this.t('copy.long');
    out.hidden = false;
    try {
      await navigator.clipboard.writeText(text);
      this.playground.tell.say(this.t('copy.done'), true);
    } catch {
      getSelection().selectAllChildren(out);
      this.playground.tell.say(this.t('copy.select'), true);
    }
  }
}
