// SPDX-License-Identifier: Apache-2.0
// A runtime for test_module_*.mjs, which Node runs with --expose-gc and TEST.wasm, linked with
// kernels.c and what emit.py makes of formulas.py. tsc checks them against tvm_ffi.d.mts: what must
// not compile is marked.
import assert from 'node:assert/strict';
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import {TVMFFIError, load} from '../../demos/browser/tvm_ffi.mjs';

export const file = process.argv[2], url = pathToFileURL(file);

/** @type {string[]} */
export const printed = [];
export const runtime = await load(url, {print: (text, to) => printed.push(`${to}: ${text}`)});
export const builtin = (/** @type {string} */ name) => runtime.globalFunction(`ffi.${name}`);
export const ours = (/** @type {string} */ name) => runtime.globalFunction(`test.${name}`);

runtime.registerFunction('js.same', (value) => value);
export const same = runtime.globalFunction('js.same');
runtime.registerFunction('js.apply', (callback, ...args) => callback(...args));
export const apply = runtime.globalFunction('js.apply');

/** What a call throws. */
export function thrown(/** @type {() => unknown} */ body) {
  try {
    body();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

/** The TVMFFIError that a call throws. */
export function raised(/** @type {() => unknown} */ body) {
  const error = thrown(body);
  assert(error instanceof TVMFFIError, String(error));
  return error;
}
