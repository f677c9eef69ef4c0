// SPDX-License-Identifier: Apache-2.0
// Tensors, and typed arrays as arguments.
import assert from 'node:assert/strict';
import {Tensor} from '../../demos/browser/tvm_ffi.mjs';
import {test} from './check.mjs';
import {apply, builtin, ours, raised, runtime, thrown} from './support.mjs';

await test('tensors: every dtype', () => {
  /** @type {import('../../demos/browser/tvm_ffi.mjs').TypedArray[]} */
  const arrays = [
    new Int8Array([1, -2]),
    new Int16Array([1, -2]),
    new Int32Array([1, -2]),
    new BigInt64Array([1n, -2n]),
    new Uint8Array([1, 2]),
    new Uint16Array([1, 2]),
    new Uint32Array([1, 2]),
    new BigUint64Array([1n, 2n]),
    new Float32Array([1, 2.5]),
    new Float64Array([1, 2.5]),
  ];
  const dtypes = [
    'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64'
  ];
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
  assert.throws(
      () => runtime.tensor(new Int8Array(5), [2, 3]),
      /RangeError: shape \[2,3\] has 6 elements, but the array has 5/);
  for (const shape of [[-1], [1.5], [NaN]])
    assert.throws(() => runtime.zeros(shape), /RangeError: .* is no shape/);
  // @ts-expect-error
  const makeFloat16 = () => runtime.zeros([1], 'float16');
  assert.throws(makeFloat16, /TypeError: typed arrays have no elements of dtype float16/);
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
  apply((/** @type {import('../../demos/browser/tvm_ffi.mjs').TensorView} */ view) => {
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
    view.array.forEach((/** @type {number} */ x, /** @type {number} */ i) => {
      view.array[i] = x + 1;
    });
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
  const {array} = runtime.tensor(new Int32Array([1, 2])),
        large = new Uint8Array(runtime.memory.buffer.byteLength + 1);
  const sum =
      apply((/** @type {any} */ a, /** @type {any} */ b) => a.shape[0] + b.array[1], large, array);
  assert.equal(sum, large.length + 2);
  assert.equal(array.length, 0);
});

await test('tensors: made and kept by a kernel', () => {
  const range = ours('range')(5);
  assert(range instanceof Tensor);
  assert.deepEqual(
      [range.dtype, range.shape, Array.from(range.array)], ['int32', [5], [0, 1, 2, 3, 4]]);
  const view = ours('skip_every_second')(range);
  range.release();
  assert.deepEqual(view.shape, [2]);
  assert.match(
      String(thrown(() => view.array)), /TypeError: the elements of the tensor are not contiguous/);
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
