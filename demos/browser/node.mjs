// SPDX-License-Identifier: Apache-2.0
// The same module in Node: node.mjs KERNELS.wasm
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import {TVMFFIError, load} from './tvm_ffi.mjs';

const runtime = await load(pathToFileURL(process.argv[2]));
const kernels = runtime.systemLibrary();

// Tensors lie in the memory of WebAssembly, and kernels write to them there.
const multiply = kernels.get('matmul');
const a = runtime.tensor(new Float32Array([1, 2, 3, 4, 5, 6]), [2, 3]);
const b = runtime.tensor(new Float32Array([1, 0, 0, 1, 2, 2]), [3, 2]);
const product = runtime.zeros([2, 2]);
multiply(a, b, product);
console.log(`matmul: ${product.array.join(' ')}`);

// Other typed arrays are copied in, and copied back when the kernel has returned.
const probabilities = new Float32Array(3);
const greatest = kernels.get('softmax')(new Float32Array([1, 3, 2]), 0.5, probabilities);
console.log(`softmax: ${
    Array.from(probabilities, (p) => p.toFixed(3)).join(' ')}, the greatest score is ${greatest}`);

// Errors are exceptions.
try {
  multiply(a, a, product);
} catch (error) {
  if (!(error instanceof TVMFFIError)) throw error;
  console.log(`${error.kind}: ${error.message}`);
  console.log(`the traceback names the kernel: ${error.traceback.includes('__tvm_ffi_matmul')}`);
}

// Functions of JavaScript are arguments like any other, or global functions.
runtime.registerFunction('demo.shout', (text) => `${text.toUpperCase()}!`);
console.log(`demo.shout: ${runtime.globalFunction('demo.shout')('hello')}`);

// Objects are released when the collector finds them unused, or now.
for (const object of [a, b, product]) object.release();
console.log(`released: ${product.isReleased}`);
