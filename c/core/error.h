/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error objects and this thread's error slot. The function that first detects a failure raises the
 * error; its callers return the code unchanged.
 */
#ifndef TVMFFI_CORE_ERROR_H_
#define TVMFFI_CORE_ERROR_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "core/thread_state.h"
#include "platform/compiler.h"

/* ---- Errors ---- */

/* Raises an error and evaluates to -1 */
#define tvmffi_fail(...) (tvmffi_error_raisef(__VA_ARGS__), -1)
#define tvmffi_fail_memory() (tvmffi_error_raise_memory(), -1)

/* Returns expression from the function if it is not 0. Only where nothing is owned yet. */
#define TVMFFI_TRY(expression)                      \
  do {                                              \
    int tvmffi_try_rc_ = (expression);              \
    if (tvmffi_try_rc_ != 0) return tvmffi_try_rc_; \
  } while (0)

/* Fails if a required argument is NULL. `name` is the argument as the message calls it. */
#define TVMFFI_REQUIRE(name)                                                                \
  do {                                                                                      \
    if (TVMFFI_UNLIKELY((name) == NULL)) return tvmffi_fail_null_argument(__func__, #name); \
  } while (0)

TVMFFI_COLD void tvmffi_error_raisef(const char *kind, const char *format, ...) TVMFFI_PRINTF(2, 3);

/* Raises the preallocated MemoryError; allocates nothing. */
TVMFFI_COLD void tvmffi_error_raise_memory(void);

/* -1, ValueError "<function>: argument `<name>` must not be NULL". */
TVMFFI_COLD int tvmffi_fail_null_argument(const char *function, const char *name);

/* Fails for bytes without data, and for sizes beyond an int, which printf could not show. */
int tvmffi_check_bytes(const char *function, const TVMFFIByteArray *bytes, const char *name);

/* True when this thread's slot holds an error. */
static inline bool tvmffi_error_is_raised(void) {
  return tvmffi_thread.raised != NULL;
}

/* True when it holds one of that kind. */
bool tvmffi_error_is_raised_with(const char *kind);

/*
 * Around a deleter of a client, which may call anything: what is raised in this thread is put
 * aside, and put back. An error that the deleter raises is dropped, for nobody would ask for it.
 */
static inline TVMFFIObject *tvmffi_error_put_aside(void) {
  TVMFFIObject *error = tvmffi_thread.raised;
  tvmffi_thread.raised = NULL;
  return error;
}

/* Takes over the reference, and releases what is in the slot. */
void tvmffi_error_replace_raised(TVMFFIObject *error);

static inline void tvmffi_error_put_back(TVMFFIObject *error) {
  if (TVMFFI_LIKELY(error == NULL && tvmffi_thread.raised == NULL)) return;
  tvmffi_error_replace_raised(error);
}

/* True for the preallocated MemoryError, which all threads share: it must not be changed. */
bool tvmffi_error_is_shared(const TVMFFIObject *error);

/* True for an Error object made by this library (whose layout and deleter are known). */
bool tvmffi_error_is_own(const TVMFFIObject *error);

/* ---- Backtraces ---- */

/* Restores the built-in walker, and switches backtraces off. */
void tvmffi_backtrace_shutdown(void);

/* ---- Messages for the host's log hook; without a hook, a message costs one load ---- */

/* Hold no lock when calling: the hook is the host's code. */
void tvmffi_log_warning(const char *format, ...) TVMFFI_PRINTF(1, 2);

#endif /* TVMFFI_CORE_ERROR_H_ */
