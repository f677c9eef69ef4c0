/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/host.h
 * For programs that call kernels: a cache of functions, interrupting kernels, the floating-point
 * state around a call, threads with deadlines. Not part of c.h, so that kernels do not compile it:
 * it needs the headers of the system for locks and files.
 *
 *     static tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;
 *
 *     TVM_FFI_C_TRY(tvm_ffi_function_cache_get(&cache, "/usr/lib/kernels/scale.so", "scale", &f));
 *     code = tvm_ffi_function_call(f, args, 2, &result);
 *     tvm_ffi_object_release(f);
 */
#ifndef TVM_FFI_C_HOST_H_
#define TVM_FFI_C_HOST_H_

#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/handle_table.h>
#include <tvm/ffi/c/module.h>
#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#elif defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <sys/stat.h>
#endif
#if !(defined(__GNUC__) && (defined(__SSE__) || defined(__aarch64__)))
#include <fenv.h>
#endif

/* ---- A cache of functions ---- */

#if defined(_WIN32)
typedef SRWLOCK tvm_ffi_detail_lock;
#define TVM_FFI_C_DETAIL_LOCK_INIT SRWLOCK_INIT
#elif defined(__unix__) || defined(__APPLE__)
typedef pthread_mutex_t tvm_ffi_detail_lock;
#define TVM_FFI_C_DETAIL_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#else /* one thread */
typedef int tvm_ffi_detail_lock;
#define TVM_FFI_C_DETAIL_LOCK_INIT 0
#endif

enum { TVM_FFI_C_CACHE_LISTS = 64 };

/** Functions by the path of their library and their name. */
typedef struct {
  /**
   * Called with each module when it has been loaded; NULL: nothing to do. A host that loads
   * replaced files sets it to TVMFFIRuntimeModuleAllowUnload (this runtime only): otherwise every
   * library that it ever loaded stays in memory. That function documents what must be gone; it
   * refuses libraries that register global functions or types, which then cannot be used through
   * this cache.
   * @return 0, or another code with an error raised: the function is not cached.
   */
  int (*on_load)(TVMFFIObjectHandle module);
  /** Internal: held for the few instructions of a look-up, never while foreign code runs. */
  tvm_ffi_detail_lock lock;
  struct tvm_ffi_detail_library *libraries;
  struct tvm_ffi_detail_entry *lists[TVM_FFI_C_CACHE_LISTS];
} tvm_ffi_function_cache;

/** The value of a cache before its first use; for static ones too. */
#define TVM_FFI_C_FUNCTION_CACHE_INIT         \
  {                                           \
    NULL, TVM_FFI_C_DETAIL_LOCK_INIT, NULL, { \
      NULL                                    \
    }                                         \
  }

/**
 * Get a function of a library, which is loaded at the first request.
 * @param cache [borrow]
 * @param path  [borrow] As for tvm_ffi_module_load; this text identifies the library.
 * @param name  [borrow] As exported: `scale` for the symbol `__tvm_ffi_scale`.
 * @param out   [own] A Function, which keeps its library loaded.
 * @return 0, or non-zero. A failure is not remembered: the next request tries again.
 * Errors: those of tvm_ffi_module_load_function, memory, any (on_load).
 * Threads: any. Threads that miss the same function at the same time may load it twice; all get the
 * same one from then on. Do not fork while another thread is in this function.
 */
static inline int tvm_ffi_function_cache_get(tvm_ffi_function_cache *cache, const char *path,
                                             const char *name, TVMFFIObjectHandle *out);

/**
 * The same, but of the current file: if it differs from the loaded one (by device, inode number,
 * size or time of change, on Windows by the last two), it is loaded, and its functions replace the
 * old ones in the cache. Each call gets the file's state from the system, which takes most of a
 * microsecond. While there is no such file, or its state is unknown, the loaded library is used. On
 * 32-bit systems compile with -D_FILE_OFFSET_BITS=64, or files with large inode numbers cannot be
 * distinguished.
 *
 * Replace a library by renaming another file over it: overwriting it changes code that may be
 * running. Functions that somebody holds are still the old library's. With the reference's runtime
 * the system's loader may return the old library for the same path.
 * @param cache, path, name [borrow]
 * @param out               [own]
 * @return 0, or non-zero; then the cache still has what it had.
 * Errors: as tvm_ffi_function_cache_get.   Threads: any.
 */
static inline int tvm_ffi_function_cache_get_current(tvm_ffi_function_cache *cache,
                                                     const char *path, const char *name,
                                                     TVMFFIObjectHandle *out);

/**
 * Empty the cache, which can be used again.
 * @param cache [borrow]
 * Errors: none.   Threads: any.
 */
static inline void tvm_ffi_function_cache_clear(tvm_ffi_function_cache *cache);

/* ---- Interrupting kernels ----
 * A long-running kernel checks now and then whether it should end, and the host decides, for
 * example because of a timeout or a cancelled query:
 *
 *     TVM_FFI_C_TRY(tvm_ffi_env_check_interrupt());                            (in the kernel)
 *     tvm_ffi_env_set_interrupt_check(query_is_cancelled, query);              (in the host)
 *
 * The call then fails with an error of the kind TVM_FFI_C_ENV_ERROR_ALREADY_SET and without a
 * message: the host knows the reason. */

/**
 * Returns non-zero if the kernel should end. Called in the kernel's thread. Must not raise an
 * error, and must return normally.
 */
typedef int (*tvm_ffi_interrupt_fn)(void *context);

/**
 * Set the check for the whole process. It replaces a frontend's check, so do not call it within
 * Python.
 * @param check   [in] Called by any thread that runs a kernel; its library must stay loaded. NULL:
 *                kernels are no longer interrupted, but a check in progress continues.
 * @param context [borrow] Passed to check, also to one in progress. Each distinct pair of check and
 *                context takes a few bytes until the process ends.
 * @return 0, or -1.
 * Errors: MemoryError.
 * Threads: any with this runtime, if the host is compiled by gcc, clang or MSVC; otherwise setup.
 */
static inline int tvm_ffi_env_set_interrupt_check(tvm_ffi_interrupt_fn check, void *context);

/* ---- The floating-point state ----
 * A kernel may change how this thread rounds, which exceptions trap, or whether denormal numbers
 * count as zero, and not restore it: the host's later results then differ. On x86 the state is
 * MXCSR and the control word of the x87, which take 3 to 4 ns to save and restore; on AArch64 it is
 * FPCR and FPSR. Elsewhere it is fenv_t: link -lm. */

typedef struct {
  /** Internal. */
#if defined(__GNUC__) && defined(__SSE__)
  uint32_t mxcsr;
  uint16_t x87;
#elif defined(__GNUC__) && defined(__aarch64__)
  uint64_t fpcr, fpsr;
#else
  fenv_t environment;
#endif
} tvm_ffi_float_state;

/** Save this thread's state. @param state [out]   Errors: none.   Threads: any. */
static inline void tvm_ffi_float_state_save(tvm_ffi_float_state *state);

/**
 * Restore a saved state in this thread, including the flags of past exceptions; those of the x87,
 * which computes `long double`, are not saved and may be cleared.
 * @param state [borrow]
 * Errors: none.   Threads: any.
 */
static inline void tvm_ffi_float_state_restore(const tvm_ffi_float_state *state);

/**
 * tvm_ffi_function_call with the floating-point state saved before and restored after the call.
 * @param function, args [borrow] As for tvm_ffi_function_call.
 * @param result         [own] Overwritten without being read.
 * @return 0, or the callee's own code.
 * Errors: TypeError (function is NULL or not a Function), any.
 * Threads: any, as far as the function allows.
 */
static inline int tvm_ffi_float_state_call(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                           int32_t num_args, TVMFFIAny *result);

/* ---- Threads with deadlines ---- */

/**
 * Allocate now what the runtime would allocate in this thread at first use: the record for looking
 * up global functions, the hook for the end of the thread, the buffer for backtraces, a slot for
 * the stream of each device. After that calls, references, streams, look-ups of global functions
 * and tvm_ffi_error_raise_prepared neither allocate nor lock; docs/guide/real_time.md has a table
 * of what each function does.
 * @param devices     [borrow] Those whose streams this thread will set; may be NULL when there are
 *                    none.
 * @param num_devices [in]
 * @return 0, or -1.   Errors: ValueError (a negative device), memory.   Threads: any.
 */
static inline int tvm_ffi_thread_prime(const DLDevice *devices, int32_t num_devices);

#include <tvm/ffi/c/detail/host.h> /* the bodies */

#endif /* TVM_FFI_C_HOST_H_ */
