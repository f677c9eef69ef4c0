// SPDX-License-Identifier: Apache-2.0
// How values are passed and returned, loading, and output.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {Bytes, FFIObject, Float, Tensor, load} from '../../demos/browser/tvm_ffi.mjs';
import {test} from './check.mjs';
import {apply, builtin, file, ours, printed, runtime, same, thrown, url} from './support.mjs';

// ---- Loading ----

await test('load: from bytes, a module, a response', async () => {
  const bytes = await readFile(file), module = await WebAssembly.compile(bytes);
  for (const source of [bytes, module, new Response(bytes), Promise.resolve(new Response(bytes))]) {
    assert.equal((await load(source)).version, runtime.version);
  }
  assert.match(runtime.version, /^0\.\d+\.\d+$/);
});

await test('load: what cannot be loaded', async () => {
  await assert.rejects(
      load(new Response('', {status: 404, statusText: 'Not Found'})), /404 Not Found/);
  await assert.rejects(load(new URL('missing.wasm', url)), /ENOENT/);
  await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
});

await test('output of C is given to print', () => {
  printed.length = 0;
  ours('print')('some text, äöü');
  assert.deepEqual(printed, ['1: some text, äöü\n']);
  printed.length = 0;
  const long = `x${'ä'.repeat(5000)}`; // characters do not end where buffers do
  ours('print')(long);
  assert.equal(printed.map((text) => text.replace('1: ', '')).join(''), `${long}\n`);
});

// ---- Values ----

await test('values: there and back', () => {
  const values = [
    null,
    true,
    false,
    0,
    1,
    -1,
    2 ** 31,
    -(2 ** 53) + 1,
    0.5,
    -0,
    NaN,
    Infinity,
    2 ** 60,
    '',
    'short',
    '7 bytes',
    'more than that',
    'äöü €',
    '\ufeffa mark',
    'a\0b',
    '\u{1f600}'.repeat(10),
    [],
    [1, 'two', [null, 3.5]],
  ];
  for (const value of values) assert.deepEqual(same(value), value);
  assert.equal(same(undefined), null);
});

await test('values: integers are numbers where that is exact', () => {
  for (const bits of [0n, 1n, 53n, 62n, 63n, 64n, 127n, 128n, 1000n]) {
    for (const value of [1n << bits, -(1n << bits), (1n << bits) - 1n]) {
      const back = same(value);
      assert.equal(BigInt(back), value);
      assert.equal(typeof back, Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
    }
  }
});

await test('values: a number is an Int or a Float', () => {
  const INT = 1, FLOAT = 3, typeIndex = ours('type_index');
  for (const value of [3, 3n, -(2 ** 52)]) assert.equal(typeIndex(value), INT);
  for (const value of [new Float(3), 3.5, -0, 2 ** 60]) assert.equal(typeIndex(value), FLOAT);
});

await test('values: bytes', () => {
  for (const length of [0, 7, 8, 1000]) {
    const bytes = Uint8Array.from({length}, (_, i) => i);
    assert.deepEqual(builtin('Array')(new Bytes(bytes)), [bytes]);
  }
});

await test('values: those that C has and JavaScript has not', () => {
  const values = ours('call_with_views')((/** @type {any[]} */...args) => {
    assert.deepEqual(
        args, ['bfloat16', {type: 2, id: 3}, 'raw text', new Uint8Array([1, 2, 3]), 4096]);
    return args.length;
  });
  assert.equal(values, 5);
  assert.deepEqual(builtin('Shape')(2, 3), [2, 3]);
  assert.deepEqual(builtin('List')(1, 'two'), [1, 'two']);
});

await test('values: other objects are handles', () => {
  const map = builtin('Map')('one', 1, 'two', 2);
  assert(map instanceof FFIObject && !(map instanceof Tensor));
  assert.equal(map.typeKey, 'ffi.Map');
  assert.equal(String(map), '{"one": 1, "two": 2}');
  assert.equal(builtin('MapGetItem')(map, 'two'), 2);
});

await test('values: what cannot be passed', async () => {
  const text = builtin('ReprPrint');
  // @ts-expect-error
  const refused = String(thrown(() => text({})));
  assert.match(refused, /^TypeError: \[object Object\] is no value of the FFI/);
  // @ts-expect-error
  assert.match(String(thrown(() => text(Symbol('s')))), /^TypeError: \[object Symbol\]/);
  assert.match(
      String(thrown(() => text([new Float32Array(1)]))),
      /^TypeError: only a Tensor can be a result or an element/);
  for (const make of [(/** @type {any} */ view) => view, (/** @type {any} */ view) => view.array]) {
    assert.match(
        String(thrown(() => apply(make, new Float32Array(1)))),
        /^TypeError: only a Tensor can be a result/);
  }
  const other = await load(url);
  assert.match(
      String(thrown(() => text(other.zeros([1])))),
      /^TypeError: the object belongs to another runtime/);
  assert.equal(text(1), '1');
});
