/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error objects and this thread's slot. Whoever first sees a failure raises; everybody above
 * returns the code unchanged.
 */
#ifndef TVMFFI_CORE_ERROR_H_
#define TVMFFI_CORE_ERROR_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/compiler.h"

/* Raises and gives -1: `return tvmffi_fail("ValueError", "...", ...);`. */
#define tvmffi_fail(...) (tvmffi_error_raisef(__VA_ARGS__), -1)
#define tvmffi_fail_memory() (tvmffi_error_raise_memory(), -1)

/* Returns from the function with any code but 0. For when nothing is owned yet. */
#define TVMFFI_TRY(expression)                      \
  do {                                              \
    int tvmffi_try_rc_ = (expression);              \
    if (tvmffi_try_rc_ != 0) return tvmffi_try_rc_; \
  } while (0)

/* Refuses a required argument that is NULL. `name` is how the caller knows it. */
#define TVMFFI_REQUIRE(name)                                                                \
  do {                                                                                      \
    if (TVMFFI_UNLIKELY((name) == NULL)) return tvmffi_fail_null_argument(__func__, #name); \
  } while (0)

TVMFFI_COLD void tvmffi_error_raisef(const char *kind, const char *format, ...) TVMFFI_PRINTF(2, 3);

/* Raises the MemoryError that stands ready; allocates nothing. */
TVMFFI_COLD void tvmffi_error_raise_memory(void);

/* -1, ValueError "<function>: argument `<name>` must not be NULL". */
TVMFFI_COLD int tvmffi_fail_null_argument(const char *function, const char *name);

/* Refuses bytes without data, and sizes beyond an int, which errors could not show. */
int tvmffi_check_bytes(const char *function, const TVMFFIByteArray *bytes, const char *name);

/*
 * For a function that returns this thread's error, while backtraces are on: adds the stack from the
 * function's caller on to the error's backtrace, if that was cut before it got there.
 */
TVMFFI_COLD void tvmffi_error_continue_backtrace(void);

/* True when this thread's slot holds an error. */
bool tvmffi_error_is_raised(void);

/* True for the error that stands ready, which all threads share: it must not be changed. */
bool tvmffi_error_is_shared(const TVMFFIObject *error);

/* True for an Error object that this library made (its tail is known, its deleter is ours). */
bool tvmffi_error_is_own(const TVMFFIObject *error);

#endif /* TVMFFI_CORE_ERROR_H_ */
