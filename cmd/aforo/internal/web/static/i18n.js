// The page in two languages: every text that people read is in en.json and
// es.json, under the same keys.
import { words } from './api.js';

export const languages = ['en', 'es'];

// choose is the language that ?lang= asks for, or the browser's, or English.
export function choose(search, preferred) {
  const asked = new URLSearchParams(search).get('lang');
  if (languages.includes(asked)) return asked;
  return preferred.map((p) => p.toLowerCase().split('-')[0]).find((p) => languages.includes(p)) ?? 'en';
}

// fill puts values into a text: {name}.
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

// load makes t(key, values), the page's texts in a language.
export async function load(lang) {
  const texts = await words(lang);
  return (key, values = {}) => fill(texts[key] ?? key, values);
}

// apply writes the texts into the elements that name them.
export function apply(root, t) {
  for (const e of root.querySelectorAll('[data-t]')) e.textContent = t(e.dataset.t);
  for (const e of root.querySelectorAll('[data-t-label]')) e.setAttribute('aria-label', t(e.dataset.tLabel));
  for (const e of root.querySelectorAll('[data-t-title]')) e.title = t(e.dataset.tTitle);
}
