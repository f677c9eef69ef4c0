/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/extra/c_runtime_api.h
 * What this runtime offers beyond the ABI. Hosts may use it; a kernel that does will not load on
 * another runtime. Contracts are written as in c_api.h.
 */
#ifndef TVM_FFI_EXTRA_C_RUNTIME_API_H_
#define TVM_FFI_EXTRA_C_RUNTIME_API_H_

#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory: lets a host place, bound and count what the runtime allocates ---- */

typedef struct {
  /** At least size bytes aligned for any type, or NULL: then the operation reports MemoryError. */
  void *(*allocate)(void *context, size_t size);
  /** Returns a block of allocate; never called with NULL. */
  void (*deallocate)(void *context, void *ptr);
  void *context;
} TVMFFIRuntimeMemoryHooks;

/**
 * Send every allocation of the runtime through the host's functions, except the blocks of Lists'
 * elements, which clients replace with malloc and free. The functions must not call the library:
 * some allocations are made under its locks.
 * @param hooks [in] Copied; NULL restores malloc and free.
 * Errors: RuntimeError (something is allocated already), ValueError (a function is NULL).
 * Threads: setup; call it before anything else of the library, or after TVMFFIRuntimeShutdown when
 * no object made before is left.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetMemoryHooks(const TVMFFIRuntimeMemoryHooks *hooks);

/* ---- Backtraces: off by default, since walking the stack costs microseconds per error ---- */

/**
 * Switch the capture of backtraces by raised errors on or off.
 * @param enabled [in] 0 is off, the default.
 * @return The setting before.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetBacktraceEnabled(int enabled);

/** One frame of a stack, innermost first. Texts are borrowed during the visit and may be NULL. */
typedef struct {
  uintptr_t pc;
  /** Mangled or plain; C++ names are demangled if the process has a demangler. */
  const char *symbol;
  const char *file;
  int32_t line;
} TVMFFIRuntimeFrame;

/** Receives a frame; non-zero ends the walk. */
typedef int (*TVMFFIRuntimeFrameVisitor)(void *visitor_context, const TVMFFIRuntimeFrame *frame);

/** Walks the stack of the calling thread, innermost frame (its own caller's) first. */
typedef void (*TVMFFIRuntimeStackWalker)(void *context, TVMFFIRuntimeFrameVisitor visitor,
                                         void *visitor_context);

/**
 * Replace the stack walker, for example with one that knows files and lines.
 * @param walker  [in] NULL restores the built-in one (execinfo and dladdr; none on some systems).
 * @param context [borrow] Passed to walker.
 * Errors: none.   Threads: any; a walk that is under way ends with the walker it began with.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetStackWalker(TVMFFIRuntimeStackWalker walker, void *context);

/* ---- Log: messages that are not errors, dropped without a hook ---- */

enum TVMFFIRuntimeLogLevel TVM_FFI_ENUM_BASE { kTVMFFIRuntimeLogLevelWarning = 1 };
typedef enum TVMFFIRuntimeLogLevel TVMFFIRuntimeLogLevel;

/** @param message [borrow] NUL-terminated UTF-8, without a newline at the end. */
typedef void (*TVMFFIRuntimeLogHook)(void *context, TVMFFIRuntimeLogLevel level,
                                     const char *message);

/**
 * @param hook    [in] Called without any lock held, from any thread that has a message; NULL drops
 *                messages.
 * @param context [borrow] Passed to hook.
 * Errors: none.   Threads: any; a call that is under way ends with the hook it began with.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetLogHook(TVMFFIRuntimeLogHook hook, void *context);

/* ---- Texts of values ---- */

/**
 * Set the maximum length of the text that ReprPrint and JSON make of one value. A shared part is
 * repeated wherever it occurs, so the text of a value of a few hundred bytes may not fit into
 * memory. JSON graphs (ToJSONGraphString) have each object once, and no limit.
 * @param num_bytes [in] A text that would be longer is a ValueError; 0 restores the default, 2^30.
 * @return The limit before.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL uint64_t TVMFFIRuntimeSetTextLimit(uint64_t num_bytes);

/* ---- Modules written in C ---- */

/** Bits of a module's property mask. */
enum TVMFFIRuntimeModuleProperty TVM_FFI_ENUM_BASE {
  /** It can be saved to bytes, from which its kind's loader restores the module. */
  kTVMFFIRuntimeModuleBinarySerializable = 1,
  /** Its functions can be called. */
  kTVMFFIRuntimeModuleRunnable = 2,
  /** It is source or object code, to be compiled into the library when it is exported. */
  kTVMFFIRuntimeModuleCompilationExportable = 4
};
typedef enum TVMFFIRuntimeModuleProperty TVMFFIRuntimeModuleProperty;

/**
 * The behaviour of a kind of module. One table, usually static const, serves all modules of a kind.
 *
 * self is what the module was made with. Callbacks return 0, or another code with this thread's
 * error set; they may be called from several threads at a time, and no lock of the library is held
 * while they run. Texts are UTF-8 and not NUL-terminated unless stated. *out is None or NULL when a
 * callback is entered. All callbacks but get_function may be NULL; each comment says what happens
 * then.
 */
typedef struct TVMFFIRuntimeModuleVTable {
  /** sizeof(TVMFFIRuntimeModuleVTable): later versions can append members. */
  size_t struct_size;
  /** NUL-terminated, not empty, not `_lib`. Names the loader of its bytes. */
  const char *kind;
  /** Bits of TVMFFIRuntimeModuleProperty; nothing assumes a bit that is not set. */
  int32_t property_mask;
  /**
   * @param module [borrow] The module itself, for functions that keep it alive.
   * @param out    [own] A Function, or NULL when there is none of that name.
   */
  int (*get_function)(void *self, TVMFFIObjectHandle module, const TVMFFIByteArray *name,
                      TVMFFIObjectHandle *out);
  /** @param out Non-zero when there is such a function. NULL: whether get_function gives one. */
  int (*implements_function)(void *self, const TVMFFIByteArray *name, int *out);
  /** @param out [own] A text of metadata JSON, or None. NULL: there is none. */
  int (*get_function_metadata)(void *self, const TVMFFIByteArray *name, TVMFFIAny *out);
  /** @param out [own] A text, or None. NULL: there is none. */
  int (*get_function_doc)(void *self, const TVMFFIByteArray *name, TVMFFIAny *out);
  /** @param out [own] Bytes, not empty. NULL: RuntimeError. */
  int (*save_to_bytes)(void *self, TVMFFIAny *out);
  /** path and format are NUL-terminated. NULL: RuntimeError. */
  int (*write_to_file)(void *self, const TVMFFIByteArray *path, const TVMFFIByteArray *format);
  /** The formats that write_to_file knows, NULL at the end. NULL: none. */
  const char *const *write_formats;
  /** @param out [own] The source as a text. NULL: an empty text. */
  int (*inspect_source)(void *self, const TVMFFIByteArray *format, TVMFFIAny *out);
  /**
   * Called once, when the last reference is gone and before the module's imports are released.
   * NULL: nothing to do.
   */
  void (*destroy)(void *self);
} TVMFFIRuntimeModuleVTable;

/**
 * Make a module whose behaviour is given by a table of callbacks. C++ code built for the ABI can
 * call it like any other module.
 *
 * @param vtable [borrow] Must stay, unchanged, as long as any module made with it.
 * @param self   [take on 0] Passed to every callback; may be NULL.
 * @param out    [own] The Module.
 * Errors: ValueError (struct_size is smaller than this header's; kind or get_function is NULL; kind
 * is empty or `_lib`), memory.   Threads: any.
 * Sample: samples/07_custom_module
 */
TVM_FFI_DLL int TVMFFIRuntimeModuleCreate(const TVMFFIRuntimeModuleVTable *vtable, void *self,
                                          TVMFFIObjectHandle *out);

/**
 * Get the self of a module made with TVMFFIRuntimeModuleCreate.
 * @param module [borrow] A Module.
 * @param vtable [in] What it must have been made with.
 * @param out    [lend] Its self, as long as the module lives.
 * Errors: TypeError (no module made with this vtable).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeModuleGetSelf(TVMFFIObjectHandle module,
                                           const TVMFFIRuntimeModuleVTable *vtable, void **out);

/**
 * Pack a module and all it imports into the bytes that a library embeds under the symbol
 * `__tvm_ffi__library_bin`: loading such a library restores the tree.
 *
 * The modules of one loaded library, and those that are compilation-exportable, become modules of
 * the library that will embed the bytes, which then has their code. All others must be
 * binary-serializable.
 *
 * @param root [borrow] A Module. Neither it nor its imports are changed; no other thread may change
 *             the imports meanwhile.
 * @param out  [own] Bytes.
 * Errors: TypeError (root is not a Module), RuntimeError (a module that cannot be serialized, or
 * saves nothing; modules of two libraries), any (save_to_bytes), memory.   Threads: any.
 * Sample: samples/08_embedded_modules
 */
TVM_FFI_DLL int TVMFFIRuntimeModulePack(TVMFFIObjectHandle root, TVMFFIAny *out);

/* ---- Kernels from other languages ----
 * With TVMFFIFunctionCall and TVMFFIObjectDecRef, all that a program needs if it looks functions up
 * by name (dlsym) and so cannot use the inline helpers of tvm/ffi/c.h. tvm_ffi_cdef.h of
 * tools/amalgamate declares them for such programs.
 * Sample: samples/31_other_languages */

/**
 * Load a module file: a shared library, or whatever a loader is registered for.
 * @param path [borrow] A name without a slash is searched by the system's loader, which does not
 *             look in the current folder: write "./kernel.so".
 * @param out  [own] A Module. Its functions keep the library loaded.
 * Errors: RuntimeError (no loader for such files), InternalError (the system cannot load it),
 * ValueError, memory, any (loaders, constructors of the library).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeModuleLoad(const char *path, TVMFFIObjectHandle *out);

/**
 * Get a function of a module, which must exist. Its imports are not searched.
 * @param module [borrow] A Module.
 * @param name   [borrow] As exported: `scale` for the symbol `__tvm_ffi_scale`.
 * @param out    [own] A Function.
 * Errors: AttributeError ``Module has no function `<name>` ``, TypeError (not a Module),
 * ValueError, memory, any (custom modules).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeModuleGetFunction(TVMFFIObjectHandle module, const char *name,
                                               TVMFFIObjectHandle *out);

/**
 * Take the error of this thread, write it into a buffer as `<kind>: <message>`, then a line
 * `caused by <kind>: <message>` per cause, and release it. Without an error it is `(no error)`.
 * Call it in the thread in which the call failed.
 * @param buffer   [out] Always NUL-terminated when capacity is not 0. Longer text is truncated
 *                 after a whole UTF-8 character.
 * @param capacity [in] Bytes. 0 leaves the error where it is, so that the text can be measured;
 *                 buffer may be NULL then.
 * @return The length of the whole text, as snprintf.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL size_t TVMFFIRuntimeErrorTake(char *buffer, size_t capacity);

/* ---- Unloading kernel libraries ---- */

/**
 * Allow the runtime to unload the library of a module. Otherwise a library stays loaded until the
 * process ends, because its code may be in use in ways that the runtime does not see.
 *
 * The library is unloaded when the last of its modules is gone: the modules of every load of the
 * file count, and a function holds its module. The last reference must not be released by code of
 * the library. The caller promises that from then on nothing else needs the library or others
 * loaded because of it:
 * - No object whose deleter is in the library: a Function that it made with TVMFFIFunctionCreate, a
 *   Tensor over memory of its own, an object or a module of its own class. Objects that the runtime
 *   made for it may live on: texts, bytes, containers, shapes, errors, tensors of
 *   TVMFFIEnvTensorAlloc.
 * - No pointer to its code or data: hooks, allocators, context symbols, symbols of the system
 *   library, raw texts, signal handlers, keys of thread-local data.
 * - No thread, and no kernel on a device, that runs its code. The runtime cannot detect a thread
 *   that the library started: if it still runs, the process crashes as soon as its code is gone. A
 *   library with threads needs a kernel that ends and joins them, which the host calls first;
 *   otherwise do not unload it. The runtime itself checks global functions and types, but not
 *   inside containers that they hold: while one of them needs the library, it stays loaded, and the
 *   log hook gets the reason. It also stays loaded if something else keeps it: another library, `-z
 *   nodelete`, unique C++ symbols; then allow it again after the next load.
 *
 * @param module [borrow] A module of a library file; this is for all modules of the file. Nothing
 *                        is done for one of libtvm_ffi_isolated, which ends its process by itself.
 * Errors: TypeError (not a module of a library file), RuntimeError (a global function or a type
 * needs the library; the system does not report where its code is).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeModuleAllowUnload(TVMFFIObjectHandle module);

/* ---- Context symbols: for compilers' runtimes that load code themselves ---- */

/**
 * Receives a symbol and the pointer that it was registered with; non-zero ends the visit.
 * @param name [lend] NUL-terminated, until TVMFFIRuntimeShutdown.
 */
typedef int (*TVMFFIRuntimeContextSymbolVisitor)(void *context, const char *name, void *symbol);

/**
 * Visit the symbols given to TVMFFIEnvModRegisterContextSymbol, in the order in which
 * their names were first registered, each with its last pointer. The visitor may register symbols,
 * which are visited too.
 * @param context [borrow] Passed to visitor.
 * @return 0, or the non-zero code by which the visitor ended the visit.
 * Errors: ValueError (visitor is NULL), any (visitor).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeContextSymbolVisit(TVMFFIRuntimeContextSymbolVisitor visitor,
                                                void *context);

/* ---- Live objects: lets a host find leaks ---- */

/**
 * Count the objects that this library makes from now on. Switching it on again starts at zero.
 * @param enabled [in] 0 stops and forgets.
 * Errors: none.   Threads: any. While on, making and destroying objects takes a lock.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetLiveObjectCounting(int enabled);

/**
 * How many objects made since counting was switched on are alive.
 * @param type_index [in] Objects of exactly this type; kTVMFFIAny counts all.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL int64_t TVMFFIRuntimeGetLiveObjectCount(int32_t type_index);

/* ---- Shutdown ---- */

/**
 * Release everything the library holds: global functions, registered types and attributes, this
 * thread's error and streams, tables. For hosts that want no reports from a leak checker; calling
 * it is never required. Objects the host still holds stay valid and may be released later. The
 * library can be used again afterwards, in its initial state; indices of registered types are then
 * assigned anew, so clients that cached them must not run again.
 *
 * Errors: none.   Threads: setup; every other thread that used the library has ended.
 */
TVM_FFI_DLL int TVMFFIRuntimeShutdown(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_RUNTIME_API_H_ */
