/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/error.h
 * Errors from C: raise them in one statement, pass them on, take them and print them.
 *
 * Everything under tvm/ffi/c is static inline over the ABI alone: a kernel that uses it loads on
 * every runtime of the ABI (0.1.8 and later), and imports only the functions it uses. Contracts are
 * written as in c_api.h.
 *
 * A function that fails raises an error in this thread and returns non-zero; whoever sees that
 * returns it unchanged:
 *
 *     if (n < 0) return TVM_FFI_C_RAISE(TVM_FFI_C_VALUE_ERROR, "n is %d, but must be positive", n);
 *     TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &n));
 */
#ifndef TVM_FFI_C_ERROR_H_
#define TVM_FFI_C_ERROR_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

/**
 * Kinds. A kind is any identifier; Python raises its own exception for RuntimeError, ValueError,
 * TypeError, AttributeError, KeyError, IndexError, AssertionError and MemoryError, and a
 * RuntimeError for all others. Use TypeError or ValueError if the caller can correct the call,
 * InternalError for bugs of your own.
 */
#define TVM_FFI_C_ASSERTION_ERROR "AssertionError"
#define TVM_FFI_C_ATTRIBUTE_ERROR "AttributeError"
#define TVM_FFI_C_INDEX_ERROR "IndexError"
#define TVM_FFI_C_INTERNAL_ERROR "InternalError"
#define TVM_FFI_C_KEY_ERROR "KeyError"
#define TVM_FFI_C_MEMORY_ERROR "MemoryError"
#define TVM_FFI_C_NOT_IMPLEMENTED_ERROR "NotImplementedError"
#define TVM_FFI_C_OVERFLOW_ERROR "OverflowError"
#define TVM_FFI_C_RUNTIME_ERROR "RuntimeError"
#define TVM_FFI_C_TYPE_ERROR "TypeError"
#define TVM_FFI_C_VALUE_ERROR "ValueError"
/** Raised by a frontend, with an empty message, so that its own pending exception is resumed. */
#define TVM_FFI_C_ENV_ERROR_ALREADY_SET "EnvErrorAlreadySet"

/** Makes the compiler check a printf format: number of its parameter, number of the first value. */
#if defined(__MINGW32__) && !defined(__clang__)
#define TVM_FFI_C_PRINTF(format, first) __attribute__((__format__(__gnu_printf__, format, first)))
#elif defined(__GNUC__)
#define TVM_FFI_C_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define TVM_FFI_C_PRINTF(format, first)
#endif

/** Ends the function with the code of the expression unless that is 0. */
#define TVM_FFI_C_TRY(expression)        \
  do {                                   \
    int tvm_ffi_try_code = (expression); \
    if (tvm_ffi_try_code != 0) {         \
      return tvm_ffi_try_code;           \
    }                                    \
  } while (0)

/**
 * Raises a formatted error with its place: `TVM_FFI_C_RAISE(kind, format, ...)` is an expression of
 * value -1. The file, line and function become the first line of the backtrace.
 */
#define TVM_FFI_C_RAISE(...) \
  (tvm_ffi_error_raise_at(__FILE__, __LINE__, __func__, __VA_ARGS__), tvm_ffi_detail_failed())

/** Ends the function with a raised error unless the condition holds: (condition, kind, ...). */
#define TVM_FFI_C_CHECK(condition, ...)    \
  do {                                     \
    if (!(condition)) {                    \
      return TVM_FFI_C_RAISE(__VA_ARGS__); \
    }                                      \
  } while (0)

/* ---- Raising ----
 * All return -1, so that `return tvm_ffi_error_raise(...)` is the whole failure path. In a function
 * with outputs use TVM_FFI_C_RAISE, whose -1 is visible to the compiler: it then does not warn that
 * the caller uses them uninitialised. An error in the slot is replaced.
 * @param kind         [borrow] For instance TVM_FFI_C_VALUE_ERROR.
 * @param file, func   [borrow]
 * @param format       [borrow] printf's.
 * @return -1.
 * Errors: of that kind; out of memory shortens the message or raises MemoryError.
 * Threads: any. */

/** Raise an error. */
TVM_FFI_C_PRINTF(2, 3)
static inline int tvm_ffi_error_raise(const char *kind, const char *format, ...);

/** The same with the place where it happened. See TVM_FFI_C_RAISE. */
TVM_FFI_C_PRINTF(5, 6)
static inline int tvm_ffi_error_raise_at(const char *file, int line, const char *func,
                                         const char *kind, const char *format, ...);

/** Raise an error whose cause is the error raised now. */
TVM_FFI_C_PRINTF(2, 3)
static inline int tvm_ffi_error_wrap(const char *kind, const char *format, ...);

/** Raise MemoryError. Without memory for an error, it is the library's prepared one. */
static inline int tvm_ffi_error_raise_memory(void);

/**
 * Raise an error that was made before (TVMFFIErrorCreate), which allocates nothing. Every raise of
 * it is the same object: what a frontend adds to its backtrace stays.
 * @param error [share] An Error.
 */
static inline int tvm_ffi_error_raise_prepared(TVMFFIObjectHandle error);

/**
 * Make sure that a failure has an error: for codes that foreign functions returned. Empty the slot
 * before the call (TVMFFIErrorSetRaised(NULL)), so that an older error is not taken for this one.
 * @param code [in] What the callee returned.
 * @return code; -1 for -2, which to frontends means that an exception of their own is set and the
 *         slot is unused.
 * Errors: InternalError, when code is not 0 and nothing is raised.
 */
static inline int tvm_ffi_error_ensure(int code);

/* ---- Reading ----
 * Errors: none.   Threads: any; same object for an error whose backtrace is being updated.
 * What is lent lives as long as the error object, the backtrace until it is updated. */

/**
 * Take the raised error out of this thread's slot.
 * @return [own] An Error, to be released with TVMFFIObjectDecRef; NULL when nothing was raised.
 */
static inline TVMFFIObjectHandle tvm_ffi_error_take(void);

/** @param error [borrow] An Error. @return [lend] */
static inline TVMFFIByteArray tvm_ffi_error_get_kind(TVMFFIObjectHandle error);

/** @param error [borrow] An Error. @return [lend] */
static inline TVMFFIByteArray tvm_ffi_error_get_message(TVMFFIObjectHandle error);

/** Most recent call first. @param error [borrow] An Error. @return [lend] */
static inline TVMFFIByteArray tvm_ffi_error_get_backtrace(TVMFFIObjectHandle error);

/** @param error [borrow] An Error. @return [lend] The Error that led to it, or NULL. */
static inline TVMFFIObjectHandle tvm_ffi_error_get_cause(TVMFFIObjectHandle error);

/** @param error [borrow] An Error. @return [lend] The object that travels with it, or NULL. */
static inline TVMFFIObjectHandle tvm_ffi_error_get_context(TVMFFIObjectHandle error);

/**
 * Whether the error is of that kind.
 * @param error [borrow] An Error, or NULL: then false.
 * @param kind  [borrow]
 */
static inline bool tvm_ffi_error_is(TVMFFIObjectHandle error, const char *kind);

/**
 * Write `<kind>: <message>` into a buffer, then a line `caused by <kind>: <message>` per cause.
 * @param error    [borrow] An Error, or NULL.
 * @param buffer   [out] Always NUL-terminated when capacity is not 0; may be NULL when it is. Cut
 *                 off when too small, after a whole character of UTF-8.
 * @param capacity [in] Bytes.
 * @return The length of the whole text, as snprintf.
 */
static inline size_t tvm_ffi_error_format(TVMFFIObjectHandle error, char *buffer, size_t capacity);

/**
 * Take the raised error, write its text as tvm_ffi_error_format does, and release it. Allocates
 * nothing. For hosts with their own error reports:
 *
 *     char text[256];
 *     if (tvm_ffi_function_call(function, args, 2, &result) != 0) {
 *       tvm_ffi_error_format_raised(text, sizeof text);
 *       return report(text);
 *     }
 *
 * @param buffer   [out] Always NUL-terminated when capacity is not 0; may be NULL when it is. If
 *                 too small, the text is truncated after a whole UTF-8 character, and the error is
 *                 released nevertheless. `(no error)` if there is none.
 * @param capacity [in] Bytes.
 * @return The length of the whole text, as snprintf.
 */
static inline size_t tvm_ffi_error_format_raised(char *buffer, size_t capacity);

/**
 * Write the text of tvm_ffi_error_format and a newline to a stream.
 * @param error [borrow] An Error, or NULL.
 * @param file  [borrow]
 */
static inline void tvm_ffi_error_print(TVMFFIObjectHandle error, FILE *file);

/**
 * Write the backtrace of an error to a stream, most recent call last.
 * @param error [borrow] An Error.
 * @param file  [borrow]
 */
static inline void tvm_ffi_error_print_backtrace(TVMFFIObjectHandle error, FILE *file);

/**
 * Take the raised error, print it as tvm_ffi_error_print does, and release it.
 * @param file [borrow]
 */
static inline void tvm_ffi_error_print_raised(FILE *file);

#include <tvm/ffi/c/detail/error.h> /* the bodies */

#endif /* TVM_FFI_C_ERROR_H_ */
