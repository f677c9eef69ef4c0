// SPDX-License-Identifier: Apache-2.0
// Tests tvm_ffi.mjs in Node, with --expose-gc: test_module.mjs TEST.wasm, which is linked with kernels.c. tsc checks
// this file against tvm_ffi.d.mts: what must not compile is marked.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {Bytes, FFIObject, Float, Module, Runtime, TVMFFIError, Tensor, load} from '../../samples/24_browser/tvm_ffi.mjs';
import {test} from './check.mjs';

const file = process.argv[2], url = pathToFileURL(file);

/** @type {string[]} */
const printed = [];
const runtime = await load(url, {print: (text, to) => printed.push(`${to}: ${text}`)});
const builtin = (/** @type {string} */ name) => runtime.globalFunction(`ffi.${name}`);
const ours = (/** @type {string} */ name) => runtime.globalFunction(`test.${name}`);

runtime.registerFunction('js.same', (value) => value);
const same = runtime.globalFunction('js.same');
runtime.registerFunction('js.apply', (callback, ...args) => callback(...args));
const apply = runtime.globalFunction('js.apply');

/** What a call throws. */
function thrown(/** @type {() => unknown} */ body) {
  try {
    body();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

function raised(/** @type {() => unknown} */ body) {
  const error = thrown(body);
  assert(error instanceof TVMFFIError, String(error));
  return error;
}

// ---- Loading ----

await test('load: from bytes, a module, a response', async () => {
  const bytes = await readFile(file), module = await WebAssembly.compile(bytes);
  for (const source of [bytes, module, new Response(bytes), Promise.resolve(new Response(bytes))]) {
    assert.equal((await load(source)).version, runtime.version);
  }
  assert.match(runtime.version, /^0\.\d+\.\d+$/);
});

await test('load: what cannot be loaded', async () => {
  await assert.rejects(load(new Response('', {status: 404, statusText: 'Not Found'})), /404 Not Found/);
  await assert.rejects(load(new URL('missing.wasm', url)), /ENOENT/);
  await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
});

await test('output of C is given to print', () => {
  printed.length = 0;
  ours('print')('some text, äöü');
  assert.deepEqual(printed.join('').split('\n'), ['1: some text, äöü', '']);
});

// ---- Values ----

await test('values: there and back', () => {
  const values = [
    null, true, false, 0, 1, -1, 2 ** 31, -(2 ** 53) + 1, 0.5, -0, NaN, Infinity, 2 ** 60, '', 'short', '7 bytes', 'more than that',
    'äöü €', '\ufeffa mark', 'a\0b', '\u{1f600}'.repeat(10), [], [1, 'two', [null, 3.5]],
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
  const INT = 1, FLOAT = 3;
  assert.deepEqual([3, 3n, new Float(3), 3.5, -0, 2 ** 60].map((value) => ours('type_index')(value)), [INT, INT, FLOAT, FLOAT, FLOAT, FLOAT]);
});

await test('values: bytes', () => {
  for (const length of [0, 7, 8, 1000]) {
    const bytes = Uint8Array.from({length}, (_, i) => i);
    assert.deepEqual(builtin('Array')(new Bytes(bytes)), [bytes]);
  }
});

await test('values: those that C has and JavaScript has not', () => {
  const values = ours('call_with_views')((/** @type {any[]} */ ...args) => {
    assert.deepEqual(args, ['bfloat16', {type: 2, id: 3}, 'raw text', new Uint8Array([1, 2, 3]), 4096]);
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
  assert.match(String(thrown(() => text({}))), /^TypeError: \[object Object\] is no value of the FFI/);
  // @ts-expect-error
  assert.match(String(thrown(() => text(Symbol('s')))), /^TypeError: \[object Symbol\]/);
  assert.match(String(thrown(() => text([new Float32Array(1)]))), /^TypeError: only a Tensor can be a result or an element/);
  for (const make of [(/** @type {any} */ view) => view, (/** @type {any} */ view) => view.array]) {
    assert.match(String(thrown(() => apply(make, new Float32Array(1)))), /^TypeError: only a Tensor can be a result/);
  }
  const other = await load(url);
  assert.match(String(thrown(() => text(other.zeros([1])))), /^TypeError: the object belongs to another runtime/);
  assert.equal(text(1), '1');
});

// ---- Tensors ----

await test('tensors: every dtype', () => {
  /** @type {import('../../samples/24_browser/tvm_ffi.mjs').TypedArray[]} */
  const arrays = [
    new Int8Array([1, -2]), new Int16Array([1, -2]), new Int32Array([1, -2]), new BigInt64Array([1n, -2n]), new Uint8Array([1, 2]),
    new Uint16Array([1, 2]), new Uint32Array([1, 2]), new BigUint64Array([1n, 2n]), new Float32Array([1, 2.5]),
    new Float64Array([1, 2.5]),
  ];
  const dtypes = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64'];
  arrays.forEach((array, i) => {
    const tensor = runtime.tensor(array);
    assert.deepEqual([tensor.dtype, tensor.shape, tensor.array], [dtypes[i], [2], array]);
    assert.equal(tensor.array.buffer, runtime.memory.buffer);
    assert.equal(tensor.array.byteOffset % 64, 0);
  });
  assert(runtime.tensor(new Uint8ClampedArray([3])).array instanceof Uint8Array);
});

await test('tensors: shapes', () => {
  assert.deepEqual(runtime.zeros([]).array, new Float32Array(1));
  assert.deepEqual(runtime.zeros([0, 3]).array, new Float32Array(0));
  assert.deepEqual(runtime.zeros([2, 3], 'int64').array, new BigInt64Array(6));
  assert.deepEqual(runtime.tensor(new Int8Array(6), [1, 2, 3]).shape, [1, 2, 3]);
  assert.match(String(thrown(() => runtime.tensor(new Int8Array(5), [2, 3]))), /RangeError: shape \[2,3\] has 6 elements, but the array has 5/);
  for (const shape of [[-1], [1.5], [NaN]]) assert.match(String(thrown(() => runtime.zeros(shape))), /RangeError: .* is no shape/);
  // @ts-expect-error
  assert.match(String(thrown(() => runtime.zeros([1], 'float16'))), /TypeError: typed arrays have no elements of dtype float16/);
});

await test('tensors: types of arrays', () => {
  /** @type {Float32Array} */
  const floats = runtime.zeros([1]).array;
  /** @type {BigInt64Array} */
  const longs = runtime.zeros([1], 'int64').array;
  // @ts-expect-error
  /** @type {Int8Array} */ const wrong = runtime.tensor(new Int16Array(1)).array;
  assert.deepEqual([floats.length, longs.length, wrong.length], [1, 1, 1]);
});

await test('tensors: a typed array over the memory is not copied', () => {
  const {array} = runtime.tensor(new Int32Array([1, 2, 3, 4]));
  apply((/** @type {import('../../samples/24_browser/tvm_ffi.mjs').TensorView} */ view) => {
    assert.deepEqual([view.shape, view.dtype], [[2], 'int32']);
    assert.equal(view.array.buffer, runtime.memory.buffer);
    assert.equal(view.array.byteOffset, array.byteOffset + 4);
    view.array[0] = 20;
  }, array.subarray(1, 3));
  assert.deepEqual(Array.from(array), [1, 20, 3, 4]);
});

await test('tensors: a view is for the time of the call', () => {
  /** @type {any} */
  let kept;
  apply((/** @type {any} */ view) => { kept = view; }, runtime.zeros([2]).array);
  assert.match(String(thrown(() => kept.shape)), /^ReferenceError: the object was released/);
});

await test('tensors: another one is copied in and back', () => {
  const array = new Uint8ClampedArray([1, 2, 3, 4]);
  ours('far_away')(() => 0); // the memory between two calls is used
  runtime.registerFunction('js.add_one', (view) => {
    assert.deepEqual(Array.from(view.array), [2, 3]);
    view.array.forEach((/** @type {number} */ x, /** @type {number} */ i) => { view.array[i] = x + 1; });
  });
  runtime.globalFunction('js.add_one')(array.subarray(1, 3));
  assert.deepEqual(Array.from(array), [1, 3, 4, 4]);
});

await test('tensors: the same array twice is one tensor', () => {
  const array = new Int32Array([1, 2]);
  apply((/** @type {any} */ a, /** @type {any} */ b) => {
    assert.equal(a.array.byteOffset, b.array.byteOffset);
    b.array[0] = 5;
  }, array, array);
  assert.equal(array[0], 5);
});

await test('tensors: an argument that makes the memory grow', () => {
  const {array} = runtime.tensor(new Int32Array([1, 2])), large = new Uint8Array(runtime.memory.buffer.byteLength + 1);
  assert.equal(apply((/** @type {any} */ a, /** @type {any} */ b) => a.shape[0] + b.array[1], large, array), large.length + 2);
  assert.equal(array.length, 0);
});

await test('tensors: made and kept by a kernel', () => {
  const range = ours('range')(5);
  assert(range instanceof Tensor);
  assert.deepEqual([range.dtype, range.shape, Array.from(range.array)], ['int32', [5], [0, 1, 2, 3, 4]]);
  const view = ours('skip_every_second')(range);
  range.release();
  assert.deepEqual(view.shape, [2]);
  assert.match(String(thrown(() => view.array)), /TypeError: the elements of the tensor are not contiguous/);
});

await test('tensors: on another device', () => {
  const error = thrown(() => ours('far_away')((/** @type {any} */ view) => view.array));
  assert.match(String(error), /TypeError: the tensor is on another device/);
});

await test('tensors: memory that grows', () => {
  const tensor = runtime.tensor(new Float32Array([1, 2])), before = tensor.array;
  const pages = runtime.memory.grow(1);
  assert(pages > 0 && before.length === 0);
  assert(thrown(() => apply(() => 0, before)) instanceof TypeError);
  assert.deepEqual(Array.from(tensor.array), [1, 2]);
  assert.equal(builtin('ReprPrint')('still there'), '"still there"');
});

await test('tensors: too large ones are errors', () => {
  for (const shape of [[2 ** 30], [2 ** 31, 2 ** 31]]) {
    assert.match(raised(() => runtime.zeros(shape)).kind, /^(MemoryError|ValueError)$/);
  }
  assert.deepEqual(runtime.zeros([2]).shape, [2]);
});

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
  assert.equal(apply((/** @type {any} */ inner) => inner(1), (/** @type {number} */ x) => apply(add, x, 1)), 2);
});

await test('modules: the system library', () => {
  const library = runtime.systemLibrary();
  assert(library instanceof Module);
  assert.equal(library.find('missing'), null);
  assert.equal(library.doc('missing'), null);
  assert.equal(library.metadata('missing'), null);
  const error = raised(() => library.get('missing'));
  assert.deepEqual([error.kind, error.message], ['AttributeError', 'Module has no function `missing`']);
});

// ---- The generator of the sample ----

await test('emitted kernels: what they compute', () => {
  const image = runtime.tensor(Uint8Array.from({length: 4 * 6 * 5}, (_, i) => (i * 37) % 256), [6, 5, 4]), out = runtime.zeros([6, 5, 4], 'uint8');
  const [gain, offset] = [0.4, -0.1], before = image.array;
  ours('everything')(image, out, gain, offset);
  const after = out.array;
  for (let i = 0; i < before.length; i += 4) {
    const [red, green, blue] = Array.from(before.subarray(i, i + 3), (byte) => byte / 255);
    const low = Math.min(red, green), high = Math.max(Math.abs(red - green), blue);
    const wanted = [Math.sqrt(low) * 2 * gain + offset, Math.exp(-high) / (1 + blue ** 2), 1 - (high - (low - 0.25))];
    wanted.forEach((color, channel) => {
      const byte = 255 * Math.min(Math.max(color, 0), 1);
      assert(Math.abs(after[i + channel] - byte) <= 0.501, `${i}, ${channel}: ${after[i + channel]}, not ${byte}`);
    });
    assert.equal(after[i + 3], before[i + 3]);
  }
  ours('swap')(image, out);
  assert.deepEqual(Array.from(out.array.subarray(0, 4)), [2, 1, 0, 3].map((channel) => image.array[channel]));
});

await test('emitted kernels: what they refuse', () => {
  const image = runtime.zeros([2, 2, 4], 'uint8'), everything = ours('everything');
  assert.match(raised(() => everything(image, image)).message, /Mismatched number of arguments .* Expected 4 but got 2/);
  assert.match(raised(() => everything(image, runtime.zeros([2, 3, 4], 'uint8'), 1, 1)).message, /Expected \[2, 2, 4\] .*got \[2, 3, 4\]/);
  assert.match(raised(() => everything(runtime.zeros([2, 2, 3], 'uint8'), image, 1, 1)).message, /Expected size 4 in dimension 2/);
  assert.equal(raised(() => everything(runtime.zeros([2, 2, 4]), image, 1, 1)).kind, 'TypeError');
  assert.equal(raised(() => everything(image, image, 'text', 1)).kind, 'TypeError');
});

// ---- Errors ----

await test('errors: kind, message, traceback', () => {
  const error = raised(() => builtin('ArrayGetItem')([1], 5));
  assert.deepEqual([error.name, error.kind], ['IndexError', 'IndexError']);
  const lines = error.traceback.split('\n');
  assert.equal(lines[0], 'Traceback (most recent call last):');
  assert.match(lines[1], /^ {2}File "test\.wasm\+0x[0-9a-f]+", in call_builtin$/);
  assert.equal(lines.at(-1), `IndexError: ${error.message}`);
});

await test('errors: their cause', () => {
  const error = raised(ours('fail_with_cause')), {cause} = error;
  assert(cause instanceof TVMFFIError);
  assert.deepEqual([error.kind, error.message, cause.kind, cause.message], ['RuntimeError', 'the effect', 'KeyError', 'the cause']);
});

await test('errors: a failure without one', () => {
  assert.equal(raised(ours('fail_silently')).kind, 'InternalError');
});

await test('errors: what a callback throws comes out', () => {
  for (const exception of [new RangeError('mine'), new TVMFFIError('KeyError', 'mine'), 'a text', null, {kind: 3}]) {
    assert.equal(thrown(() => apply(() => { throw exception; })), exception);
    assert.equal(thrown(() => apply(() => apply(() => { throw exception; }))), exception);
  }
});

await test('errors: recursion without end', async () => {
  const deep = await load(url), list = deep.globalFunction('ffi.Array');
  deep.registerFunction('js.recurse', () => deep.globalFunction('js.recurse')());
  assert(thrown(deep.globalFunction('js.recurse')) instanceof RangeError);
  try {
    assert.deepEqual(list(1), [1]);
  } catch (error) { // the stack ended in WebAssembly
    assert.match(String(error), /an earlier call has stopped this runtime/);
  }
});

await test('errors: a trap stops the runtime', async () => {
  const stopped = await load(url), tensor = stopped.zeros([1]);
  assert(thrown(stopped.globalFunction('test.trap')) instanceof WebAssembly.RuntimeError);
  const error = thrown(() => stopped.globalFunction('ffi.Array')(1));
  assert.match(String(error), /an earlier call has stopped this runtime; load it again/);
  tensor.release();
});

// ---- Lifetimes ----

await test('release: what was released cannot be used', () => {
  const tensor = runtime.zeros([1]), callable = same((/** @type {number} */ x) => x);
  for (const object of [tensor, callable]) {
    assert.equal(object.isReleased, false);
    object.release();
    object.release();
    assert.equal(object.isReleased, true);
  }
  for (const use of [() => tensor.shape, () => tensor.typeKey, () => same(tensor), () => callable(1)]) {
    assert.match(String(thrown(use)), /^ReferenceError: the object was released/);
  }
});

/** Let the collector run, and the tasks that it leaves. */
async function collect() {
  for (let i = 0; i < 3; ++i) {
    gc();
    await sleep(5);
  }
}

await test('collector: wrappers that nobody uses are released', async () => {
  const MEGABYTES = 512;
  for (let i = 0; i < MEGABYTES; ++i) {
    runtime.zeros([1 << 18]);
    if (i % 32 === 31) await collect();
  }
  const size = runtime.memory.buffer.byteLength;
  assert(size < (MEGABYTES << 20) / 4, `the memory has ${size} bytes`);
});

await test('collector: callbacks live as long as the runtime has them', async () => {
  for (const drop of [(/** @type {any} */ kept) => kept.release(), () => 0]) {
    const weak = await (async () => {
      let callback = /** @type {any} */ (() => 'called');
      const found = new WeakRef(callback), kept = same(callback);
      callback = null;
      await collect();
      assert.equal(kept(), 'called');
      drop(kept);
      return found;
    })();
    await collect();
    assert.equal(weak.deref(), undefined);
  }
});

await test('calls leave nothing behind', () => {
  const round = () => {
    const tensor = runtime.zeros([100]);
    apply((/** @type {any} */ a, /** @type {any} */ b) => [a, b, 'a text of some length'], [1, 'two is a longer text'], 2n ** 70n);
    same(tensor).release();
    apply(() => 0, tensor, new Float64Array(50), new Bytes(new Uint8Array(20)));
    raised(() => builtin('ArrayGetItem')([1], 5));
    thrown(() => apply(() => { throw new Error('some message'); }));
    for (const name of ['js.same', 'ffi.Map']) runtime.globalFunction(name).release();
    tensor.release();
  };
  for (let i = 0; i < 500; ++i) round();
  const before = runtime.memory.buffer.byteLength;
  for (let i = 0; i < 20000; ++i) round();
  assert.equal(runtime.memory.buffer.byteLength, before);
});

assert(runtime instanceof Runtime);
