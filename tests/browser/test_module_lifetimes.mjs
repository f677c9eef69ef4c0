// SPDX-License-Identifier: Apache-2.0
// When objects are released.
import assert from 'node:assert/strict';
import {setTimeout as sleep} from 'node:timers/promises';
import {Bytes} from '../../demos/browser/tvm_ffi.mjs';
import {test} from './check.mjs';
import {apply, builtin, raised, runtime, same, thrown} from './support.mjs';

await test('release: what was released cannot be used', () => {
  const tensor = runtime.zeros([1]), callable = same((/** @type {number} */ x) => x);
  for (const object of [tensor, callable]) {
    assert.equal(object.isReleased, false);
    object.release();
    object.release();
    assert.equal(object.isReleased, true);
  }
  const uses =
      [() => tensor.shape, () => tensor.typeKey, () => same(tensor), () => callable(1)];
  for (const use of uses) {
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
    const list = (/** @type {any} */ a, /** @type {any} */ b) => [a, b, 'a text of some length'];
    apply(list, [1, 'two is a longer text'], 2n ** 70n);
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
