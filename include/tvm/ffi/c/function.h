/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/function.h
 * Functions: call them, find them by name, make them of C functions, register them.
 *
 *     TVM_FFI_C_FUNCTION(twice, "(0: int) -> int") { ... }    (see export.h)
 *     TVM_FFI_C_REGISTER_GLOBAL("my.twice", twice);
 *
 *     TVM_FFI_C_TRY(tvm_ffi_function_call_global("my.twice", args, 1, &result));
 */
#ifndef TVM_FFI_C_FUNCTION_H_
#define TVM_FFI_C_FUNCTION_H_

#include <tvm/ffi/c/any.h>

/* ---- Calling ---- */

/**
 * Call a function. Unlike TVMFFIFunctionCall it takes care of the error slot and of the result:
 * a failure always has an error (InternalError when the callee raised none), and *result is None
 * then.
 * @param function [borrow] A Function.
 * @param args     [borrow] num_args views; may be NULL when there are none.
 * @param result   [own] Overwritten without being read. To be released with tvm_ffi_any_clear.
 * @return 0, or the callee's own code (-1 for -2, as tvm_ffi_error_ensure).
 * Errors: TypeError (function is NULL or no Function), any.
 * Threads: any, as far as the function allows.
 */
static inline int tvm_ffi_function_call(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                        int32_t num_args, TVMFFIAny *result);

/**
 * Call a function and release its result.
 * @param function, args [borrow] As for tvm_ffi_function_call.
 * @return 0, or the callee's own code.
 * Errors: TypeError, any.   Threads: any, as far as the function allows.
 */
static inline int tvm_ffi_function_call_void(TVMFFIObjectHandle function, const TVMFFIAny *args,
                                             int32_t num_args);

/* ---- Global functions ---- */

/**
 * Find a global function that may be missing.
 * @param name [borrow]
 * @param out  [own] NULL (and 0 returned) when there is none of that name.
 * Errors: memory.   Threads: any.
 */
static inline int tvm_ffi_function_find_global(const char *name, TVMFFIObjectHandle *out);

/**
 * Get a global function, which must exist.
 * @param name [borrow]
 * @param out  [own]
 * Errors: ValueError `Function <name> not found`, memory.   Threads: any.
 */
static inline int tvm_ffi_function_get_global(const char *name, TVMFFIObjectHandle *out);

/**
 * Call a global function by its name. In a loop, get it once instead.
 * @param name, args [borrow]
 * @param result     [own] Overwritten without being read.
 * @return 0, or the callee's own code.
 * Errors: ValueError (not found), any.   Threads: any, as far as the function allows.
 */
static inline int tvm_ffi_function_call_global(const char *name, const TVMFFIAny *args,
                                               int32_t num_args, TVMFFIAny *result);

/**
 * Register a C function as a global one.
 * @param name           [borrow] Copied.
 * @param function       [in] Called from any thread while it is registered, so its library must
 *                       stay loaded.
 * @param allow_override [in] false refuses a name that is taken.
 * Errors: RuntimeError (taken), memory.   Threads: any with this runtime, setup with others.
 */
static inline int tvm_ffi_function_register(const char *name, TVMFFISafeCallType function,
                                            bool allow_override);

/* ---- Registering when a library is loaded ----
 * At file scope, one per line, with a semicolon. The function exists as soon as the library is
 * loaded. It replaces one of the same name, so that a library can be loaded again. Without memory
 * it is not registered. A library that registers functions must not be unloaded (say
 * -Wl,-z,nodelete when linking it). Compilers without constructors have none of these: call
 * tvm_ffi_function_register there. */

/* Not __attribute__: for tcc, the headers of glibc define that as nothing. */
#if defined(__GNUC__) || defined(__TINYC__)
/** Registers a TVMFFISafeCallType function as the global function of that name (a literal). */
#define TVM_FFI_C_REGISTER_GLOBAL(name, function)                                    \
  __attribute((constructor)) static void TVM_FFI_C_DETAIL_NAME(tvm_ffi_detail_init_, \
                                                               __LINE__)(void) {     \
    tvm_ffi_detail_register(name, function);                                         \
  }                                                                                  \
  struct tvm_ffi_detail_semicolon
#elif defined(__cplusplus)
#define TVM_FFI_C_REGISTER_GLOBAL(name, function)                          \
  static const int TVM_FFI_C_DETAIL_NAME(tvm_ffi_detail_init_, __LINE__) = \
      (tvm_ffi_detail_register(name, function), 0)
#endif

/** Registers the loader of module files with that extension: `(path, format) -> Module`. */
#define TVM_FFI_C_REGISTER_FILE_LOADER(format, function) \
  TVM_FFI_C_REGISTER_GLOBAL("ffi.Module.load_from_file." format, function)

/** Registers the loader of modules of that kind embedded in libraries: `(bytes) -> Module`. */
#define TVM_FFI_C_REGISTER_BYTES_LOADER(kind, function) \
  TVM_FFI_C_REGISTER_GLOBAL("ffi.Module.load_from_bytes." kind, function)

#include <tvm/ffi/c/detail/function.h> /* the bodies */

#endif /* TVM_FFI_C_FUNCTION_H_ */
