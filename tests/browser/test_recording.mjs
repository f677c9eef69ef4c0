// SPDX-License-Identifier: Apache-2.0
// Tests a page of `tvm-ffi show --html` or `tvm-ffi replay --html` in headless Chromium:
// test_recording.mjs PAGE FACTS SCREENSHOTS. FACTS is JSON: how many calls, functions and bars the
// page has, and the numbers of the calls that differ (null: of show). Calls are of `scale` and
// others. SCREENSHOTS is a folder for pictures of the page. tests/tool/test_replay.py runs it.
import assert from 'node:assert/strict';
import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import {test} from './check.mjs';
import {Page} from './chromium.mjs';

const url = String(pathToFileURL(path.resolve(process.argv[2])));
const facts = JSON.parse(process.argv[3]), screenshots = path.resolve(process.argv[4]);
const WIDE = 1200, PHONE = 400;
const LEAST_CONTRAST = 4.5;

await mkdir(screenshots, {recursive: true});
process.on('SIGTERM', () => process.exit(1)); // by `timeout`
const page = await Page.open('chromium');

const CALLS = 'Array.from(document.querySelectorAll(".calls > details"))';
const numbersOf = (which) => page.evaluate(`${CALLS}.filter((call) => ${
    which}).map((call) => Number(call.querySelector('.call').id.slice(1)))`);
const count = (selector) => page.evaluate(`document.querySelectorAll('${selector}').length`);
const setAll = (isOpen) => page.evaluate(
    `document.querySelectorAll('details').forEach((details) => { details.open = ${isOpen}; })`);
// The page's own listener opens the call of a link and scrolls to it, after Chromium opened it.
const listen = () => page.evaluate(
    'addEventListener("hashchange", () => { window.revealed = location.hash; })');
const isInView = (number) => page.evaluate(`(() => {
  const {top} = document.querySelector('#c${number}').getBoundingClientRect();
  return top >= -1 && top < innerHeight;
})()`);

async function load() {
  await page.send('Page.navigate', {url});
  await page.until(
      `location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
}

// Type into the field above the calls as a person does.
async function search(text) {
  await page.type('.filter input', text);
  if (text === '') {
    await page.evaluate(`document.querySelector('.filter input').value = '';
      document.querySelector('.filter input').dispatchEvent(new Event('input'))`);
  }
}

try {
  await page.resize(WIDE, 900, false);

  await test('it shows what was recorded', async () => {
    await load();
    assert.equal(await count('.calls > details'), facts.calls);
    assert.equal(await count('.scroll tbody tr'), facts.functions);
    assert.equal(await count('.lanes g.b > rect:first-of-type'), facts.bars);
    assert.equal(
        await page.evaluate(`Array.from(
            document.querySelectorAll('.lanes g.b > rect:first-of-type'))
            .filter((bar) => {
              const {left, right} = bar.getBoundingClientRect();
              return right - left > 1 &&
                right < bar.closest('.lanes').getBoundingClientRect().right + 0.1;
            }).length`),
        facts.bars);
  });

  await test('all pictures are drawn', async () => {
    await setAll(true);
    assert(await count('img') > 0);
    assert.deepEqual(
        await page.evaluate(`Array.from(document.images).filter(
            (image) => !image.complete || image.naturalWidth === 0).map(({alt}) => alt)`),
        []);
    await setAll(false);
  });

  await test('it loads nothing', async () => {
    assert.deepEqual(
        await page.evaluate(`performance.getEntriesByType('resource').map(({name}) => name)
            .filter((name) => !name.startsWith('data:'))`),
        []);
  });

  await test('the calls can be searched', async () => {
    const all = await numbersOf('true');
    const scaled = await numbersOf('call.querySelector("summary b").textContent === "scale"');
    assert(scaled.length > 0 && scaled.length < all.length);
    await search('SCALE ');
    assert.deepEqual(await numbersOf('call.checkVisibility()'), scaled);
    assert.equal(
        await page.evaluate('document.querySelector(".filter [role=status]").textContent'),
        `${scaled.length} of ${all.length}`);
    await search('scale nothing');
    assert.deepEqual(await numbersOf('call.checkVisibility()'), []);
    await search('');
    assert.deepEqual(await numbersOf('call.checkVisibility()'), all);
  });

  await test('a bar of the timeline opens its call, also one that was searched away', async () => {
    await search('no such call');
    await listen();
    await page.click('.lanes a rect');
    const number = Number((await page.until('window.revealed')).slice(2));
    assert.deepEqual(await numbersOf('call.open'), [number]);
    assert(await isInView(number));
    assert.equal(await page.evaluate('document.querySelector(".filter input").value'), '');
  });

  if (facts.differing) {
    await test('the calls that differ are listed, and the links open them', async () => {
      await load();
      await listen();
      const links = 'section:first-of-type li a';
      assert.deepEqual(
          await page.evaluate(`Array.from(document.querySelectorAll('${links}'),
              ({hash}) => Number(hash.slice(2)))`),
          facts.differing);
      assert.match(
          await page.evaluate('document.querySelector("section p").textContent'),
          new RegExp(`^${facts.differing.length} of ${facts.calls} calls differ`));
      for (const number of facts.differing) {
        await page.click(`section:first-of-type a[href="#c${number}"]`);
        await page.until(`window.revealed === '#c${number}'`);
        assert(await page.evaluate(`document.querySelector('#c${number}').checkVisibility()`));
        assert(await isInView(number));
      }
    });

    for (const width of [WIDE, PHONE]) {
      await test(`${width}: what differs is side by side`, async () => {
        await page.resize(width, 800, false);
        await setAll(true);
        const tops = await page.evaluate(`Array.from(
            document.querySelectorAll('.differing .moments'), ({children}) =>
            Array.from(children).slice(0, 2).map((part) => part.getBoundingClientRect().top))`);
        assert(tops.length > 0);
        for (const [expected, now] of tops) assert.equal(expected, now);
      });
    }
  }

  await test('everything is printed', async () => {
    await setAll(false);
    await page.send('Page.printToPDF');
    await page.until('document.querySelectorAll("details:not([open])").length === 0');
  });

  await test('without its script, all calls are there', async () => {
    await page.send('Emulation.setScriptExecutionDisabled', {value: true});
    await load();
    assert.equal(await page.evaluate('document.querySelector(".filter").checkVisibility()'), false);
    assert.equal((await numbersOf('call.checkVisibility()')).length, facts.calls);
    await page.send('Emulation.setScriptExecutionDisabled', {value: false});
    await load();
    assert.equal(await page.evaluate('document.querySelector(".filter").checkVisibility()'), true);
  });

  for (const isDark of [false, true]) {
    for (const width of [WIDE, PHONE]) {
      const look = `${isDark ? 'dark' : 'light'}-${width}`;
      await test(`${look}: contrast, and nothing to scroll to the side`, async () => {
        await page.resize(width, 800, isDark);
        for (const isOpen of [false, true]) {
          await setAll(isOpen);
          assert(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
          assert.deepEqual(await page.findLowContrasts(LEAST_CONTRAST), []);
        }
        const name = `${path.basename(process.argv[2], '.html')}-${look}.png`;
        await writeFile(path.join(screenshots, name), await page.screenshot());
      });
    }
  }

  await test('nothing went wrong unseen', () => {
    assert.deepEqual(page.exceptions, []);
  });
} finally {
  await page.close();
  process.exit();
}
