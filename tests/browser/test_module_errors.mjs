// SPDX-License-Identifier: Apache-2.0
// Errors as exceptions, and what stops the runtime.
import assert from 'node:assert/strict';
import {TVMFFIError, load} from '../../demos/browser/tvm_ffi.mjs';
import {test} from './check.mjs';
import {apply, builtin, ours, raised, runtime, thrown, url} from './support.mjs';

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
  assert.deepEqual([error.kind, error.message], ['RuntimeError', 'the effect']);
  assert.deepEqual([cause.kind, cause.message], ['KeyError', 'the cause']);
});

await test('errors: a failure without one', () => {
  assert.equal(raised(ours('fail_silently')).kind, 'InternalError');
});

await test('errors: what a callback throws comes out', () => {
  const thrownValues =
      [new RangeError('mine'), new TVMFFIError('KeyError', 'mine'), 'a text', null, {kind: 3}];
  for (const exception of thrownValues) {
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
