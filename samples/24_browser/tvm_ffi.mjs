// SPDX-License-Identifier: Apache-2.0
// The runtime of the TVM FFI ABI in WebAssembly, for browsers and Node; tvm_ffi.d.mts documents what is exported.
//
//     const runtime = await load(new URL('kernels.wasm', import.meta.url));
//     const softmax = runtime.systemLibrary().get('softmax');
//     const out = runtime.zeros([3]);
//     softmax(runtime.tensor(new Float32Array([1, 2, 3])), 1, out);
//     console.log(out.array);

// ---- The ABI on wasm32: offsets in bytes ----

const ANY = {typeIndex: 0, smallLength: 4, payload: 8, size: 16};
const OBJECT = {typeIndex: 8, size: 24}; // its body follows
const BYTES = {data: 0, length: 4, size: 8};
const SEQUENCE = {data: 0, length: 8};
const ERROR = {kind: 0, message: 8, backtrace: 16, cause: 28, context: 32};
const TYPE_INFO = {key: 8};
const TENSOR = {
  data: 0, deviceType: 4, deviceId: 8, ndim: 12, code: 16, bits: 17, lanes: 18, shape: 20, strides: 24, byteOffset: 32,
  size: 40,
};
const EXTENT_SIZE = 8;
const POINTER_SIZE = 4;
const VERSION_SIZE = 12;
const CPU = 1;

const Type = {
  None: 0, Int: 1, Bool: 2, Float: 3, OpaquePtr: 4, DataType: 5, Device: 6, DLTensorPtr: 7, RawStr: 8, ByteArrayPtr: 9,
  ObjectRValueRef: 10, SmallStr: 11, SmallBytes: 12, FirstObject: 64, Str: 65, Bytes: 66, Error: 67, Function: 68,
  Shape: 69, Tensor: 70, Array: 71, Module: 73, OpaqueFrontendObject: 74, List: 75, BigInt: 78,
};

// Elements of tensors: name, typed array, code and bits of DLPack. Of two arrays for a dtype, tensors give the first.
const ELEMENTS = [
  ['int8', Int8Array, 0, 8], ['int16', Int16Array, 0, 16], ['int32', Int32Array, 0, 32], ['int64', BigInt64Array, 0, 64],
  ['uint8', Uint8Array, 1, 8], ['uint16', Uint16Array, 1, 16], ['uint32', Uint32Array, 1, 32],
  ['uint64', BigUint64Array, 1, 64], ['float32', Float32Array, 2, 32], ['float64', Float64Array, 2, 64],
  ['uint8', Uint8ClampedArray, 1, 8],
].map(([dtype, TypedArray, code, bits]) => ({dtype, TypedArray, code, bits}));

function elementOfArray(value) {
  return ArrayBuffer.isView(value) ? ELEMENTS.find(({TypedArray}) => value instanceof TypedArray) : undefined;
}

function elementOfDtype(dtype) {
  const found = ELEMENTS.find((element) => element.dtype === dtype);
  if (!found) throw new TypeError(`typed arrays have no elements of dtype ${dtype}`);
  return found;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', {ignoreBOM: true}); // a mark at the beginning stays

// ---- What callers see ----

export class TVMFFIError extends Error {
  constructor(kind, message, backtrace = '', options = undefined) {
    super(message, options);
    this.name = this.kind = kind;
    this.backtrace = backtrace;
  }

  get traceback() {
    const frames = this.backtrace.replaceAll(', line 0, ', ', ').split('\n').filter(Boolean).reverse();
    const head = frames.length ? ['Traceback (most recent call last):', ...frames] : [];
    return [...head, `${this.kind}: ${this.message}`].join('\n');
  }
}

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

// What a wrapper refers to. It may own a reference to an object.
class Reference {
  constructor(core, handle) {
    this.core = core;
    this.live = handle;
  }

  get handle() {
    if (this.live === 0) throw new ReferenceError('the object was released');
    return this.live;
  }

  release() {
    const handle = this.live;
    this.live = 0;
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

const release = (wrapper) => references.get(wrapper).release();
const isReleased = (wrapper) => references.get(wrapper).live === 0;

export class FFIObject {
  constructor(core, handle) {
    own(this, core, handle);
  }

  get typeKey() {
    const {core, handle} = references.get(this);
    return core.typeKey(handle);
  }

  get isReleased() {
    return isReleased(this);
  }

  release() {
    release(this);
  }

  toString() {
    return references.get(this).core.callBuiltin('ffi.ReprPrint', [this]);
  }
}

// A DLTensor.
class TensorStruct {
  #core;
  #struct;

  constructor(core, struct) {
    this.#core = core;
    this.#struct = struct;
  }

  #int32(field) {
    return this.#core.view.getInt32(this.#struct + field, true);
  }

  #pointer(field) {
    return this.#core.view.getUint32(this.#struct + field, true);
  }

  get shape() {
    return this.#core.readExtents(this.#pointer(TENSOR.shape), this.#int32(TENSOR.ndim));
  }

  get dtype() {
    return this.#core.readDtype(this.#struct + TENSOR.code);
  }

  get array() {
    const {TypedArray} = elementOfDtype(this.dtype);
    if (this.#int32(TENSOR.deviceType) !== CPU) throw new TypeError('the tensor is on another device');
    const length = this.#contiguousLength();
    const offset = Number(this.#core.view.getBigUint64(this.#struct + TENSOR.byteOffset, true));
    // Memory without elements may begin anywhere.
    return new TypedArray(this.#core.memory.buffer, length === 0 ? 0 : this.#pointer(TENSOR.data) + offset, length);
  }

  #contiguousLength() {
    const shape = this.shape;
    const data = this.#pointer(TENSOR.strides), strides = data && this.#core.readExtents(data, shape.length);
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
class TensorView {
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
function makeCallable(core, handle) {
  const callable = (...args) => core.call(references.get(callable).handle, args);
  callable.release = () => release(callable);
  Object.defineProperty(callable, 'isReleased', {get: () => isReleased(callable)});
  return own(callable, core, handle);
}

const WRAPPERS = new Map([
  [Type.Function, makeCallable],
  [Type.Tensor, (core, handle) => new Tensor(core, handle)],
  [Type.Module, (core, handle) => new Module(core, handle)],
]);

// ---- The memory of one call ----

// A typed array as argument. It notes where the elements are before the call allocates anything: memory that grows
// leaves typed arrays over it empty.
class ArrayArgument {
  constructor(array, memory) {
    new Uint8Array(array.buffer); // throws if the memory has grown since the array was made
    this.array = array;
    this.length = array.length;
    this.data = array.buffer === memory.buffer ? array.byteOffset : null;
  }
}

class Scratch {
  #core;
  #blocks = [];
  #handles = [];
  #copies = [];

  constructor(core) {
    this.#core = core;
  }

  allocate(size) {
    const block = this.#core.wasm.malloc(Math.max(size, 1));
    if (block === 0) throw new TVMFFIError('MemoryError', `no memory for ${size} bytes`);
    this.#blocks.push(block);
    return block;
  }

  // A TVMFFIByteArray.
  bytes(data) {
    const block = this.allocate(BYTES.size + data.length), {view, memory} = this.#core;
    view.setUint32(block + BYTES.data, block + BYTES.size, true);
    view.setUint32(block + BYTES.length, data.length, true);
    new Uint8Array(memory.buffer).set(data, block + BYTES.size);
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

  // A DLTensor.
  tensor({array, length, data}) {
    const struct = this.allocate(TENSOR.size + 2 * EXTENT_SIZE), elements = data ?? this.#copyOf(array);
    this.#core.writeTensor(struct, elementOfArray(array), elements, [length], struct + TENSOR.size);
    return struct;
  }

  // An array that is not in this memory is copied into it, and back when the call has returned.
  #copyOf(array) {
    const known = this.#copies.find((copy) => copy.array === array);
    if (known) return known.data;
    const data = this.allocate(array.byteLength);
    this.#copies.push({array, data});
    this.#elementsAt(data, array).set(array);
    return data;
  }

  #elementsAt(data, {constructor: TypedArray, length}) {
    return new TypedArray(this.#core.memory.buffer, data, length);
  }

  copyBack() {
    for (const {array, data} of this.#copies) array.set(this.#elementsAt(data, array));
  }

  release() {
    for (const handle of this.#handles) this.#core.wasm.TVMFFIObjectDecRef(handle);
    for (const block of this.#blocks) this.#core.wasm.free(block);
  }
}

// ---- Calls and values ----

class Core {
  #view;
  #builtins = new Map();
  #numbered = new Map(); // functions and exceptions that WebAssembly refers to
  #lastNumber = 0;
  #stack = [];
  #trap = null;
  #name;

  constructor(name) {
    this.#name = name;
  }

  imports = {
    call: (number, args, count, result) => this.#callBack(number, args, count, result),
    forget: (number) => { this.#numbered.delete(number); },
    frame: (index, text, capacity) => this.#writeFrame(index, text, capacity),
  };

  start(exports) {
    this.wasm = exports;
    this.memory = exports.memory;
    exports._initialize();
  }

  get isStopped() {
    return this.#trap !== null;
  }

  // The buffer is replaced when the memory grows.
  get view() {
    if (this.#view?.buffer !== this.memory.buffer) this.#view = new DataView(this.memory.buffer);
    return this.#view;
  }

  withScratch(body) {
    const scratch = new Scratch(this);
    try {
      return body(scratch);
    } finally {
      if (!this.isStopped) scratch.release();
    }
  }

  // -- Calling --

  call(handle, args) {
    return this.withScratch((scratch) => this.#take(this.#invoke(handle, args, scratch)));
  }

  callBuiltin(name, args) {
    return this.call(this.#builtin(name), args);
  }

  // Call a function; the result, a value that the caller owns, is in the scratch.
  #invoke(handle, args, scratch, isKept = false) {
    if (this.isStopped) throw new Error('an earlier call has stopped this runtime; load it again', {cause: this.#trap});
    const noted = args.map((arg) => (elementOfArray(arg) ? new ArrayArgument(arg, this.memory) : arg));
    const values = scratch.allocate(ANY.size * (args.length + 1)), result = values + ANY.size * args.length;
    noted.forEach((arg, i) => this.#write(values + ANY.size * i, arg, scratch, isKept));
    this.#writeAny(result, Type.None);
    const code = this.#guard(() => this.wasm.TVMFFIFunctionCall(handle, values, args.length, result));
    scratch.copyBack();
    this.check(code);
    return result;
  }

  // An exception from WebAssembly itself leaves its memory in the middle of something.
  #guard(body) {
    try {
      return body();
    } catch (error) {
      this.#trap = error;
      throw error;
    }
  }

  #builtin(name) {
    if (!this.#builtins.has(name)) this.#builtins.set(name, this.findGlobal(name));
    return this.#builtins.get(name);
  }

  // The handle of a global function, which the caller owns; 0 if there is none.
  findGlobal(name) {
    return this.withScratch((scratch) => {
      const out = scratch.allocate(POINTER_SIZE);
      this.check(this.wasm.TVMFFIFunctionGetGlobal(scratch.text(name), out));
      return this.view.getUint32(out, true);
    });
  }

  setGlobal(name, callback, override) {
    this.withScratch((scratch) => {
      const handle = this.#handleOfFunction(callback, scratch);
      this.check(this.wasm.TVMFFIFunctionSetGlobal(scratch.text(name), handle, override ? 1 : 0));
    });
  }

  // Throw the raised error, if the code says that there is one.
  check(code) {
    if (code === 0) return;
    throw this.withScratch((scratch) => {
      const out = scratch.allocate(POINTER_SIZE);
      this.wasm.TVMFFIErrorMoveFromRaised(out);
      const handle = this.view.getUint32(out, true);
      if (handle === 0) return new TVMFFIError('InternalError', `a function returned ${code} and raised no error`);
      return this.#readError(scratch.own(handle));
    });
  }

  // -- Calls from WebAssembly --

  #keep(value) {
    this.#numbered.set(++this.#lastNumber, value);
    return this.#lastNumber;
  }

  #callBack(number, args, count, result) {
    return this.withScratch((scratch) => {
      let values = [];
      try {
        values = Array.from({length: count}, (_, i) => this.#readBorrowed(args + ANY.size * i));
        const view = scratch.allocate(ANY.size);
        this.#write(view, this.#numbered.get(number)(...values), scratch, true);
        this.check(this.wasm.TVMFFIAnyViewToOwnedAny(view, result));
        return 0;
      } catch (error) {
        if (this.isStopped) throw error;
        this.#raise(error, scratch);
        return -1;
      } finally {
        for (const view of values.filter((value) => value instanceof TensorView)) references.get(view).live = 0;
      }
    });
  }

  // The exception itself is in the error's context, so that the caller gets it back.
  #raise(exception, scratch) {
    const {kind, name = 'RuntimeError', message = exception, backtrace = ''} = Object(exception);
    const [kindText, messageText, backtraceText] = [kind ?? name, message, backtrace].map((text) => scratch.text(String(text)));
    const context = this.#make(scratch, (out) => this.wasm.tvm_ffi_js_exception_create(this.#keep(exception), out));
    this.wasm.TVMFFIErrorSetRaised(this.#make(scratch, (out) => (
      this.wasm.TVMFFIErrorCreateWithCauseAndExtraContext(kindText, messageText, backtraceText, 0, context, out))));
  }

  // The handle of an object that the scratch owns; 0 if it could not be made.
  #make(scratch, make) {
    const out = scratch.allocate(POINTER_SIZE);
    this.view.setUint32(out, 0, true);
    make(out);
    return scratch.own(this.view.getUint32(out, true));
  }

  // -- Backtraces --

  // Write a frame of the stack, as bridge.c asks for it. A character has at most 3 bytes.
  #writeFrame(index, text, capacity) {
    if (index === 0) this.#stack = readStack(this.#name).slice(1);
    if (index >= this.#stack.length) return 0;
    const bytes = encoder.encode(this.#stack[index].map((part) => `${part.slice(0, capacity / 8)}\0`).join(''));
    new Uint8Array(this.memory.buffer).set(bytes, text);
    return 1;
  }

  // -- Writing values --

  #writeAny(any, typeIndex, write = () => {}) {
    const {view} = this;
    view.setInt32(any + ANY.typeIndex, typeIndex, true);
    view.setUint32(any + ANY.smallLength, 0, true);
    view.setBigInt64(any + ANY.payload, 0n, true);
    write(view, any + ANY.payload);
  }

  #writeInt(any, value) {
    this.#writeAny(any, Type.Int, (view, payload) => view.setBigInt64(payload, value, true));
  }

  #writePointer(any, typeIndex, pointer) {
    this.#writeAny(any, typeIndex, (view, payload) => view.setUint32(payload, pointer, true));
  }

  #writeObject(any, handle) {
    this.#writePointer(any, this.view.getInt32(handle + OBJECT.typeIndex, true), handle);
  }

  // Let the runtime make a value of bytes. It may be an object, which the scratch then owns.
  #writeMade(any, make, bytes, scratch) {
    this.check(make(bytes, any));
    const {view} = this;
    if (view.getInt32(any + ANY.typeIndex, true) >= Type.FirstObject) scratch.own(view.getUint32(any + ANY.payload, true));
  }

  // Write an argument. isKept: it may be kept beyond the call, so what only lives that long is refused.
  #write(any, value, scratch, isKept) {
    const {wasm} = this;
    if (value === null || value === undefined) {
      this.#writeAny(any, Type.None);
    } else if (typeof value === 'boolean') {
      this.#writeAny(any, Type.Bool, (view, payload) => view.setUint32(payload, value ? 1 : 0, true));
    } else if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
      this.#writeInt(any, BigInt(value));
    } else if (typeof value === 'number' || value instanceof Float) {
      const number = typeof value === 'number' ? value : value.value;
      this.#writeAny(any, Type.Float, (view, payload) => view.setFloat64(payload, number, true));
    } else if (typeof value === 'bigint') {
      this.#writeMade(any, wasm.TVMFFIBigIntFromByteArray, scratch.bytes(wordsOf(value)), scratch);
    } else if (typeof value === 'string') {
      this.#writeMade(any, wasm.TVMFFIStringFromByteArray, scratch.text(value), scratch);
    } else if (value instanceof Bytes) {
      this.#writeMade(any, wasm.TVMFFIBytesFromByteArray, scratch.bytes(value.data), scratch);
    } else if (value instanceof TensorView && !isKept) {
      this.#writePointer(any, Type.DLTensorPtr, this.#handleOf(value));
    } else if (references.has(value) && !(value instanceof TensorView)) {
      this.#writeObject(any, this.#handleOf(value));
    } else if (typeof value === 'function') {
      this.#writeObject(any, this.#handleOfFunction(value, scratch));
    } else if (Array.isArray(value)) {
      this.#writeObject(any, scratch.own(this.#makeArray(value)));
    } else if (value instanceof ArrayArgument && !isKept) {
      this.#writePointer(any, Type.DLTensorPtr, scratch.tensor(value));
    } else if (value instanceof ArrayArgument || elementOfArray(value) || value instanceof TensorView) {
      throw new TypeError('only a Tensor can be a result or an element, not a typed array or a view');
    } else {
      throw new TypeError(`${Object.prototype.toString.call(value)} is no value of the FFI`);
    }
  }

  // The handle of an Array, which the caller owns.
  #makeArray(elements) {
    return this.withScratch((scratch) => {
      const result = this.#invoke(this.#builtin('ffi.Array'), elements, scratch, true);
      return this.view.getUint32(result + ANY.payload, true);
    });
  }

  #handleOf(wrapper) {
    const {core, handle} = references.get(wrapper);
    if (core !== this) throw new TypeError('the object belongs to another runtime');
    return handle;
  }

  // The handle of a callback, or of a function from here.
  #handleOfFunction(callback, scratch) {
    if (references.has(callback)) return this.#handleOf(callback);
    const out = scratch.allocate(POINTER_SIZE);
    this.check(this.wasm.tvm_ffi_js_function_create(this.#keep(callback), out));
    return scratch.own(this.view.getUint32(out, true));
  }

  // Describe contiguous elements. Extents and strides are written behind one another.
  writeTensor(struct, {code, bits}, data, shape, extents) {
    const {view} = this, strides = extents + EXTENT_SIZE * shape.length;
    view.setUint32(struct + TENSOR.data, data, true);
    view.setInt32(struct + TENSOR.deviceType, CPU, true);
    view.setInt32(struct + TENSOR.deviceId, 0, true);
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

  // -- Reading values --

  #bytesAt(data, length) {
    return new Uint8Array(this.memory.buffer, data, length).slice();
  }

  #lengthOfText(text) {
    return new Uint8Array(this.memory.buffer, text).indexOf(0);
  }

  // The bytes of a TVMFFIByteArray.
  readBytes(array) {
    return this.#bytesAt(this.view.getUint32(array + BYTES.data, true), this.view.getUint32(array + BYTES.length, true));
  }

  readText(array) {
    return decoder.decode(this.readBytes(array));
  }

  readExtents(data, count) {
    return Array.from({length: count}, (_, i) => Number(this.view.getBigInt64(data + EXTENT_SIZE * i, true)));
  }

  readDtype(dtype) {
    return this.withScratch((scratch) => {
      const out = scratch.allocate(ANY.size);
      this.check(this.wasm.TVMFFIDataTypeToString(dtype, out));
      return this.#take(out);
    });
  }

  typeKey(handle) {
    return this.readText(this.wasm.TVMFFIGetTypeInfo(this.view.getInt32(handle + OBJECT.typeIndex, true)) + TYPE_INFO.key);
  }

  #readError(handle) {
    const body = handle + OBJECT.size, {view} = this;
    const context = view.getUint32(body + ERROR.context, true), cause = view.getUint32(body + ERROR.cause, true);
    if (context !== 0 && view.getInt32(context + OBJECT.typeIndex, true) === Type.OpaqueFrontendObject) {
      return this.#numbered.get(view.getUint32(context + OBJECT.size, true));
    }
    const texts = [ERROR.kind, ERROR.message, ERROR.backtrace].map((field) => this.readText(body + field));
    return new TVMFFIError(...texts, cause === 0 ? undefined : {cause: this.#readError(cause)});
  }

  // A value that stays the owner's.
  #readBorrowed(any) {
    const {view} = this, payload = any + ANY.payload;
    const typeIndex = view.getInt32(any + ANY.typeIndex, true), pointer = view.getUint32(payload, true);
    if (typeIndex === Type.DLTensorPtr) return new TensorView(this, pointer);
    if (typeIndex === Type.ByteArrayPtr) return this.readBytes(pointer);
    if (typeIndex === Type.RawStr) return decoder.decode(this.#bytesAt(pointer, this.#lengthOfText(pointer)));
    const handle = typeIndex === Type.ObjectRValueRef ? view.getUint32(pointer, true) : pointer;
    if (typeIndex < Type.FirstObject && typeIndex !== Type.ObjectRValueRef) return this.#readPlain(any, typeIndex);
    this.wasm.TVMFFIObjectIncRef(handle);
    return this.#takeObject(handle);
  }

  // A value that is owned here.
  #take(any) {
    const typeIndex = this.view.getInt32(any + ANY.typeIndex, true);
    if (typeIndex < Type.FirstObject) return this.#readPlain(any, typeIndex);
    return this.#takeObject(this.view.getUint32(any + ANY.payload, true));
  }

  #readPlain(any, typeIndex) {
    const {view} = this, payload = any + ANY.payload;
    const small = () => this.#bytesAt(payload, view.getUint32(any + ANY.smallLength, true));
    switch (typeIndex) {
      case Type.None: return null;
      case Type.Int: return simplify(view.getBigInt64(payload, true));
      case Type.Bool: return view.getUint32(payload, true) !== 0;
      case Type.Float: return view.getFloat64(payload, true);
      case Type.OpaquePtr: return view.getUint32(payload, true);
      case Type.DataType: return this.readDtype(payload);
      case Type.Device: return {type: view.getInt32(payload, true), id: view.getInt32(payload + 4, true)};
      case Type.SmallStr: return decoder.decode(small());
      case Type.SmallBytes: return small();
      default: throw new TypeError(`cannot read a value of type index ${typeIndex}`);
    }
  }

  #takeObject(handle) {
    const typeIndex = this.view.getInt32(handle + OBJECT.typeIndex, true), wrap = WRAPPERS.get(typeIndex);
    if (wrap) return wrap(this, handle);
    try {
      const copy = this.#copyObject(handle, typeIndex);
      if (copy !== undefined) return copy;
      this.wasm.TVMFFIObjectIncRef(handle);
      return new FFIObject(this, handle);
    } finally {
      this.wasm.TVMFFIObjectDecRef(handle);
    }
  }

  // The value of an object as one of JavaScript; undefined if there is none.
  #copyObject(handle, typeIndex) {
    const body = handle + OBJECT.size, {view} = this;
    switch (typeIndex) {
      case Type.Str: return this.readText(body);
      case Type.Bytes: return this.readBytes(body);
      case Type.Error: return this.#readError(handle);
      case Type.Shape:
        return this.readExtents(view.getUint32(body + BYTES.data, true), view.getUint32(body + BYTES.length, true));
      case Type.Array:
      case Type.List: return this.#readSequence(body);
      case Type.BigInt: return this.#readBigInt(handle);
      default: return undefined;
    }
  }

  #readSequence(body) {
    const length = Number(this.view.getBigInt64(body + SEQUENCE.length, true));
    const data = this.view.getUint32(body + SEQUENCE.data, true);
    return Array.from({length}, (_, i) => this.#readBorrowed(data + ANY.size * i));
  }

  #readBigInt(handle) {
    return this.withScratch((scratch) => {
      const any = scratch.allocate(ANY.size), out = scratch.allocate(BYTES.size);
      this.#writeObject(any, handle);
      this.wasm.TVMFFIBigIntGetContentByteArray(out, any);
      const words = new DataView(this.readBytes(out).buffer);
      let value = 0n;
      for (let i = words.byteLength - 8; i >= 0; i -= 8) {
        const word = i === words.byteLength - 8 ? words.getBigInt64(i, true) : words.getBigUint64(i, true);
        value = (value << 64n) + word;
      }
      return value;
    });
  }
}

// An integer as a number, if that is exact.
function simplify(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

// Two's complement words of 64 bits, least significant first.
function wordsOf(value) {
  let count = 1;
  while (BigInt.asIntN(64 * count, value) !== value) ++count;
  const words = BigInt64Array.from({length: count}, (_, i) => BigInt.asIntN(64, value >> BigInt(64 * i)));
  return new Uint8Array(words.buffer);
}

// The frames of WebAssembly on the stack, innermost first: symbol and place. Engines write them in two ways:
// `at symbol (url:wasm-function[1]:0x2)` and `symbol@url:wasm-function[1]:0x2`.
function readStack(name) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const lines = new Error().stack.split('\n');
  Error.stackTraceLimit = limit;
  return lines.map((line) => line.match(/^\s*(?:at )?(.*?)(?: \(|@).*:wasm-function\[\d+\]:(0x[0-9a-f]+)/))
    .filter(Boolean)
    .map(([, symbol, offset]) => [symbol.replace(/^.*\.wasm\./, ''), `${name}+${offset}`]);
}

// ---- Loading ----

export class Runtime {
  #core;

  constructor(core) {
    this.#core = core;
  }

  get memory() {
    return this.#core.memory;
  }

  get version() {
    return this.#core.withScratch((scratch) => {
      const out = scratch.allocate(VERSION_SIZE);
      this.#core.wasm.TVMFFIGetVersion(out);
      return Array.from(new Uint32Array(this.memory.buffer, out, 3)).join('.');
    });
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
    const tensor = this.#allocate(shape, elementOfDtype(dtype)), {array} = tensor;
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).fill(0);
    return tensor;
  }

  tensor(array, shape = [array.length]) {
    const element = elementOfArray(array);
    if (!element) throw new TypeError('a tensor is made of a typed array');
    const length = shape.reduce((product, extent) => product * extent, 1);
    if (length !== array.length) {
      throw new RangeError(`shape [${shape}] has ${length} elements, but the array has ${array.length}`);
    }
    const tensor = this.#allocate(shape, element);
    tensor.array.set(array);
    return tensor;
  }

  #allocate(shape, element) {
    if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
      throw new RangeError(`[${shape}] is no shape: extents are integers from 0`);
    }
    return this.#core.withScratch((scratch) => {
      const struct = scratch.allocate(TENSOR.size + 2 * EXTENT_SIZE * shape.length), out = scratch.allocate(POINTER_SIZE);
      this.#core.writeTensor(struct, element, 0, shape, struct + TENSOR.size);
      this.#core.check(this.#core.wasm.TVMFFIEnvTensorAlloc(struct, out));
      return new Tensor(this.#core, this.#core.view.getUint32(out, true));
    });
  }
}

// The file that the source is from, for backtraces.
function nameOf(source) {
  if (!(source instanceof Response || source instanceof URL || typeof source === 'string')) return 'wasm';
  return (source.url ?? String(source)).replace(/[?#].*$/, '').split('/').pop() || 'wasm';
}

async function compile(given) {
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  if (given instanceof Response) {
    if (!given.ok) throw new Error(`${given.url}: ${given.status} ${given.statusText}`);
    return WebAssembly.compile(await given.arrayBuffer());
  }
  const url = new URL(given, globalThis.document?.baseURI ?? globalThis.location?.href);
  if (url.protocol !== 'file:') return compile(await fetch(url));
  const {readFile} = await import('node:fs/promises'); // fetch() of Node reads no files
  return WebAssembly.compile(await readFile(url));
}

// What the C library imports from WASI. There are no files, no environment and no arguments.
function makeWasi(module, core, print) {
  const SUCCESS = 0, UNSUPPORTED = 52;
  const known = {
    environ_get: () => SUCCESS,
    environ_sizes_get: (count, size) => {
      core.view.setUint32(count, 0, true);
      core.view.setUint32(size, 0, true);
      return SUCCESS;
    },
    fd_write: (file, parts, count, out) => {
      const texts = Array.from({length: count}, (_, i) => core.readBytes(parts + BYTES.size * i));
      print(texts.map((bytes) => decoder.decode(bytes)).join(''), file);
      core.view.setUint32(out, texts.reduce((sum, bytes) => sum + bytes.length, 0), true);
      return SUCCESS;
    },
    proc_exit: (code) => { throw new Error(`the program has ended with ${code}`); },
  };
  const names = WebAssembly.Module.imports(module).filter((entry) => entry.module === 'wasi_snapshot_preview1');
  return Object.fromEntries(names.map(({name}) => [name, known[name] ?? (() => UNSUPPORTED)]));
}

const printToConsole = (text, file) => (file === 2 ? console.error : console.log)(text.replace(/\n$/, ''));

export async function load(source, {print = printToConsole} = {}) {
  const given = await source, module = await compile(given), core = new Core(nameOf(given));
  const instance = await WebAssembly.instantiate(module, {
    tvm_ffi: core.imports,
    wasi_snapshot_preview1: makeWasi(module, core, print),
  });
  core.start(instance.exports);
  return new Runtime(core);
}
