// SPDX-License-Identifier: Apache-2.0
// An instance of WebAssembly: calls into it, and calls from it.
import {ANY, EXTENT_SIZE, OBJECT, POINTER_SIZE, TENSOR, TYPE_INFO, VERSION_SIZE} from './abi.mjs';
import {TVMFFIError, readStack} from './error.mjs';
import {Memory, Scratch} from './memory.mjs';
import {TensorView, handleOf, isWrapper} from './objects.mjs';
import {readBorrowed, readError, take} from './read.mjs';
import {writeArguments, writeNone} from './write.mjs';

export class Core {
  #name;
  #trap = null;
  #builtins = new Map();
  #numbered = new Map(); // functions and exceptions that WebAssembly refers to
  #lastNumber = 0;
  #stack = [];

  // The name of the file, for backtraces.
  constructor(name) {
    this.#name = name;
  }

  // What bridge.c imports.
  imports = {
    call: (number, args, count, result) => this.#callBack(number, args, count, result),
    forget: (number) => { this.#numbered.delete(number); },
    frame: (index, text, capacity) => this.#writeFrame(index, text, capacity),
  };

  start(exports) {
    this.wasm = exports;
    this.memory = new Memory(exports.memory);
    exports._initialize();
  }

  withScratch(body) {
    const scratch = new Scratch(this.wasm, this.memory);
    try {
      return body(scratch);
    } finally {
      if (!this.isStopped) scratch.release();
    }
  }

  // ---- Calls into WebAssembly ----

  // Whether a call did not return, so that memory is in the middle of something.
  get isStopped() {
    return this.#trap !== null;
  }

  call(handle, args) {
    return this.withScratch((scratch) => take(this, this.#invoke(handle, args, scratch, false)));
  }

  callBuiltin(name, args) {
    return this.call(this.#builtin(name), args);
  }

  // Call a function. The result, a value that the caller owns, is in the scratch.
  #invoke(handle, args, scratch, isKept) {
    if (this.isStopped)
      throw new Error(
          'an earlier call has stopped this runtime; load it again', {cause: this.#trap});
    const values = scratch.allocate(ANY.size * (args.length + 1)),
          result = values + ANY.size * args.length;
    writeArguments(this, values, args, scratch, isKept);
    writeNone(this.memory, result);
    const code =
        this.#guard(() => this.wasm.TVMFFIFunctionCall(handle, values, args.length, result));
    scratch.copyBack();
    this.check(code);
    return result;
  }

  #guard(body) {
    try {
      return body();
    } catch (error) {
      this.#trap = error;
      throw error;
    }
  }

  // Throw the raised error, if the code says that there is one.
  check(code) {
    if (code === 0) return;
    throw this.withScratch((scratch) => {
      const handle = this.#make(scratch, (out) => this.wasm.TVMFFIErrorMoveFromRaised(out));
      if (handle === 0)
        return new TVMFFIError('InternalError', `a function returned ${code} and raised no error`);
      return readError(this, handle);
    });
  }

  // The handle that a function writes, which the scratch owns; 0 if it writes none.
  #make(scratch, make) {
    const out = scratch.allocate(POINTER_SIZE);
    this.memory.view.setUint32(out, 0, true);
    make(out);
    return scratch.own(this.memory.pointer(out));
  }

  // ---- What is called and made ----

  #builtin(name) {
    if (!this.#builtins.has(name)) this.#builtins.set(name, this.findGlobal(name));
    return this.#builtins.get(name);
  }

  // The handle of a global function, which the caller owns; 0 if there is none.
  findGlobal(name) {
    return this.withScratch((scratch) => {
      const out = scratch.allocate(POINTER_SIZE);
      this.check(this.wasm.TVMFFIFunctionGetGlobal(scratch.text(name), out));
      return this.memory.pointer(out);
    });
  }

  setGlobal(name, callback, override) {
    this.withScratch((scratch) => {
      const handle = this.makeFunction(callback, scratch);
      this.check(this.wasm.TVMFFIFunctionSetGlobal(scratch.text(name), handle, override ? 1 : 0));
    });
  }

  // The handle of a Function that calls a function of JavaScript; that of a wrapper is its own.
  makeFunction(callback, scratch) {
    if (isWrapper(callback)) return handleOf(this, callback);
    return this.#make(
        scratch,
        (out) => this.check(this.wasm.tvm_ffi_js_function_create(this.#keep(callback), out)));
  }

  // The handle of an Array, which the caller owns.
  makeArray(elements) {
    return this.withScratch((scratch) => {
      const result = this.#invoke(this.#builtin('ffi.Array'), elements, scratch, true);
      return this.memory.pointer(result + ANY.payload);
    });
  }

  // The handle of a Tensor, which the caller owns.
  makeTensor(element, shape) {
    return this.withScratch((scratch) => {
      const prototype = scratch.allocate(TENSOR.size + 2 * EXTENT_SIZE * shape.length);
      const out = scratch.allocate(POINTER_SIZE);
      this.memory.writeTensor(prototype, element, 0, shape, prototype + TENSOR.size);
      this.check(this.wasm.TVMFFIEnvTensorAlloc(prototype, out));
      return this.memory.pointer(out);
    });
  }

  readDtype(dtype) {
    return this.withScratch((scratch) => {
      const out = scratch.allocate(ANY.size);
      this.check(this.wasm.TVMFFIDataTypeToString(dtype, out));
      return take(this, out);
    });
  }

  typeKey(handle) {
    return this.memory.text(
        this.wasm.TVMFFIGetTypeInfo(this.memory.int32(handle + OBJECT.typeIndex)) + TYPE_INFO.key);
  }

  get version() {
    return this.withScratch((scratch) => {
      const out = scratch.allocate(VERSION_SIZE);
      this.wasm.TVMFFIGetVersion(out);
      return [0, 4, 8].map((field) => this.memory.int32(out + field)).join('.');
    });
  }

  // ---- Calls from WebAssembly ----

  #keep(value) {
    this.#numbered.set(++this.#lastNumber, value);
    return this.#lastNumber;
  }

  #callBack(number, args, count, result) {
    return this.withScratch((scratch) => {
      let values = [];
      try {
        values = Array.from({length: count}, (_, i) => readBorrowed(this, args + ANY.size * i));
        const view = scratch.allocate(ANY.size);
        writeArguments(this, view, [this.#numbered.get(number)(...values)], scratch, true);
        this.check(this.wasm.TVMFFIAnyViewToOwnedAny(view, result));
        return 0;
      } catch (error) {
        if (this.isStopped) throw error;
        this.#raise(error, scratch);
        return -1;
      } finally {
        values.filter((value) => value instanceof TensorView).forEach(TensorView.expire);
      }
    });
  }

  // The exception itself is in the error's context, so that the caller gets it back.
  #raise(exception, scratch) {
    const {kind, name = 'RuntimeError', message = exception, backtrace = ''} = Object(exception);
    const texts = [kind ?? name, message, backtrace].map((text) => scratch.text(String(text)));
    const context = this.#make(
        scratch, (out) => this.wasm.tvm_ffi_js_exception_create(this.#keep(exception), out));
    this.wasm.TVMFFIErrorSetRaised(this.#make(scratch, (out) => (
      this.wasm.TVMFFIErrorCreateWithCauseAndExtraContext(...texts, 0, context, out))));
  }

  exceptionOf(number) {
    return this.#numbered.get(number);
  }

  // Write a frame of the stack, as bridge.c asks for it.
  #writeFrame(index, text, capacity) {
    if (index === 0) this.#stack = readStack().slice(1); // without the function that asks
    if (index >= this.#stack.length) return 0;
    const {symbol, offset} = this.#stack[index];
    const most = Math.floor(capacity / 8); // of two texts, whose characters have up to 3 bytes
    const texts = [symbol, `${this.#name}+${offset}`].map((part) => `${part.slice(0, most)}\0`);
    new Uint8Array(this.memory.buffer).set(new TextEncoder().encode(texts.join('')), text);
    return 1;
  }
}
