// SPDX-License-Identifier: Apache-2.0
// Tests the page of demos/browser in headless Chromium, as a person would use it: test_page.mjs
// SCREENSHOTS. SCREENSHOTS is a folder for pictures of the page. The page is built and served by
// the demo's command.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {test} from './check.mjs';
import {Page} from './chromium.mjs';

const screenshots = path.resolve(process.argv[2]);
const WIDE = 1200, PHONE = 360;
const LEAST_CONTRAST = 4.5;

// The address that the command says it serves.
async function serve() {
  const command = fileURLToPath(new URL('../../demos/browser/run', import.meta.url));
  const server = spawn(command, ['0'], {stdio: ['ignore', 'pipe', 'inherit']});
  process.on('exit', () => server.kill());
  for await (const line of createInterface({input: server.stdout})) {
    const url = line.match(/http:\/\/127\.0\.0\.1:\d+\//)?.[0];
    if (url) return url;
  }
  throw new Error(`${command} serves nothing`);
}

await mkdir(screenshots, {recursive: true});
process.on('SIGTERM', () => process.exit(1)); // by `timeout`
const url = await serve();
const page = await Page.open('chromium');

const text = (selector) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const texts = (selector) => page.evaluate(`Array.from(document.querySelectorAll(${
    JSON.stringify(selector)}), (element) => element.textContent)`);
const isHidden = (selector) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).hidden`);
const pick = (kernel) => page.click(`label[for="kernel-${kernel}"]`);

// Choose an option by its number.
const choose = (field, index) => page.evaluate(`(() => {
  const select = document.querySelector('#field-${field}');
  select.selectedIndex = ${index};
  select.dispatchEvent(new Event('change', {bubbles: true}));
})()`);

const slide = (field, value) => page.evaluate(`(() => {
  const range = document.querySelector('#field-${field}');
  range.value = ${value};
  for (const type of ['input', 'change']) range.dispatchEvent(new Event(type, {bubbles: true}));
})()`);

const pixels = (selector) => page.evaluate(`(() => {
  const canvas = document.querySelector('${selector}'), {width, height} = canvas;
  const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
  return {width, height, data: Array.from(data)};
})()`);

async function screenshot(name) {
  await page.evaluate('scrollTo(0, 0)');
  await writeFile(path.join(screenshots, `${name}.png`), await page.screenshot());
}

async function assertRan() {
  assert.equal(await isHidden('#error'), true, await text('#error'));
  assert.match(await text('#time'), /^[\d.]+ [mµ]s(, the mean of \d+ runs)?$/);
}

try {
  await page.resize(WIDE, 900, false);

  await test('the page loads', async () => {
    await page.send('Page.navigate', {url});
    await page.until('document.querySelector("#run")?.disabled === false');
    assert.match(await text('#about'), /^Runtime 0\.\d+\.\d+, loaded in \d+ ms/);
    await assertRan();
  });

  await test('it loads nothing from elsewhere', async () => {
    const urls =
        await page.evaluate('performance.getEntriesByType("resource").map(({name}) => name)');
    assert(urls.some((name) => name.endsWith('kernels.wasm')));
    assert.deepEqual(urls.filter((name) => !name.startsWith(url)), []);
  });

  await test('convolve: every pixel is that of the formula', async () => {
    await pick('convolve');
    const weights = [-1, -1, -1, -1, 8, -1, -1, -1, -1];
    const before = await pixels('.preview'), after = await pixels('#result canvas');
    assert.deepEqual([after.width, after.height], [before.width, before.height]);
    const clamp = (i, length) => Math.min(Math.max(i, 0), length - 1);
    for (let i = 0; i < after.data.length; ++i) {
      const x = (i >> 2) % after.width, y = Math.floor((i >> 2) / after.width), channel = i % 4;
      const neighbour = (k) => {
        const row = clamp(y + Math.floor(k / 3) - 1, after.height),
              column = clamp(x + (k % 3) - 1, after.width);
        return before.data[4 * (row * after.width + column) + channel];
      };
      const sum = weights.reduce((total, weight, k) => total + weight * neighbour(k), 0);
      assert.equal(
          after.data[i], channel === 3 ? before.data[i] : clamp(sum, 256),
          `at ${x}, ${y}, channel ${channel}`);
    }
    assert(new Set(after.data).size > 20);
    await screenshot('convolve');
  });

  await test('convolve: the filter is a choice, and can be edited', async () => {
    await choose('filter', 1);
    assert.equal(
        await page.evaluate('document.querySelector("#field-weights").value'),
        '0 -1 0\n-1 5 -1\n0 -1 0');
    await page.type('#field-weights', '1');
    await page.click('#run');
    await assertRan();
    assert.deepEqual((await pixels('#result canvas')).data, (await pixels('.preview')).data);
    assert.match(await text('#call'), /weights: float32\[1, 1\]/);
  });

  await test('convolve: a filter that does not fit', async () => {
    await choose('filter', 4);
    assert.equal(await isHidden('#error'), false);
    assert.equal(await text('#error-kind'), 'ValueError:');
    assert.match(
        await text('#error-message'),
        /argument #1 .*`convolve\(.*Expected size 2 in dimension 1 but got \[2, 3\]/);
    assert.match(await text('#error-traceback'), /^Traceback[^]*in __tvm_ffi_convolve\n/);
    assert.equal(await text('#time'), '–');
    await choose('filter', 0);
    await assertRan();
  });

  await test('tone: pixels are those of the Python function', async () => {
    await pick('tone');
    for (const [field, value] of Object.entries({exposure: 0.5, contrast: 1.5, saturation: 0.5}))
      await slide(field, value);
    await assertRan();
    const before = await pixels('.preview'), after = await pixels('#result canvas');
    const tone = (colors) => {
      const toned = colors.map((color) => 1.5 * (color * 2 ** 0.5 - 0.5) + 0.5);
      const luma = 0.2126 * toned[0] + 0.7152 * toned[1] + 0.0722 * toned[2];
      return toned.map((color) => 255 * Math.min(Math.max(luma + 0.5 * (color - luma), 0), 1));
    };
    for (let i = 0; i < after.data.length; i += 4 * 97) {
      tone(before.data.slice(i, i + 3).map((byte) => byte / 255)).forEach((wanted, channel) => {
        const byte = after.data[i + channel];
        assert(Math.abs(byte - wanted) < 0.6, `pixel ${i / 4}: ${byte}, not ${wanted}`);
      });
    }
    assert.match(await text('#call'), /exposure: 0\.5,\n {2}contrast: 1\.5,\n {2}saturation: 0\.5/);
    const source = await page.evaluate(
        'fetch(document.querySelector("#source a").href).then((file) => file.text())');
    assert.match(source, /Written by emit\.py from tone\.py[^]*TVM_FFI_C_EXPORT\(tone,/);
    await screenshot('tone');
  });

  await test('a picture from a file', async () => {
    const file = path.join(screenshots, 'tone.png');
    await page.chooseFile('#field-picture', file);
    await page.until(
        '(({width, height}) => Math.max(width, height) === 720)(' +
        'document.querySelector("#result canvas"))');
    await assertRan();
    const {width, height} = await pixels('#result canvas');
    assert((await text('#call')).includes(`image: uint8[${height}, ${width}, 4]`));
    await pick('convolve');
    assert.equal((await pixels('#result canvas')).width, width);
    await page.click('.field button');
    assert.equal((await pixels('#result canvas')).width, 640);
  });

  await test('a file that is no picture', async () => {
    await page.chooseFile('#field-picture', fileURLToPath(import.meta.url));
    await page.until('!document.querySelector("#error").hidden');
    assert.match(await text('#error'), /InputError:\s+test_page\.mjs is no picture/);
  });

  await test('mandelbrot: inside, outside, and a click to go there', async () => {
    await pick('mandelbrot');
    await assertRan();
    const {data, width, height} = await pixels('#result canvas');
    const at = (x, y) => data.slice(4 * (y * width + x)).slice(0, 4);
    assert.deepEqual(at(width >> 1, height >> 1), [0, 0, 0, 255]);
    assert.notDeepEqual(at(0, 0), [0, 0, 0, 255]);
    assert(new Set(data).size > 100);
    await screenshot('mandelbrot');
    await page.click('#result canvas');
    for (const [field, wanted] of [['x', -0.6], ['y', 0], ['width', 3.2 / 3]]) {
      const value = await page.evaluate(`Number(document.querySelector('#field-${field}').value)`);
      assert(Math.abs(value - wanted) < 0.01, `${field} is ${value}, not ${wanted}`);
    }
    await page.type('#field-width', '0');
    await page.click('#run');
    assert.match(await text('#error-message'), /Argument #3 .* must be positive, but is 0/);
  });

  await test('matmul: the product, or the error', async () => {
    await pick('matmul');
    await assertRan();
    assert.deepEqual(await texts('#result td'), ['7', '8', '16', '17']);
    await screenshot('matmul');
    await page.type('#field-b', '1 2\n3 4');
    await page.click('#run');
    assert.match(
        await text('#error-message'),
        /argument #1 .*`matmul\(.*Expected size 3 in dimension 0 but got \[2, 2\]/);
    assert.deepEqual(await texts('#result td'), []);
    await page.evaluate('document.querySelector("#error-details").open = true');
    await screenshot('error');
    await page.type('#field-b', '1\n0.5\n-2');
    await page.click('#run');
    await assertRan();
    assert.deepEqual(await texts('#result td'), ['-4', '-5.5']);
  });

  await test('inputs that are no numbers', async () => {
    const mistakes = [
      ['1 2\n3', /A: row 2 has 1 numbers, row 1 has 2/],
      ['1 x', /A: `x` is not a number/],
      ['', /A: there are no numbers/],
    ];
    for (const [typed, message] of mistakes) {
      await page.type('#field-a', typed);
      await page.click('#run');
      assert.equal(await text('#error-kind'), 'InputError:');
      assert.match(await text('#error-message'), message);
      assert.equal(await isHidden('#error-details'), true);
    }
  });

  await test('softmax: probabilities, and what it returns', async () => {
    await pick('softmax');
    await page.type('#field-scores', '0 0, 0; 0');
    await page.press('Enter');
    await assertRan();
    assert.deepEqual(await texts('.percent'), Array(4).fill('25.0 %'));
    assert.equal(await text('#returned'), '0');
    await page.type('#field-scores', '2 1 0.1 -1.2 1.6');
    await page.press('Enter');
    assert.equal(await text('#returned'), '2');
    await screenshot('softmax');
    await slide('temperature', 0);
    assert.match(await text('#error-message'), /must be positive, but is 0/);
  });

  await test('the keyboard alone', async () => {
    await page.evaluate('document.querySelector("#kernel-softmax").focus()');
    await page.press('ArrowRight');
    assert.equal(await page.evaluate('document.activeElement.id'), 'kernel-convolve');
    assert.match(await text('#call'), /^convolve\(/);
  });

  await test('names for people who do not see the page', async () => {
    for (const kernel of ['convolve', 'tone', 'mandelbrot', 'matmul', 'softmax']) {
      await pick(kernel);
      assert.deepEqual(
          await page.evaluate(`Array.from(document.querySelectorAll('input, select, textarea'))
        .filter(({labels}) => labels.length === 0 || labels[0].textContent.trim() === '')
        .map(({id}) => id)`),
          []);
      assert.deepEqual(
          await page.evaluate(`Array.from(document.querySelectorAll('canvas'))
        .filter((canvas) => canvas.getAttribute('role') !== 'img' ||
          !canvas.getAttribute('aria-label')).length`),
          0);
    }
    const levels = await page.evaluate(
      'Array.from(document.querySelectorAll("h1, h2, h3"), ({tagName}) => Number(tagName[1]))');
    assert.deepEqual(levels.filter((level) => level === 1).length, 1);
    assert(levels.every((level, i) => i === 0 || level - levels[i - 1] <= 1));
    assert.equal(await page.evaluate('document.documentElement.lang'), 'en');
  });

  for (const isDark of [false, true]) {
    for (const width of [WIDE, PHONE]) {
      const look = `${isDark ? 'dark' : 'light'}-${width}`;
      await test(`${look}: contrast, and nothing to scroll to the side`, async () => {
        await page.resize(width, 800, isDark);
        for (const kernel of ['convolve', 'tone', 'mandelbrot', 'softmax', 'matmul']) {
          await pick(kernel);
          if (kernel === 'matmul') await choose('example', 1);
          assert(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), kernel);
          assert.deepEqual(await page.findLowContrasts(LEAST_CONTRAST), [], kernel);
          await screenshot(`${kernel}-${look}`);
        }
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
