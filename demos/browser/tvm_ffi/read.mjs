// SPDX-License-Identifier: Apache-2.0
// Values of the FFI as values of JavaScript.
import {ANY, BYTES, DEVICE, ERROR, OBJECT, SEQUENCE, Type} from './abi.mjs';
import {TVMFFIError} from './error.mjs';
import {TensorView, wrap} from './objects.mjs';
import {writeObject} from './write.mjs';

// A value that is owned here: its reference is the wrapper's, or is released.
export function take(core, any) {
  const typeIndex = core.memory.int32(any + ANY.typeIndex);
  if (typeIndex < Type.FirstObject) return readPlain(core, any, typeIndex);
  return takeObject(core, core.memory.pointer(any + ANY.payload));
}

// A value that is another's.
export function readBorrowed(core, any) {
  const {memory} = core, typeIndex = memory.int32(any + ANY.typeIndex),
        pointer = memory.pointer(any + ANY.payload);
  switch (typeIndex) {
    case Type.DLTensorPtr: return new TensorView(core, pointer);
    case Type.RawStr: return memory.rawTextAt(pointer);
    case Type.ByteArrayPtr: return memory.bytes(pointer);
    case Type.ObjectRValueRef: return shareObject(core, memory.pointer(pointer));
    default:
      return typeIndex < Type.FirstObject ? readPlain(core, any, typeIndex) :
                                            shareObject(core, pointer);
  }
}

export function readError(core, handle) {
  const {memory} = core, body = handle + OBJECT.size;
  const context = memory.pointer(body + ERROR.context), cause = memory.pointer(body + ERROR.cause);
  if (context !== 0 && memory.int32(context + OBJECT.typeIndex) === Type.OpaqueFrontendObject) {
    return core.exceptionOf(memory.pointer(context + OBJECT.size));
  }
  const texts =
      [ERROR.kind, ERROR.message, ERROR.backtrace].map((field) => memory.text(body + field));
  return new TVMFFIError(...texts, cause === 0 ? undefined : {cause: readError(core, cause)});
}

function readPlain(core, any, typeIndex) {
  const {memory} = core, payload = any + ANY.payload,
        smallLength = memory.pointer(any + ANY.smallLength);
  switch (typeIndex) {
    case Type.None: return null;
    case Type.Int: return simplify(memory.int64(payload));
    case Type.Bool: return memory.int64(payload) !== 0n;
    case Type.Float: return memory.view.getFloat64(payload, true);
    case Type.OpaquePtr: return memory.pointer(payload);
    case Type.DataType: return core.readDtype(payload);
    case Type.Device:
      return {type: memory.int32(payload + DEVICE.type), id: memory.int32(payload + DEVICE.id)};
    case Type.SmallStr: return memory.textAt(payload, smallLength);
    case Type.SmallBytes: return memory.bytesAt(payload, smallLength);
    default: throw new TypeError(`cannot read a value of type index ${typeIndex}`);
  }
}

function shareObject(core, handle) {
  core.wasm.TVMFFIObjectIncRef(handle);
  return takeObject(core, handle);
}

function takeObject(core, handle) {
  const typeIndex = core.memory.int32(handle + OBJECT.typeIndex), read = COPIED.get(typeIndex);
  if (!read) return wrap(core, handle, typeIndex);
  try {
    return read(core, handle);
  } finally {
    core.wasm.TVMFFIObjectDecRef(handle);
  }
}

// Objects that JavaScript has as values of its own.
const COPIED = new Map([
  [Type.Str, ({memory}, handle) => memory.text(handle + OBJECT.size)],
  [Type.Bytes, ({memory}, handle) => memory.bytes(handle + OBJECT.size)],
  [Type.Error, readError],
  [Type.Shape, readShape],
  [Type.Array, readSequence],
  [Type.List, readSequence],
  [Type.BigInt, readBigInt],
]);

function readShape({memory}, handle) {
  const body = handle + OBJECT.size;
  return memory.extents(memory.pointer(body + BYTES.data), memory.pointer(body + BYTES.length));
}

function readSequence(core, handle) {
  const {memory} = core, body = handle + OBJECT.size;
  const data = memory.pointer(body + SEQUENCE.data),
        length = Number(memory.int64(body + SEQUENCE.length));
  return Array.from({length}, (_, i) => readBorrowed(core, data + ANY.size * i));
}

function readBigInt(core, handle) {
  return core.withScratch((scratch) => {
    const any = scratch.allocate(ANY.size), out = scratch.allocate(BYTES.size);
    writeObject(core.memory, any, handle);
    core.wasm.TVMFFIBigIntGetContentByteArray(out, any);
    const words = new BigUint64Array(core.memory.bytes(out).buffer);
    return BigInt.asIntN(
        64 * words.length, words.reduceRight((value, word) => (value << 64n) + word, 0n));
  });
}

// An integer as a number, if that is exact.
function simplify(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
