// SPDX-License-Identifier: Apache-2.0
/** The runtime of the TVM FFI ABI in WebAssembly. */

/** A typed array whose elements have a dtype. */
export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Uint8Array | Uint16Array | Uint32Array | BigUint64Array
  | Uint8ClampedArray | Float32Array | Float64Array;

/** The dtypes that typed arrays have, with the array that a tensor of that dtype gives. */
export interface ArrayOf {
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float32: Float32Array;
  float64: Float64Array;
}

/**
 * What a function takes.
 * - A number that is a safe integer (at most 2^53 - 1) becomes an Int, another one a Float; a Float
 *   object is a Float.
 * - A bigint becomes an Int, or a BigInt if it needs more than 64 bits.
 * - A typed array becomes a tensor of one dimension. One over `Runtime.memory` is not copied; any
 *   other is copied in before the call and back after it, so that the function can write to it.
 * - A function becomes a Function that calls it. What it throws comes out of the call that it
 *   failed.
 * - An array becomes an Array. It cannot have typed arrays as elements, but tensors.
 */
export type Argument =
  | null | undefined | boolean | number | bigint | string | TypedArray | Float | Bytes | FFIObject
  | TensorView<any> | Callback | readonly Argument[];

/**
 * What a function returns. Integers are numbers where that is exact. Arrays, texts, bytes and
 * shapes are copied.
 */
export type Value =
  | null | boolean | number | bigint | string | Uint8Array | Device | TVMFFIError | FFIObject
  | FFIFunction | Value[];

/**
 * A function of yours, which gets values, and a TensorView for a tensor that the caller owns. It
 * returns no typed array and no TensorView.
 */
export type Callback = (...args: any[]) => Argument | void;

/**
 * A Function of the runtime, called like any other. It returns a Value; only you know of which
 * type.
 */
export interface FFIFunction {
  (...args: Argument[]): any;
  /** Give the reference back now, and not when the collector finds the function unused. */
  release(): void;
  readonly isReleased: boolean;
}

/** A device: a number of DLPack (1 is the CPU), and which one of that type. */
export interface Device {
  type: number;
  id: number;
}

/** An error that a function has raised. */
export class TVMFFIError extends Error {
  constructor(kind: string, message: string, backtrace?: string, options?: {cause?: unknown});
  /** Such as `ValueError`; `name` is the same. */
  readonly kind: string;
  /** Frames, the most recent call first. */
  readonly backtrace: string;
  /** The backtrace with the most recent call last, kind and message, as Python prints it. */
  readonly traceback: string;
}

/** A number that is passed as Float even if it is an integer. */
export class Float {
  constructor(value: number);
  readonly value: number;
}

/** Bytes; a Uint8Array as such is a tensor. */
export class Bytes {
  constructor(data: Uint8Array);
  readonly data: Uint8Array;
}

/** A reference to an object of the runtime. */
export class FFIObject {
  protected constructor();
  /** Such as `ffi.Map`. */
  readonly typeKey: string;
  readonly isReleased: boolean;
  /**
   * Give the reference back now, and not when the collector finds the object unused. Then it cannot
   * be used.
   */
  release(): void;
  toString(): string;
}

/** A tensor as a callback gets it: the caller's, and of no use once the callback has returned. */
export interface TensorView<A extends TypedArray = TypedArray> {
  readonly shape: number[];
  readonly dtype: string;
  /**
   * The elements themselves, as a typed array over `Runtime.memory`. Ask again after a call or a
   * new tensor: memory that grows leaves older arrays empty.
   */
  readonly array: A;
}

/** A tensor in the memory of WebAssembly. */
export class Tensor<A extends TypedArray = TypedArray> extends FFIObject implements TensorView<A> {
  private constructor();
  readonly shape: number[];
  readonly dtype: string;
  readonly array: A;
}

/** A module: kernels by name. */
export class Module extends FFIObject {
  private constructor();
  /** A function of the module; throws an AttributeError if there is none of that name. */
  get(name: string): FFIFunction;
  /** The same, or null. */
  find(name: string): FFIFunction | null;
  /** The documentation of a function, if it has any. */
  doc(name: string): string | null;
  /** The metadata of a function, if it has any. */
  metadata(name: string): any;
}

/** A WebAssembly module that runs: the runtime and the kernels that are linked with it. */
export class Runtime {
  private constructor();
  readonly memory: WebAssembly.Memory;
  /** The version of the ABI. */
  readonly version: string;
  /** The kernels whose symbols begin with a prefix. */
  systemLibrary(prefix?: string): Module;
  /** A global function; throws a ValueError if there is none of that name. */
  globalFunction(name: string): FFIFunction;
  /** The same, or null. */
  findGlobalFunction(name: string): FFIFunction | null;
  /** Make a function global, so that kernels can call it by its name. */
  registerFunction(name: string, callback: Callback, options?: {override?: boolean}): void;
  /** A tensor of zeros; `float32` unless you say otherwise. */
  zeros<D extends keyof ArrayOf = 'float32'>(
    shape: readonly number[], dtype?: D): Tensor<ArrayOf[D]>;
  /** A tensor with the elements of a typed array; of one dimension unless you say otherwise. */
  tensor<A extends TypedArray>(
    array: A, shape?: readonly number[]): Tensor<A extends Uint8ClampedArray ? Uint8Array : A>;
}

export interface LoadOptions {
  /** Receives what C code prints to file 1 (output) or 2 (errors); the console without it. */
  print?: (text: string, file: number) => void;
}

/**
 * Load a module and initialise it.
 * @param source A URL (in Node also of a file), a response of fetch(), bytes, or a compiled module.
 */
export function load(
  source: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
  options?: LoadOptions): Promise<Runtime>;
