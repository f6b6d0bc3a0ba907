// The beginning: language, views, and who shows what.
import { scenarios } from './api.js';
import { apply, choose, load } from './i18n.js';
import { Live } from './live.js';
import { Playground } from './playground.js';
import { Quiz } from './quiz.js';
import { Refused } from './refused.js';
import { fromRequest, route } from './state.js';
import { Stories } from './stories.js';

const $ = (id) => document.getElementById(id);
const lang = choose(location.search, navigator.languages ?? []);
document.documentElement.lang = lang;
const t = await load(lang);
apply(document, t);
document.title = t('title');

// inWords is a problem that the server has answered, in words of the page as far
// as it has them, and its fields called as the page calls them.
function inWords({ status, message, field, value, example }) {
  if (status === 401) return t('problem.token');
  if (!field) return t('problem.server', { detail: message });
  const names = { limit: t('setup.limit'), traffic: t('setup.traffic'), instances: t('setup.instances') };
  const lane = /^limits\[(\d+)\]$/.exec(field);
  const name = lane ? t('lane.limit', { n: Number(lane[1]) + 1 }) : names[field] ?? field;
  const detail = message.replace(`field "${field}"` + (value ? ` is ${value}: ` : ': '), '').replace('; for example: ' + example, '');
  return value ? t('problem.value', { name, value, detail, example }) : t('problem.field', { name, detail });
}

// tell says something to the person, wherever the cause is.
const tell = {
  problem(error) {
    $('problem').textContent = error instanceof Refused ? t(error.key, error.values) : error.status ? inWords(error) : t('problem.network');
    $('problem').hidden = false;
  },
  clear() {
    $('problem').hidden = true;
  },
  say(text, visibly = false) {
    $('said').textContent = text;
    $('said').classList.toggle('hidden-text', !visibly);
  },
};

const playground = new Playground(t, lang, tell);
const live = new Live($('live'), t, lang, tell);
let stories = null;
let known = { stories: [], presets: [], questions: [] };
try {
  known = await scenarios();
} catch (error) {
  tell.problem(error);
}
playground.setup.offer(known.presets);
stories = new Stories(known.stories, playground, t, lang);
new Quiz($('quiz'), known.questions, t, lang, tell);

// go shows what the fragment of the address says.
function go() {
  let place = { view: 'play', name: '', state: null };
  let wrong = null;
  try {
    place = route(location.hash);
    if (place.view === 'story' && !known.stories.some((s) => s.name === place.name)) throw new Refused('refused.place', { text: place.name.slice(0, 60) });
  } catch (error) {
    wrong = error;
  }
  if (wrong) place = { view: 'play', name: '', state: null };
  const shown = place.view === 'story' ? 'play' : place.view;
  for (const view of ['play', 'stories', 'quiz', 'live']) $('view-' + view).hidden = view !== shown;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === (place.view === 'story' ? 'stories' : place.view)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  live.show(shown === 'live');
  let played = Promise.resolve();
  if (place.view === 'story') stories.open(place.name);
  else if (shown === 'play') {
    stories.close();
    const first = known.stories[0]?.scenes[0];
    if (place.state) played = playground.set(place.state, true);
    else if (!playground.result && first) played = playground.set(fromRequest(first.request), true);
    else playground.draw();
  }
  document.title = (place.view === 'story' ? t(`story.${place.name}.title`) + ' · ' : shown === 'play' ? '' : t('nav.' + shown) + ' · ') + t('title');
  if (wrong) played.then(() => tell.problem(wrong instanceof Refused ? wrong : new Refused('refused.link', { text: '' })));
}

addEventListener('hashchange', () => { tell.clear(); go(); scrollTo(0, 0); });
$('lang').addEventListener('click', () => {
  const next = new URL(location.href);
  next.searchParams.set('lang', lang === 'en' ? 'es' : 'en');
  location.assign(next);
});
$('lang').lang = lang === 'en' ? 'es' : 'en';
go();
document.documentElement.dataset.ready = 'true';
