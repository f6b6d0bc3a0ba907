// The page in a real browser, against a real server at AFORO_URL: every control,
// both languages, no error, no request to anybody else.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const url = process.env.AFORO_URL;
const token = process.env.AFORO_TOKEN;
const shots = process.env.AFORO_SHOTS;
const copied = process.env.AFORO_COPIED; // where what the page copies is put, to be run

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.AFORO_CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
});
after(() => browser.close());

// open loads the page, and fails the test for anything that goes wrong on it.
async function open(t, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const wrong = [];
  const fine = options.fine ?? (() => false);
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !fine(m.text())) wrong.push(m.text()); });
  page.on('pageerror', (e) => wrong.push(e.stack));
  page.on('request', (r) => { if (!r.url().startsWith(url + '/')) wrong.push('asks ' + r.url()); });
  page.on('response', (r) => { if (r.status() >= 400 && !fine(String(r.status()))) wrong.push(r.status() + ' ' + r.url()); });
  t.after(async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  });
  await page.goto(url + path);
  await page.waitForSelector('html[data-ready]');
  return page;
}

const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const played = async (page) => {
  await page.waitForFunction(() => document.querySelectorAll('.lane canvas').length > 0 && document.getElementById('lanes').dataset.played);
  await frames(page);
};
const numbers = (page, name) => page.$$eval(`.lane dd[data-number=${name}]`, (all) => all.map((e) => e.textContent));
const shot = async (page, name, options = {}) => { if (shots) await page.screenshot({ path: `${shots}/${name}.png`, ...options }); };

// change does something, and waits until the lanes show so many answers to it.
async function change(page, act, times = 1) {
  const before = await page.evaluate(() => Number(document.getElementById('lanes').dataset.played ?? 0));
  await act();
  await page.waitForFunction((n) => Number(document.getElementById('lanes').dataset.played ?? 0) >= n, before + times);
  await frames(page);
}

if (shots) mkdirSync(shots, { recursive: true });

for (const [lang, title, first, refusedWord] of [
  ['en', 'Aforo: rate limiters side by side', 'Fixed window', 'refused'],
  ['es', 'Aforo: limitadores de tasa lado a lado', 'Ventana fija (fixed window)', 'rechazada'],
]) {
  test(`the playground in ${lang}`, async (t) => {
    const page = await open(t, `/?lang=${lang}`);
    await played(page);
    assert.equal(await page.title(), title);
    assert.equal(await page.getAttribute('html', 'lang'), lang);
    assert.equal(await page.textContent('.lane .name'), first);
    assert.deepEqual(await numbers(page, 'allowed'), ['200', '100', '116', '53', '53']);
    await page.click('#next-disagreement');
    const why = await page.textContent('.lane:nth-child(5) .why');
    assert.ok(why.includes(refusedWord) && / = 0[.,]\d+ < 1 /.test(why), why);
    assert.ok((await page.textContent('#said')).includes(refusedWord));
    // Nothing is left untranslated, and nothing is cut off at the side.
    const keys = await page.$$eval('[data-t], [data-t-label], button, h1, h2, label', (all) => all.map((e) => e.textContent + ' ' + (e.ariaLabel ?? '')).filter((s) => /\b[a-z]+\.[a-z.]+\b/.test(s) && !/12\.5|tokens_/.test(s)));
    assert.deepEqual(keys, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await shot(page, `playground-${lang}`, { fullPage: true });
  });
}

test('the browser chooses the language, and the button changes it', async (t) => {
  const page = await open(t, '/', { locale: 'es-AR' });
  assert.equal(await page.getAttribute('html', 'lang'), 'es');
  await played(page);
  await page.click('#lang');
  await page.waitForSelector('html[lang=en][data-ready]');
  assert.ok(page.url().includes('lang=en'));
});

test('limits, traffic and instances', async (t) => {
  const page = await open(t, '/?lang=en', { fine: (s) => s.includes('400') });
  await played(page);
  await page.fill('#limit', '10/s burst 5');
  await change(page, () => page.click('#all-five'));
  assert.deepEqual(await page.$$eval('.lane-limit', (all) => all.map((e) => e.value)),
    ['fixed_window 10/s', 'sliding_window_log 10/s', 'sliding_window_counter 10/s', 'leaky_bucket 10/s burst 5', '10/s burst 5']);
  await change(page, async () => { await page.fill('.lane:nth-child(1) .lane-limit', '10/s, 1000/h'); await page.press('.lane:nth-child(1) .lane-limit', 'Enter'); });
  assert.equal(await page.textContent('.lane .name'), '10/s, 1000/h');
  const text = await page.textContent('.lane .why');
  assert.equal((text.match(/min\(/g) ?? []).length, 2, text);
  // A wrong limit is told in words, and what was there stays.
  await change(page, async () => { await page.fill('.lane:nth-child(2) .lane-limit', '5 per s'); await page.press('.lane:nth-child(2) .lane-limit', 'Enter'); });
  assert.match(await page.textContent('#problem'), /^Limit of lane 2: "5 per s": rate "5": write how many units per which time/);
  await shot(page, 'problem');
  await change(page, () => page.click('#undo'));
  assert.ok(await page.isHidden('#problem'));
  for (const preset of ['steady', 'poisson', 'burst', 'sine', 'flash', 'edge', 'zipf', 'storm']) {
    await change(page, () => page.selectOption('#preset', preset));
    assert.notEqual(await page.inputValue('#traffic'), '');
  }
  assert.match(await page.textContent('#ribbon-text'), /each lane has its own arrivals/);
  assert.ok(await page.isDisabled('#next-disagreement'));
  await change(page, async () => { await page.fill('#traffic', 'burst 80'); await page.press('#traffic', 'Enter'); });
  assert.deepEqual(await page.$$eval('.lane-limit', (all) => all.map((e) => e.value)[0]), '10/s, 1000/h'); // Enter plays, and no more
  const one = Number((await numbers(page, 'allowed'))[2]);
  assert.equal(one, 10);
  await change(page, async () => { await page.fill('#instances', '4'); await page.press('#instances', 'Tab'); });
  assert.equal(Number((await numbers(page, 'allowed'))[2]), 4 * one);
  await change(page, async () => { await page.fill('#instances', '4 shared'); await page.press('#instances', 'Tab'); });
  assert.equal(Number((await numbers(page, 'allowed'))[2]), one);
  await change(page, async () => { await page.fill('#instances', 'many'); await page.press('#instances', 'Tab'); });
  assert.match(await page.textContent('#problem'), /^Instances: many: number many/);
});

test('painting with the mouse, erasing, undoing, clearing', async (t) => {
  const page = await open(t, '/?lang=en');
  await played(page);
  await change(page, () => page.click('#clear'));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 0');
  const box = await page.locator('#paint').boundingBox();
  const drag = async (from, to) => {
    await page.mouse.move(box.x + from, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + (from + to) / 2, box.y + 30);
    await page.mouse.move(box.x + to, box.y + 30);
    await page.mouse.up();
  };
  await page.fill('#brush-cost', '3');
  await page.fill('#brush-key', 'ann');
  await change(page, () => drag(200, 200));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 1');
  await page.fill('#brush-rate', '5');
  await change(page, () => drag(300, 500));
  const n = Number((await page.textContent('#paint-count')).split(': ')[1]);
  assert.ok(n > 50, String(n));
  await page.check('input[value=erase]');
  await change(page, () => drag(250, 520));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 1');
  await page.click('#table-box summary');
  assert.match(await page.textContent('#table tbody tr'), /3ann● allowed/);
  await change(page, () => page.click('#undo'));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: ' + n);
  await page.fill('#span', '240');
  await change(page, () => page.press('#span', 'Tab'));
  await page.check('input[value=paint]');
  await page.fill('#brush-rate', '1000');
  await drag(60, 900);
  assert.match(await page.textContent('#problem'), /are too many: the most is 5000/);
});

test('everything with the keyboard', async (t) => {
  const page = await open(t, '/?lang=en');
  await played(page);
  await change(page, () => page.click('#clear'));
  await page.focus('#paint');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  assert.equal(await page.textContent('#said'), '6 s');
  await change(page, () => page.keyboard.press('Enter'));
  await page.keyboard.press('Shift+ArrowRight');
  await change(page, () => page.keyboard.press(' '));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 2');
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await change(page, () => page.keyboard.press('Delete'));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 1');
  // Every control can be reached, and has a name.
  const names = await page.evaluate(() => [...document.querySelectorAll('#view-play button, #view-play input, #view-play select, #view-play canvas[tabindex], nav a')]
    .filter((e) => e.offsetParent && !(e.ariaLabel || e.labels?.length || e.textContent.trim())).map((e) => e.outerHTML));
  assert.deepEqual(names, []);
  await page.keyboard.press('Tab');
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');
  const tree = await page.locator('main').ariaSnapshot();
  assert.match(tree, /application "Arrivals over time"/);
  assert.match(tree, /img "fixed_window 100\/m: 1 allowed, 0 refused"/);
});

test('scrub, step, speed and play', async (t) => {
  const page = await open(t, '/?lang=en#play?v=1&limits=2/s&from=0&until=4000000&at=0.jjcw.jjcw.jjcw'); // every 0.9...
  await played(page);
  await page.click('#previous');
  const last = await page.textContent('#clock-now');
  await page.click('#previous');
  assert.notEqual(await page.textContent('#clock-now'), last);
  assert.equal(await page.getAttribute('#scrub', 'aria-valuetext'), await page.textContent('#clock-now'));
  assert.ok(Number(await page.inputValue('#scrub')) < 1000); // the slider is where the cursor is
  await page.click('#next');
  assert.equal(await page.textContent('#clock-now'), last);
  await page.locator('#scrub').fill('0');
  assert.equal(await page.textContent('#clock-now'), '0 s');
  assert.ok(await page.isVisible('.future'));
  await page.selectOption('#speed', '100');
  await page.click('#play-pause');
  await page.waitForFunction(() => document.getElementById('clock-now').textContent === '4 s');
  await page.waitForFunction(() => document.getElementById('play-pause').textContent === 'Play');
  assert.ok(await page.isHidden('.future'));
  await page.selectOption('#speed', '0.1');
  await page.click('#play-pause');
  assert.equal(await page.textContent('#play-pause'), 'Pause');
  await page.click('#play-pause');
  assert.equal(await page.textContent('#play-pause'), 'Play');
});

test('who wants no motion sees arrival after arrival', async (t) => {
  const page = await open(t, '/?lang=en#play?v=1&limits=2/s&from=0&until=4000000&at=lfls.lfls', { reducedMotion: 'reduce' });
  await played(page);
  await page.evaluate(() => { window.seen = []; new MutationObserver(() => window.seen.push(document.getElementById('clock-now').textContent)).observe(document.getElementById('clock-now'), { childList: true }); });
  await page.click('#play-pause');
  await page.waitForFunction(() => document.getElementById('play-pause').textContent === 'Play');
  assert.deepEqual([...new Set(await page.evaluate(() => window.seen))].filter((s) => s !== '0 s'), ['1 s', '2 s', '4 s']);
});

test('hovering a mark says why, in every lane, and a click keeps it', async (t) => {
  const page = await open(t, '/?lang=en#play?v=1&limits=fixed_window 1/s|1/s&from=0&until=4000000&at=lfls.2s.lfls');
  await played(page);
  const box = await page.locator('.lane .u-over').first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
  const why = await page.$$eval('.why', (all) => all.map((e) => e.textContent));
  assert.ok(why.every((w) => w.startsWith('● allowed')), String(why));
  await page.mouse.move(box.x + box.width * 0.26, box.y + box.height / 2);
  await page.mouse.click(box.x + box.width * 0.26, box.y + box.height / 2);
  const second = await page.$$eval('.why', (all) => all.map((e) => e.textContent));
  assert.ok(second[0].includes('✕ refused 1 + 1 = 2 > 1') && second[1].includes('✕ refused min(1, 0 + 0.0001 s × 1/s) = 0.0001 < 1'), String(second));
  await page.mouse.move(5, 5);
  assert.deepEqual(await page.$$eval('.why', (all) => all.map((e) => e.textContent)), second);
  const rings = await page.$$eval('.ring', (all) => all.map((e) => e.style.left));
  assert.equal(new Set(rings).size, 1); // one cursor
});

test('times as text, with what is wrong in words', async (t) => {
  const page = await open(t, '/?lang=en');
  await played(page);
  await page.click('#paste');
  await page.fill('#times-text', '1 2x3@ann\nsoon');
  await page.click('#times-use');
  assert.equal(await page.textContent('#times-problem'), 'Line 2: “soon” is no time; for example: 12.5x3@ann.');
  await page.fill('#times-text', '1 2x3@ann 300');
  await change(page, () => page.click('#times-use'));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 3');
  assert.ok(Number(await page.inputValue('#span')) > 300);
  await page.click('#paste');
  assert.equal(await page.inputValue('#times-text'), '1\n2x3@ann\n300');
  await page.keyboard.press('Escape');
  assert.ok(await page.isHidden('#times'));
});

const log = Array.from({ length: 30 }, (_, i) => `192.0.2.${i % 3} - - [02/Mar/2026:10:00:${String(i).padStart(2, '0')} +0000] "GET /${i} HTTP/1.1" 200 5`).join('\n') + '\nno line of a log\n';

test('a log, opened or dropped, and junk', async (t) => {
  const page = await open(t, '/?lang=en', { fine: (s) => s.includes('400') });
  await played(page);
  await change(page, () => page.setInputFiles('#log', { name: 'access.log', mimeType: 'text/plain', buffer: Buffer.from(log) }));
  assert.equal(await page.textContent('#paint-count'), 'Arrivals: 30');
  await page.waitForFunction(() => document.getElementById('said').textContent.includes('30 of 30 requests'));
  assert.match(await page.textContent('#said'), /1 lines were no requests/);
  const drop = (bytes) => page.evaluate((list) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(list)], 'x.log'));
    document.documentElement.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [...bytes]);
  await drop(Buffer.from('\x7fELF\0\0junk', 'latin1'));
  await page.waitForFunction(() => document.getElementById('problem').textContent.includes('this is no text'));
  await drop(Buffer.from('<script>alert(1)</script>\n'.repeat(1000)));
  await page.waitForFunction(() => document.getElementById('problem').textContent.includes('no line of 1000 is a request'));
  await page.setInputFiles('#log', { name: 'huge.log', mimeType: 'text/plain', buffer: Buffer.alloc(16 * 1024 * 1024 + 1, 'x') });
  await page.waitForFunction(() => document.getElementById('problem').textContent.includes('This file has 16,777,217 bytes'));
  await change(page, () => drop(Buffer.from(log)));
  assert.ok(await page.isHidden('#problem'));
});

test('links: shared, opened, hostile', async (t) => {
  const page = await open(t, '/?lang=en', { permissions: ['clipboard-read', 'clipboard-write'] });
  await played(page);
  await change(page, async () => { await page.fill('#traffic', 'burst 7'); await page.press('#traffic', 'Enter'); });
  await page.click('#share');
  const link = await page.textContent('#copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const other = await open(t, link.slice(url.length));
  await played(other);
  assert.deepEqual(await numbers(other, 'allowed'), await numbers(page, 'allowed'));
  for (const [hash, words] of [
    ['#play?v=2', /of version 2/], ['#play?v=1&at=%00', /damaged/], ['#<img src=x onerror=alert(1)>', /nothing at “/], ['#story/none', /nothing at “none”/],
    ['#play?v=1&at=' + '1.'.repeat(60_000), /has \d+ characters/], ['#play?v=1&limits=<script>alert(1)</script>&at=1', /^Limit of lane 1: "<script>/],
  ]) {
    const bad = await open(t, '/?lang=en' + hash, { fine: (s) => s.includes('400') });
    await bad.waitForFunction(() => !document.getElementById('problem').hidden);
    assert.match(await bad.textContent('#problem'), words);
    assert.equal(await bad.$('img[src=x], main script'), null);
    await bad.context().close();
  }
});

test('copies, to be run by whoever started this', async (t) => {
  const page = await open(t, '/?lang=en', { permissions: ['clipboard-read', 'clipboard-write'] });
  await played(page);
  await page.selectOption('#copy-lane', '100/m burst 20');
  for (const as of ['go', 'yaml', 'curl', 'cli']) {
    await page.click(`button[data-as=${as}]`);
    const text = await page.textContent('#copied');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
    writeFileSync(`${copied}/${as}`, text);
  }
  await change(page, async () => { await page.click('#paste'); await page.fill('#times-text', '0 0 0.5x3@ann 1.25 7@bob'); await page.click('#times-use'); });
  await page.click('button[data-as=cli]');
  writeFileSync(`${copied}/arrivals`, await page.textContent('#copied'));
  const denied = await open(t, '/?lang=en');
  await played(denied);
  await denied.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error('denied')); });
  await denied.click('button[data-as=yaml]');
  await denied.waitForFunction(() => document.getElementById('said').textContent.startsWith('Selected'));
  assert.match(await denied.evaluate(() => String(getSelection())), /policies:/);
});

test('the stories: a list, each opened, each to be read', async (t) => {
  const page = await open(t, '/?lang=es#stories');
  await page.waitForSelector('#stories article');
  const names = await page.$$eval('#stories h2 a', (all) => all.map((a) => a.getAttribute('href')));
  assert.equal(names.length, 8);
  await shot(page, 'stories-es', { fullPage: true });
  const titles = new Set();
  for (const name of names) {
    await change(page, () => page.evaluate((to) => { location.hash = to; }, name));
    assert.ok(await page.isVisible('#story'));
    titles.add(await page.title());
    for (const scene of await page.$$('#story-scenes button')) {
      await change(page, () => scene.click());
      assert.equal(await scene.getAttribute('aria-pressed'), 'true');
    }
    await shot(page, 'story-' + name.split('/')[1] + '-es', { fullPage: true });
  }
  assert.equal(titles.size, 8);
  await page.click('#story-read');
  await page.waitForSelector('article img');
  assert.match(await page.title(), /Exacto o barato · Aforo/);
  assert.ok(await page.evaluate(() => document.querySelector('article img').naturalWidth > 0));
  await shot(page, 'story-page-es');
});

test('the quiz is run', async (t) => {
  const page = await open(t, '/?lang=en#quiz');
  await page.waitForSelector('.question');
  let right = 0;
  const questions = await page.$$('.question');
  for (const q of questions) {
    for (const option of await q.$$('input')) {
      await option.check();
      const out = await q.$('.answer');
      await out.evaluate((e) => e.replaceChildren());
      await (await q.$('button')).click();
      await page.waitForFunction((e) => e.textContent !== '', out);
      if ((await out.textContent()).startsWith('✓')) right++;
    }
  }
  assert.equal(right, questions.length); // one answer each
  assert.match(await questions[2].textContent(), /0 s 4\.5 s 5 s.*It is 4\.5 s\./s);
  await shot(page, 'quiz', { fullPage: true });
  await change(page, async () => (await questions[0].$('.answer a')).click());
  assert.ok(await page.isVisible('#lanes'));
});

test('the dashboard shows what happens, and resets with the token', async (t) => {
  const page = await open(t, '/?lang=en#live', { fine: (s) => s.includes('401') });
  const check = (policy, key, cost = 1) => page.request.post(url + '/v1/check', { data: { policy, key, cost } });
  for (let i = 0; i < 8; i++) await check('login', 'user:42');
  await check('login', 'Bearer hunter2', 6);
  await page.waitForFunction(() => document.getElementById('live-top')?.textContent.includes('user:42'));
  const top = await page.textContent('#live-top');
  assert.ok(top.includes('user:423') && top.includes('#') && !top.includes('hunter2'), top);
  assert.match(await page.textContent('#live-near'), /user:420 of 5 left/);
  assert.match(await page.textContent('#live-store'), /In this process: \d+ states kept/);
  assert.match(await page.textContent('#live-policies'), /login.*at most 5 in any 15 minutes/);
  assert.match(await page.textContent('#live-rates'), /Since the start: ● 5 ✕ 4/);
  await page.selectOption('#inspect-policy', 'login');
  await page.fill('#inspect-key', 'user:42');
  await page.press('#inspect-key', 'Enter');
  await page.waitForFunction(() => document.getElementById('inspect-out').textContent.includes('would be refused: 0 of 5 left'));
  await page.click('#inspect-reset');
  await page.fill('#inspect-key', 'another'); // what was asked about is not what would be reset
  assert.ok(await page.isHidden('#inspect-confirm'));
  await page.fill('#inspect-key', 'user:42');
  await page.click('#inspect-reset');
  assert.match(await page.textContent('#inspect-confirm'), /Forget what login has counted/);
  await page.fill('#inspect-token', 'wrong');
  await page.click('#inspect-yes');
  await page.waitForFunction(() => document.getElementById('problem').textContent.includes('This is not the token'));
  await page.fill('#inspect-token', token);
  await page.press('#inspect-token', 'Enter');
  await page.waitForFunction(() => document.getElementById('inspect-out').textContent === 'It was reset.');
  await page.press('#inspect-key', 'Enter');
  await page.waitForFunction(() => document.getElementById('inspect-out').textContent.includes('would be allowed: 5 of 5 left'));
  await shot(page, 'live', { fullPage: true });
  await page.click('nav a[data-view=play]');
  await played(page);
});

test('the dashboard asks again when it was refused', async (t) => {
  const page = await open(t, '/?lang=en#quiz', { fine: (s) => s.includes('503') });
  await page.clock.install();
  let refused = 0;
  await page.route('**/v1/events', (route) => (refused++ ? route.continue() : route.fulfill({ status: 503, body: '' })));
  await page.click('nav a[data-view=live]');
  await page.waitForFunction(() => document.querySelector('#live > .help')?.textContent.includes('trying again'));
  await page.clock.fastForward(10_000);
  await page.waitForFunction(() => /^\d/.test(document.querySelector('#live > .help').textContent));
});

test('every view in Spanish, with nothing left untranslated', async (t) => {
  const english = new Set(Object.values(await (await fetch(url + '/app/en.json')).json()));
  const spanish = new Set(Object.values(await (await fetch(url + '/app/es.json')).json()));
  const page = await open(t, '/?lang=es#quiz');
  for (const view of ['quiz', 'live', 'stories', 'play']) {
    await page.click(`nav a[data-view=${view}]`);
    if (view === 'live') await page.waitForSelector('#live-policies li');
    const texts = await page.$$eval('button, a, h1, h2, h3, label > span, legend, p, dt, summary, th, option', (all) => all.map((e) => e.textContent.trim()));
    assert.deepEqual(texts.filter((text) => english.has(text) && !spanish.has(text)), []);
    await shot(page, `${view}-es`, { fullPage: true });
  }
});

test('what the server says is wrong, in Spanish and in sight', async (t) => {
  const page = await open(t, '/?lang=es', { fine: (s) => /40[01]|413/.test(s), viewport: { width: 390, height: 844 } });
  await played(page);
  const problem = async (words) => {
    assert.match(await page.textContent('#problem'), words);
    const box = await page.locator('#problem').boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box));
  };
  const set = (where, text) => change(page, async () => { await page.fill(where, text); await page.press(where, 'Enter'); });
  await set('.lane:nth-child(5) .lane-limit', '5 per s');
  await problem(/^Límite del carril 5: "5 per s" no sirve; por ejemplo: 100\/minute burst 20 \(detalle, en inglés: rate "5": write how many units per which time, with a slash and no spaces\)$/);
  await change(page, () => page.click('#undo'));
  await set('#traffic', 'poisson 9000/s for 1m');
  await problem(/^Tráfico descrito: así no puede ser \(detalle, en inglés: 540000 arrivals for so many limits are too many; the most is 5000\)$/);
  await page.evaluate(() => { location.hash = '#live'; });
  await page.click('#inspect-reset');
  await page.click('#inspect-yes');
  await page.waitForFunction(() => !document.getElementById('problem').hidden);
  await problem(/^Ese no es el token que el servidor mostró al arrancar\.$/);
});

test('dark, narrow, and no wider than the screen', async (t) => {
  const page = await open(t, '/?lang=es', { colorScheme: 'dark', viewport: { width: 390, height: 844 } });
  await played(page);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const view of ['stories', 'quiz', 'live', 'play']) {
      await page.evaluate((v) => { location.hash = v; }, view);
      await page.waitForSelector(`#view-${view}:not([hidden])`);
      if (view === 'live') await page.waitForSelector('#live-policies li');
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} at ${width}: ${await page.evaluate(() => document.documentElement.scrollWidth)}`);
    }
  }
  await shot(page, 'narrow-dark', { fullPage: true });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
});

// contrast of two colours as WCAG has it.
const contrast = (a, b) => {
  const light = (c) => c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};

test('colours can be read, light and dark', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(t, '/?lang=en', { colorScheme });
    const c = await page.evaluate(() => Object.fromEntries(['ink', 'dim', 'allowed', 'refused', 'delayed', 'paper', 'panel'].map((name) => {
      const hex = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
      return [name, [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))];
    })));
    for (const name of ['ink', 'dim', 'allowed', 'refused', 'delayed']) {
      for (const ground of ['paper', 'panel']) assert.ok(contrast(c[name], c[ground]) >= 4.5, `${colorScheme}: ${name} on ${ground}: ${contrast(c[name], c[ground])}`);
    }
  }
});

test('nothing but the page of this server may be run or shown in it', async (t) => {
  const page = await open(t, '/?lang=en', { fine: (s) => /Content Security Policy|Refused to|TrustedScript|violates/.test(s) });
  const ran = await page.evaluate(async () => {
    const script = document.createElement('script');
    try { script.textContent = 'window.ran = "script"'; document.head.append(script); } catch { /* trusted types */ }
    const button = document.createElement('button');
    try { button.setAttribute('onclick', 'window.ran = "handler"'); button.click(); } catch { /* trusted types */ }
    await fetch('http://127.0.0.1:9/').then(() => { window.ran = 'fetch'; }, () => {});
    return window.ran;
  });
  assert.equal(ran, undefined);
});

test('a server that is gone is told in words', async (t) => {
  const page = await open(t, '/?lang=en', { fine: (s) => s.includes('ERR_FAILED') });
  await played(page);
  await page.route('**/v1/simulate', (route) => route.abort());
  await page.click('#clear');
  await page.waitForFunction(() => document.getElementById('problem').textContent === 'The server does not answer. Is it still running?');
});

test('the picture of the README', async (t) => {
  const page = await open(t, '/?lang=en#story/edge-burst', { viewport: { width: 900, height: 2400 } });
  await played(page);
  const lane = await page.locator('.lane .u-over').first().boundingBox();
  await page.mouse.click(lane.x + lane.width * (65 / 120), lane.y + 20); // in the second burst
  assert.match(await page.textContent('.lane:nth-child(2) .why'), /100 \+ 1 = 101 > 100/);
  await page.mouse.move(2, 2);
  const [top, lanes] = [await page.locator('.panel:has(#paint)').boundingBox(), await page.locator('#lanes').boundingBox()];
  const picture = process.env.AFORO_PICTURE;
  if (picture) await page.screenshot({ path: picture, fullPage: true, clip: { x: top.x - 8, y: top.y - 8, width: top.width + 16, height: lanes.y + lanes.height - top.y + 8 } });
});
