// SPDX-License-Identifier: Apache-2.0
// The memory of WebAssembly: reading structs, and memory for the time of a call.
import {BYTES, CPU, DEVICE, EXTENT_SIZE, TENSOR, elementOfArray} from './abi.mjs';
import {TVMFFIError} from './error.mjs';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', {ignoreBOM: true}); // a byte order mark is text, too

export class Memory {
  #memory;
  #view;

  constructor(memory) {
    this.#memory = memory;
  }

  get buffer() {
    return this.#memory.buffer;
  }

  // The buffer is replaced when the memory grows, so a view is good until the next call into
  // WebAssembly.
  get view() {
    if (this.#view?.buffer !== this.buffer) this.#view = new DataView(this.buffer);
    return this.#view;
  }

  int32(address) {
    return this.view.getInt32(address, true);
  }

  int64(address) {
    return this.view.getBigInt64(address, true);
  }

  pointer(address) {
    return this.view.getUint32(address, true);
  }

  // A copy.
  bytesAt(data, length) {
    return new Uint8Array(this.buffer, data, length).slice();
  }

  textAt(data, length) {
    return decoder.decode(this.bytesAt(data, length));
  }

  // Text that ends with a NUL.
  rawTextAt(data) {
    return this.textAt(data, new Uint8Array(this.buffer, data).indexOf(0));
  }

  // The content of a TVMFFIByteArray.
  bytes(array) {
    return this.bytesAt(this.pointer(array + BYTES.data), this.pointer(array + BYTES.length));
  }

  text(array) {
    return decoder.decode(this.bytes(array));
  }

  extents(data, count) {
    return Array.from({length: count}, (_, i) => Number(this.int64(data + EXTENT_SIZE * i)));
  }

  // Describe contiguous elements as a DLTensor. Extents, and behind them strides, are written to
  // `extents`.
  writeTensor(struct, {code, bits}, data, shape, extents) {
    const {view} = this, strides = extents + EXTENT_SIZE * shape.length;
    view.setUint32(struct + TENSOR.data, data, true);
    view.setInt32(struct + TENSOR.device + DEVICE.type, CPU, true);
    view.setInt32(struct + TENSOR.device + DEVICE.id, 0, true);
    view.setInt32(struct + TENSOR.ndim, shape.length, true);
    view.setUint8(struct + TENSOR.code, code);
    view.setUint8(struct + TENSOR.bits, bits);
    view.setUint16(struct + TENSOR.lanes, 1, true);
    view.setUint32(struct + TENSOR.shape, extents, true);
    view.setUint32(struct + TENSOR.strides, strides, true);
    view.setBigUint64(struct + TENSOR.byteOffset, 0n, true);
    let stride = 1;
    for (let i = shape.length - 1; i >= 0; --i) {
      view.setBigInt64(extents + EXTENT_SIZE * i, BigInt(shape[i]), true);
      view.setBigInt64(strides + EXTENT_SIZE * i, BigInt(stride), true);
      stride *= shape[i];
    }
  }
}

// Memory and objects for the time of a call.
export class Scratch {
  #wasm;
  #memory;
  #blocks = [];
  #handles = [];
  #copies = [];

  constructor(wasm, memory) {
    this.#wasm = wasm;
    this.#memory = memory;
  }

  allocate(size) {
    const block = this.#wasm.malloc(Math.max(size, 1));
    if (block === 0) throw new TVMFFIError('MemoryError', `no memory for ${size} bytes`);
    this.#blocks.push(block);
    return block;
  }

  // A TVMFFIByteArray.
  bytes(data) {
    const block = this.allocate(BYTES.size + data.length), {view} = this.#memory;
    view.setUint32(block + BYTES.data, block + BYTES.size, true);
    view.setUint32(block + BYTES.length, data.length, true);
    new Uint8Array(view.buffer).set(data, block + BYTES.size);
    return block;
  }

  text(string) {
    return this.bytes(encoder.encode(string));
  }

  // Release an object at the end of the call.
  own(handle) {
    this.#handles.push(handle);
    return handle;
  }

  // A DLTensor of `length` elements: those at `data`, or if that is null a copy of the array.
  tensor({array, length, data}) {
    const struct = this.allocate(TENSOR.size + 2 * EXTENT_SIZE),
          elements = data ?? this.#copyOf(array);
    this.#memory.writeTensor(
        struct, elementOfArray(array), elements, [length], struct + TENSOR.size);
    return struct;
  }

  #copyOf(array) {
    const known = this.#copies.find((copy) => copy.array === array);
    if (known) return known.data;
    const data = this.allocate(array.byteLength);
    this.#copies.push({array, data});
    this.#elementsAt(data, array).set(array);
    return data;
  }

  #elementsAt(data, {constructor: TypedArray, length}) {
    return new TypedArray(this.#memory.buffer, data, length);
  }

  // Copy back what was copied for a call.
  copyBack() {
    for (const {array, data} of this.#copies) array.set(this.#elementsAt(data, array));
  }

  release() {
    for (const handle of this.#handles) this.#wasm.TVMFFIObjectDecRef(handle);
    for (const block of this.#blocks) this.#wasm.free(block);
  }
}
