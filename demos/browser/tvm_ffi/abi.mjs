// SPDX-License-Identifier: Apache-2.0
// Structs and numbers of the ABI on wasm32, and the elements of tensors.

// Offsets in bytes.
export const ANY = {typeIndex: 0, smallLength: 4, payload: 8, size: 16};
export const OBJECT = {typeIndex: 8, size: 24}; // its body follows
export const BYTES = {data: 0, length: 4, size: 8};
export const SEQUENCE = {data: 0, length: 8};
export const ERROR = {kind: 0, message: 8, backtrace: 16, cause: 28, context: 32};
export const TYPE_INFO = {key: 8};
export const DEVICE = {type: 0, id: 4};
export const TENSOR = {
  data: 0,
  device: 4,
  ndim: 12,
  code: 16,
  bits: 17,
  lanes: 18,
  shape: 20,
  strides: 24,
  byteOffset: 32,
  size: 40,
};
export const EXTENT_SIZE = 8;
export const POINTER_SIZE = 4;
export const VERSION_SIZE = 12;

export const CPU = 1; // kDLCPU

export const Type = {
  None: 0,
  Int: 1,
  Bool: 2,
  Float: 3,
  OpaquePtr: 4,
  DataType: 5,
  Device: 6,
  DLTensorPtr: 7,
  RawStr: 8,
  ByteArrayPtr: 9,
  ObjectRValueRef: 10,
  SmallStr: 11,
  SmallBytes: 12,
  FirstObject: 64,
  Str: 65,
  Bytes: 66,
  Error: 67,
  Function: 68,
  Shape: 69,
  Tensor: 70,
  Array: 71,
  Module: 73,
  OpaqueFrontendObject: 74,
  List: 75,
  BigInt: 78,
};

// Code and bits are those of DLPack. Of two typed arrays for a dtype, tensors give the first.
const ELEMENTS = [
  ['int8', Int8Array, 0, 8],
  ['int16', Int16Array, 0, 16],
  ['int32', Int32Array, 0, 32],
  ['int64', BigInt64Array, 0, 64],
  ['uint8', Uint8Array, 1, 8],
  ['uint16', Uint16Array, 1, 16],
  ['uint32', Uint32Array, 1, 32],
  ['uint64', BigUint64Array, 1, 64],
  ['float32', Float32Array, 2, 32],
  ['float64', Float64Array, 2, 64],
  ['uint8', Uint8ClampedArray, 1, 8],
].map(([dtype, TypedArray, code, bits]) => ({dtype, TypedArray, code, bits}));

// The element of a typed array; undefined for anything else.
export function elementOfArray(value) {
  return ArrayBuffer.isView(value) ? ELEMENTS.find(({TypedArray}) => value instanceof TypedArray) :
                                     undefined;
}

export function elementOfDtype(dtype) {
  const found = ELEMENTS.find((element) => element.dtype === dtype);
  if (!found) throw new TypeError(`typed arrays have no elements of dtype ${dtype}`);
  return found;
}
