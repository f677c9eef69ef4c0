// SPDX-License-Identifier: Apache-2.0
// Values of JavaScript as values of the FFI.
import {ANY, OBJECT, Type, elementOfArray} from './abi.mjs';
import {TensorView, handleOf, isWrapper} from './objects.mjs';

export class Float {
  constructor(value) {
    this.value = Number(value);
  }
}

export class Bytes {
  constructor(data) {
    this.data = data;
  }
}

// A typed array as argument. It notes where the elements are before the call allocates anything:
// memory that grows leaves typed arrays over it empty. Elements elsewhere have to be copied.
class ArrayArgument {
  constructor(array, buffer) {
    new Uint8Array(array.buffer); // throws if the memory has grown since the array was made
    this.array = array;
    this.length = array.length;
    this.data = array.buffer === buffer ? array.byteOffset : null;
  }
}

// Write arguments one after the other, for the time of a call. isKept: the callee keeps them, as
// elements or results.
export function writeArguments(core, values, args, scratch, isKept) {
  const noted =
      args.map((arg) => (elementOfArray(arg) ? new ArrayArgument(arg, core.memory.buffer) : arg));
  noted.forEach((arg, i) => write(core, values + ANY.size * i, arg, scratch, isKept));
}

function write(core, any, value, scratch, isKept) {
  const {memory, wasm} = core;
  if (value === null || value === undefined) {
    writeNone(memory, any);
  } else if (typeof value === 'boolean') {
    writePlain(
        memory, any, Type.Bool, (view, payload) => view.setUint32(payload, value ? 1 : 0, true));
  } else if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    writePlain(
        memory, any, Type.Int, (view, payload) => view.setBigInt64(payload, BigInt(value), true));
  } else if (typeof value === 'number') {
    writePlain(memory, any, Type.Float, (view, payload) => view.setFloat64(payload, value, true));
  } else if (value instanceof Float) {
    writePlain(
        memory, any, Type.Float, (view, payload) => view.setFloat64(payload, value.value, true));
  } else if (typeof value === 'bigint') {
    writeMade(core, any, wasm.TVMFFIBigIntFromByteArray, scratch.bytes(wordsOf(value)), scratch);
  } else if (typeof value === 'string') {
    writeMade(core, any, wasm.TVMFFIStringFromByteArray, scratch.text(value), scratch);
  } else if (value instanceof Bytes) {
    writeMade(core, any, wasm.TVMFFIBytesFromByteArray, scratch.bytes(value.data), scratch);
  } else if (value instanceof ArrayArgument || value instanceof TensorView) {
    if (isKept)
      throw new TypeError(
          'only a Tensor can be a result or an element, not a typed array or a view');
    const struct = value instanceof TensorView ? handleOf(core, value) : scratch.tensor(value);
    writePointer(memory, any, Type.DLTensorPtr, struct);
  } else if (isWrapper(value)) {
    writeObject(memory, any, handleOf(core, value));
  } else if (typeof value === 'function') {
    writeObject(memory, any, core.makeFunction(value, scratch));
  } else if (Array.isArray(value)) {
    writeObject(memory, any, scratch.own(core.makeArray(value)));
  } else {
    throw new TypeError(`${Object.prototype.toString.call(value)} is no value of the FFI`);
  }
}

function writePlain(memory, any, typeIndex, write) {
  const {view} = memory;
  view.setInt32(any + ANY.typeIndex, typeIndex, true);
  view.setUint32(any + ANY.smallLength, 0, true);
  view.setBigInt64(any + ANY.payload, 0n, true);
  write(view, any + ANY.payload);
}

export function writeNone(memory, any) {
  writePlain(memory, any, Type.None, () => {});
}

function writePointer(memory, any, typeIndex, pointer) {
  writePlain(memory, any, typeIndex, (view, payload) => view.setUint32(payload, pointer, true));
}

export function writeObject(memory, any, handle) {
  writePointer(memory, any, memory.int32(handle + OBJECT.typeIndex), handle);
}

// Let the runtime make a value of bytes. It may be an object, which the scratch then owns.
function writeMade(core, any, make, bytes, scratch) {
  core.check(make(bytes, any));
  if (core.memory.int32(any + ANY.typeIndex) >= Type.FirstObject)
    scratch.own(core.memory.pointer(any + ANY.payload));
}

// Two's complement words of 64 bits, least significant first.
function wordsOf(value) {
  let count = 1;
  while (BigInt.asIntN(64 * count, value) !== value) ++count;
  const words =
      BigInt64Array.from({length: count}, (_, i) => BigInt.asIntN(64, value >> BigInt(64 * i)));
  return new Uint8Array(words.buffer);
}
