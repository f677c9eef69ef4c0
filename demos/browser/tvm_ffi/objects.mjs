// SPDX-License-Identifier: Apache-2.0
// Wrappers of objects: each refers to an object of a Core, until it is released or collected.
import {CPU, DEVICE, OBJECT, TENSOR, Type, elementOfDtype} from './abi.mjs';
import {TVMFFIError} from './error.mjs';

// What a wrapper refers to.
class Reference {
  #handle;

  constructor(core, handle) {
    this.core = core;
    this.#handle = handle;
  }

  get isReleased() {
    return this.#handle === 0;
  }

  get handle() {
    if (this.isReleased) throw new ReferenceError('the object was released');
    return this.#handle;
  }

  // Forget the object, and give it back to whoever asks.
  take() {
    const handle = this.#handle;
    this.#handle = 0;
    return handle;
  }

  // For a wrapper that owns its object.
  release() {
    const handle = this.take();
    if (handle !== 0 && !this.core.isStopped) this.core.wasm.TVMFFIObjectDecRef(handle);
  }
}

// By wrapper. Of wrappers that were collected, the references are released some time later.
const references = new WeakMap();
const collected = new FinalizationRegistry((reference) => reference.release());

function own(wrapper, core, handle) {
  const reference = new Reference(core, handle);
  references.set(wrapper, reference);
  collected.register(wrapper, reference);
  return wrapper;
}

export const isWrapper = (value) => references.has(value);

// The handle behind a wrapper, or the DLTensor behind a TensorView.
export function handleOf(core, wrapper) {
  const reference = references.get(wrapper);
  if (reference.core !== core) throw new TypeError('the object belongs to another runtime');
  return reference.handle;
}

export class FFIObject {
  constructor(core, handle) {
    own(this, core, handle);
  }

  get typeKey() {
    const {core, handle} = references.get(this);
    return core.typeKey(handle);
  }

  get isReleased() {
    return references.get(this).isReleased;
  }

  release() {
    references.get(this).release();
  }

  toString() {
    return references.get(this).core.callBuiltin('ffi.ReprPrint', [this]);
  }
}

// ---- Tensors ----

// A DLTensor.
class TensorStruct {
  #core;
  #memory;
  #struct;

  constructor(core, struct) {
    this.#core = core;
    this.#memory = core.memory;
    this.#struct = struct;
  }

  get shape() {
    const memory = this.#memory;
    return memory.extents(
        memory.pointer(this.#struct + TENSOR.shape), memory.int32(this.#struct + TENSOR.ndim));
  }

  get dtype() {
    return this.#core.readDtype(this.#struct + TENSOR.code);
  }

  get array() {
    const {TypedArray} = elementOfDtype(this.dtype), memory = this.#memory;
    const device = memory.int32(this.#struct + TENSOR.device + DEVICE.type);
    if (device !== CPU) throw new TypeError('the tensor is on another device');
    const length = this.#contiguousLength();
    const data = memory.pointer(this.#struct + TENSOR.data) +
        Number(memory.int64(this.#struct + TENSOR.byteOffset));
    return new TypedArray(
        memory.buffer, length === 0 ? 0 : data, length);  // without elements, data may be anything
  }

  #contiguousLength() {
    const shape = this.shape, data = this.#memory.pointer(this.#struct + TENSOR.strides);
    const strides = data === 0 ? null : this.#memory.extents(data, shape.length);
    let length = 1;
    for (let i = shape.length - 1; i >= 0; --i) {
      if (strides && shape[i] > 1 && strides[i] !== length) {
        throw new TypeError('the elements of the tensor are not contiguous');
      }
      length *= shape[i];
    }
    return length;
  }
}

function structOf(tensor) {
  const {core, handle} = references.get(tensor);
  return new TensorStruct(core, tensor instanceof TensorView ? handle : handle + OBJECT.size);
}

// An argument of a callback: a tensor of its caller, of no use once the callback has returned.
export class TensorView {
  constructor(core, struct) {
    references.set(this, new Reference(core, struct));
  }

  get shape() {
    return structOf(this).shape;
  }

  get dtype() {
    return structOf(this).dtype;
  }

  get array() {
    return structOf(this).array;
  }

  static expire(view) {
    references.get(view).take();
  }
}

export class Tensor extends FFIObject {
  get shape() {
    return structOf(this).shape;
  }

  get dtype() {
    return structOf(this).dtype;
  }

  get array() {
    return structOf(this).array;
  }
}

// ---- Modules and functions ----

export class Module extends FFIObject {
  #call(builtin, name) {
    return references.get(this).core.callBuiltin(builtin, [this, name, false]);
  }

  get(name) {
    const found = this.find(name);
    if (!found) throw new TVMFFIError('AttributeError', `Module has no function \`${name}\``);
    return found;
  }

  find(name) {
    return this.#call('ffi.ModuleGetFunction', name);
  }

  doc(name) {
    return this.#call('ffi.ModuleGetFunctionDoc', name);
  }

  metadata(name) {
    const text = this.#call('ffi.ModuleGetFunctionMetadata', name);
    return text === null ? null : JSON.parse(text);
  }
}

// A Function is called like one of JavaScript.
export function makeCallable(core, handle) {
  const callable = (...args) => core.call(references.get(callable).handle, args);
  callable.release = () => references.get(callable).release();
  Object.defineProperty(callable, 'isReleased', {get: () => references.get(callable).isReleased});
  return own(callable, core, handle);
}

// The wrapper of an object, which gets the caller's reference.
export function wrap(core, handle, typeIndex) {
  switch (typeIndex) {
    case Type.Function: return makeCallable(core, handle);
    case Type.Tensor: return new Tensor(core, handle);
    case Type.Module: return new Module(core, handle);
    default: return new FFIObject(core, handle);
  }
}
