// SPDX-License-Identifier: Apache-2.0
// Functions, modules, and kernels that the generator of the demo writes.
import assert from 'node:assert/strict';
import {Module} from '../../demos/browser/tvm_ffi.mjs';
import {test} from './check.mjs';
import {apply, ours, raised, runtime, same} from './support.mjs';

// ---- Functions and modules ----

await test('functions: global ones', () => {
  assert.equal(runtime.findGlobalFunction('js.missing'), null);
  assert.equal(raised(() => runtime.globalFunction('js.missing')).kind, 'ValueError');
  assert.equal(raised(() => runtime.registerFunction('js.same', () => 0)).kind, 'RuntimeError');
  runtime.registerFunction('js.replaced', () => 1);
  runtime.registerFunction('js.replaced', () => 2, {override: true});
  assert.equal(runtime.globalFunction('js.replaced')(), 2);
  runtime.registerFunction('js.alias', same);
  assert.equal(runtime.globalFunction('js.alias')('x'), 'x');
});

await test('functions: as arguments and results', () => {
  const add = same((/** @type {number} */ a, /** @type {number} */ b) => a + b);
  assert.equal(add(2, 3), 5);
  assert.equal(apply(add, 20, 30), 50);
  assert.equal(
      apply((/** @type {any} */ inner) => inner(1), (/** @type {number} */ x) => apply(add, x, 1)),
      2);
});

await test('modules: the system library', () => {
  const library = runtime.systemLibrary();
  assert(library instanceof Module);
  assert.equal(library.find('missing'), null);
  assert.equal(library.doc('missing'), null);
  assert.equal(library.metadata('missing'), null);
  const error = raised(() => library.get('missing'));
  assert.deepEqual(
      [error.kind, error.message], ['AttributeError', 'Module has no function `missing`']);
});

// ---- The generator of the demo ----

await test('emitted kernels: what they compute', () => {
  const shape = [6, 5, 4], gain = 0.4, offset = -0.1;
  const image =
      runtime.tensor(Uint8Array.from({length: 6 * 5 * 4}, (_, i) => (i * 37) % 256), shape);
  const out = runtime.zeros(shape, 'uint8'), before = image.array;
  ours('everything')(image, out, gain, offset);
  const after = out.array;
  for (let i = 0; i < before.length; i += 4) {
    const [red, green, blue] = Array.from(before.subarray(i, i + 3), (byte) => byte / 255);
    const low = Math.min(red, green), high = Math.max(Math.abs(red - green), blue);
    const wanted = [
      Math.sqrt(low) * 2 * gain + offset, Math.exp(-high) / (1 + blue ** 2),
      1 - (high - (low - 0.25))
    ];
    wanted.forEach((color, channel) => {
      const byte = 255 * Math.min(Math.max(color, 0), 1);
      assert(
          Math.abs(after[i + channel] - byte) <= 0.501,
          `${i}, ${channel}: ${after[i + channel]}, not ${byte}`);
    });
    assert.equal(after[i + 3], before[i + 3]);
  }
  ours('swap')(image, out);
  assert.deepEqual(
      Array.from(out.array.subarray(0, 4)), [2, 1, 0, 3].map((channel) => image.array[channel]));
});

await test('emitted kernels: what they refuse', () => {
  const image = runtime.zeros([2, 2, 4], 'uint8'), everything = ours('everything');
  const wide = runtime.zeros([2, 3, 4], 'uint8'), opaque = runtime.zeros([2, 2, 3], 'uint8'),
        floats = runtime.zeros([2, 2, 4]);
  assert.match(
      raised(() => everything(image, image)).message,
      /Mismatched number of arguments .* Expected 4 but got 2/);
  assert.match(
      raised(() => everything(image, wide, 1, 1)).message,
      /Expected \[2, 2, 4\] .*got \[2, 3, 4\]/);
  assert.match(
      raised(() => everything(opaque, image, 1, 1)).message, /Expected size 4 in dimension 2/);
  assert.equal(raised(() => everything(floats, image, 1, 1)).kind, 'TypeError');
  assert.equal(raised(() => everything(image, image, 'text', 1)).kind, 'TypeError');
});
