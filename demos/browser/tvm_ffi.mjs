// SPDX-License-Identifier: Apache-2.0
// The runtime of the TVM FFI ABI in WebAssembly, for browsers and Node; tvm_ffi.d.mts documents
// what is exported.
//
//     const runtime = await load(new URL('kernels.wasm', import.meta.url));
//     const softmax = runtime.systemLibrary().get('softmax');
//     const out = runtime.zeros([3]);
//     softmax(runtime.tensor(new Float32Array([1, 2, 3])), 1, out);
//     console.log(out.array);
import {elementOfArray, elementOfDtype} from './tvm_ffi/abi.mjs';
import {compile, makeWasi, nameOf} from './tvm_ffi/compile.mjs';
import {Core} from './tvm_ffi/core.mjs';
import {TVMFFIError} from './tvm_ffi/error.mjs';
import {FFIObject, Module, Tensor, makeCallable} from './tvm_ffi/objects.mjs';
import {Bytes, Float} from './tvm_ffi/write.mjs';

export {Bytes, FFIObject, Float, Module, TVMFFIError, Tensor};

export class Runtime {
  #core;

  constructor(core) {
    this.#core = core;
  }

  get memory() {
    return this.#core.wasm.memory;
  }

  get version() {
    return this.#core.version;
  }

  systemLibrary(prefix = '') {
    return this.#core.callBuiltin('ffi.SystemLib', [prefix]);
  }

  globalFunction(name) {
    const found = this.findGlobalFunction(name);
    if (!found) throw new TVMFFIError('ValueError', `Cannot find global function ${name}`);
    return found;
  }

  findGlobalFunction(name) {
    const handle = this.#core.findGlobal(name);
    return handle === 0 ? null : makeCallable(this.#core, handle);
  }

  registerFunction(name, callback, {override = false} = {}) {
    this.#core.setGlobal(name, callback, override);
  }

  zeros(shape, dtype = 'float32') {
    const tensor = this.#allocate(shape, elementOfDtype(dtype)),
          {buffer, byteOffset, byteLength} = tensor.array;
    new Uint8Array(buffer, byteOffset, byteLength).fill(0);
    return tensor;
  }

  tensor(array, shape = [array.length]) {
    const element = elementOfArray(array);
    if (!element) throw new TypeError('a tensor is made of a typed array');
    const length = shape.reduce((product, extent) => product * extent, 1);
    if (length !== array.length) {
      throw new RangeError(
          `shape [${shape}] has ${length} elements, but the array has ${array.length}`);
    }
    const tensor = this.#allocate(shape, element);
    tensor.array.set(array);
    return tensor;
  }

  #allocate(shape, element) {
    if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
      throw new RangeError(`[${shape}] is no shape: extents are integers from 0`);
    }
    return new Tensor(this.#core, this.#core.makeTensor(element, shape));
  }
}

const printToConsole = (text, file) =>
    (file === 2 ? console.error : console.log)(text.replace(/\n$/, ''));

export async function load(source, {print = printToConsole} = {}) {
  const given = await source, module = await compile(given), core = new Core(nameOf(given));
  const instance = await WebAssembly.instantiate(
      module, {tvm_ffi: core.imports, ...makeWasi(module, core, print)});
  core.start(instance.exports);
  return new Runtime(core);
}
