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

/* ---- Memory: so that a host can place, bound and count what the runtime allocates ------------ */

typedef struct {
  /** At least size bytes aligned for any type, or NULL: then the operation reports MemoryError. */
  void *(*allocate)(void *context, size_t size);
  /** Returns a block of allocate; never called with NULL. */
  void (*deallocate)(void *context, void *ptr);
  void *context;
} TVMFFIRuntimeMemoryHooks;

/**
 * Send every allocation of the runtime through the host's functions. They must not call the
 * library: some allocations are made under its locks.
 * @param hooks [in] Copied; NULL goes back to malloc and free.
 * Errors: RuntimeError (something is allocated already), ValueError (a function is NULL).
 * Threads: setup; call it before anything else of the library, or after TVMFFIRuntimeShutdown when
 * no object made before is left.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetMemoryHooks(const TVMFFIRuntimeMemoryHooks *hooks);

/* ---- Backtraces: off by default, for walking the stack costs microseconds per raised error --- */

/**
 * Switch the capture of backtraces by raised errors on or off.
 * @param enabled [in] 0 is off, the default.
 * @return The setting before.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetBacktraceEnabled(int enabled);

/** One frame of a stack, innermost first. Texts are borrowed during the visit and may be NULL. */
typedef struct {
  uintptr_t pc;
  /** Mangled or plain; C++ names are demangled where the process has a demangler. */
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
 * Replace the stack walker, say by one that knows files and lines.
 * @param walker  [in] NULL restores the built-in one (execinfo and dladdr; none on some systems).
 * @param context [borrow] Passed to walker.
 * Errors: none.   Threads: any; a walk that is under way ends with the walker it began with.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetStackWalker(TVMFFIRuntimeStackWalker walker, void *context);

/* ---- Log: what the library wants to tell but that is no error. Without a hook it is dropped -- */

enum TVMFFIRuntimeLogLevel TVM_FFI_ENUM_BASE { kTVMFFIRuntimeLogLevelWarning = 1 };
typedef enum TVMFFIRuntimeLogLevel TVMFFIRuntimeLogLevel;

/** @param message [borrow] NUL-terminated, without a newline at the end. */
typedef void (*TVMFFIRuntimeLogHook)(void *context, TVMFFIRuntimeLogLevel level,
                                     const char *message);

/**
 * @param hook    [in] Called without any lock held, from whatever thread has something to tell;
 *                NULL drops messages.
 * @param context [borrow] Passed to hook.
 * Errors: none.   Threads: any; a call that is under way ends with the hook it began with.
 */
TVM_FFI_DLL int TVMFFIRuntimeSetLogHook(TVMFFIRuntimeLogHook hook, void *context);

/* ---- Live objects: so that a host can find a leak -------------------------------------------- */

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

/* ---- Shutdown -------------------------------------------------------------------------------- */

/**
 * Release everything the library holds: global functions, registered types and attributes, this
 * thread's error and streams, tables. For hosts whose leak checker should stay silent; nobody has
 * to call it. Objects the host still holds stay valid and may be released later. The library can
 * be used again afterwards and is as it was at the start; indices of registered types are then
 * given out anew, so clients that cached them must not run again.
 *
 * Errors: none.   Threads: setup; every other thread that used the library has ended.
 */
TVM_FFI_DLL int TVMFFIRuntimeShutdown(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_RUNTIME_API_H_ */
