// SPDX-License-Identifier: Apache-2.0
// Headless Chromium, driven through the pipe of --remote-debugging-pipe: no packages of Node are
// needed.
import {spawn} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';

const TO_BROWSER = 3, FROM_BROWSER = 4;
const KEYS = {Enter: {code: 13, text: '\r'}, ArrowRight: {code: 39}};

/**
 * The texts whose colour is too close to what is behind them: a ratio of luminances, as WCAG
 * defines it, of less than `least`. The function runs in the page.
 */
function findLowContrasts(least) {
  const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

  // The colour that is seen when several are painted over one another, as bytes.
  function paint(colors) {
    probe.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      probe.fillStyle = color;
      probe.fillRect(0, 0, 1, 1);
    }
    return Array.from(probe.getImageData(0, 0, 1, 1).data).slice(0, 3);
  }

  function luminance(bytes) {
    const linear = bytes.map((byte) => byte / 255)
                       .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }

  function contrast(element) {
    const behind = [];
    for (let parent = element; parent; parent = parent.parentElement) {
      behind.unshift(getComputedStyle(parent).backgroundColor);
    }
    const luminances =
        [paint([...behind, getComputedStyle(element).color]), paint(behind)].map(luminance);
    return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
  }

  const hasText = (element) => element.matches('input[type="text"], textarea, select') ||
      Array.from(element.childNodes)
          .some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  return Array.from(document.querySelectorAll('body *'))
    .filter((element) => hasText(element) && element.checkVisibility() && contrast(element) < least)
    .map((element) => `${element.tagName} ${element.id} ${element.textContent.slice(0, 40)}`);
}

/**
 * Where to click on an element: its center, or null as long as two frames show it at different
 * places or something covers it. The function runs in the page.
 */
async function findCenter(selector) {
  const element = document.querySelector(selector);
  const nextFrame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
  const measure = () => {
    const box = element.getBoundingClientRect();
    return {x: box.x + box.width / 2, y: box.y + box.height / 2};
  };
  element.scrollIntoView({block: 'center'});
  await nextFrame();
  const before = measure();
  await nextFrame();
  const {x, y} = measure();
  const isStill = x === before.x && y === before.y;
  return isStill && element.contains(document.elementFromPoint(x, y)) ? {x, y} : null;
}

// A page of a new browser: send() calls a method of the DevTools protocol.
export class Page {
  #process;
  #profile;
  #session;
  #lastId = 0;
  #waiting = new Map();
  #received = '';
  exceptions = []; // that nobody caught, messages of console.error, and what a policy forbids

  static async open(chromium) {
    const page = new Page();
    page.#profile = await mkdtemp(path.join(tmpdir(), 'tvm-ffi-chromium-'));
    page.#process = spawn(
        chromium,
        [
          '--headless=new',
          '--remote-debugging-pipe',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-dev-shm-usage',
          '--no-first-run',
          '--hide-scrollbars',
          `--user-data-dir=${page.#profile}`,
          'about:blank',
        ],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    page.#process.stdio[FROM_BROWSER].on('data', (data) => page.#receive(data));
    page.#process.on('exit', () => page.#fail(new Error('the browser has ended')));
    page.#process.on('error', (error) => page.#fail(error));
    const {targetInfos} = await page.#request('Target.getTargets');
    const {targetId} = targetInfos.find(({type}) => type === 'page');
    page.#session =
        (await page.#request('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'DOM', 'Log']) await page.send(`${domain}.enable`);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => { this.#process.on('exit', resolve); });
    this.#process.kill();
    await ended;
    await rm(this.#profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  }

  #fail(error) {
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  // Messages are JSON, each followed by a NUL.
  #receive(data) {
    const texts = (this.#received + data).split('\0');
    this.#received = texts.pop();
    for (const message of texts.map((text) => JSON.parse(text))) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (waiting && message.error) waiting.reject(new Error(message.error.message));
      else if (waiting) waiting.resolve(message.result);
      else if (message.method === 'Runtime.exceptionThrown') {
        const {exception, text} = message.params.exceptionDetails;
        this.exceptions.push(exception?.description ?? text);
      } else if (message.method === 'Runtime.consoleAPICalled' && message.params.type === 'error') {
        this.exceptions.push(
            message.params.args.map((arg) => arg.description ?? arg.value).join(' '));
      } else if (
          message.method === 'Log.entryAdded' && message.params.entry.source === 'security') {
        this.exceptions.push(message.params.entry.text);
      }
    }
  }

  #request(method, params = {}, sessionId = undefined) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#process.stdio[TO_BROWSER].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    });
  }

  send(method, params) {
    return this.#request(method, params, this.#session);
  }

  // The value of an expression in the page.
  async evaluate(expression) {
    const params = {expression, awaitPromise: true, returnByValue: true};
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', params);
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Wait until an expression is true, and return its value.
  async until(expression, milliseconds = 15000) {
    const end = Date.now() + milliseconds;
    for (;;) {
      const value = await this.evaluate(expression);
      if (value) return value;
      if (Date.now() > end) throw new Error(`still not true: ${expression}`);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
  }

  async resize(width, height, isDark) {
    await this.send(
        'Emulation.setDeviceMetricsOverride',
        {width, height, deviceScaleFactor: 1, mobile: width < 600});
    const scheme = {name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light'};
    await this.send('Emulation.setEmulatedMedia', {features: [scheme]});
  }

  // The whole page as PNG.
  async screenshot() {
    const {data} =
        await this.send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: true});
    return Buffer.from(data, 'base64');
  }

  // Texts that cannot be read, of elements that are seen.
  findLowContrasts(least) {
    return this.evaluate(`(${findLowContrasts})(${least})`);
  }

  // What a person does.

  // The page may still be scrolling from what was done before.
  async click(selector) {
    const {x, y} = await this.until(`(${findCenter})(${JSON.stringify(selector)})`);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
    }
  }

  // A key of KEYS.
  async press(key) {
    const {code: windowsVirtualKeyCode, text} = KEYS[key];
    await this.send(
        'Input.dispatchKeyEvent', {type: 'keyDown', key, code: key, text, windowsVirtualKeyCode});
    await this.send(
        'Input.dispatchKeyEvent', {type: 'keyUp', key, code: key, windowsVirtualKeyCode});
  }

  // Type a text in place of what is in a field.
  async type(selector, text) {
    await this.evaluate(`(() => {
      const field = document.querySelector(${JSON.stringify(selector)});
      field.focus();
      field.select();
    })()`);
    await this.send('Input.insertText', {text});
  }

  async chooseFile(selector, file) {
    const {root} = await this.send('DOM.getDocument');
    const {nodeId} = await this.send('DOM.querySelector', {nodeId: root.nodeId, selector});
    await this.send('DOM.setFileInputFiles', {nodeId, files: [file]});
  }
}
