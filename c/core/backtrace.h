/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVMFFI_CORE_BACKTRACE_H_
#define TVMFFI_CORE_BACKTRACE_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

extern int tvmffi_backtrace_enabled;

static inline bool tvmffi_backtrace_is_enabled(void) {
  return TVMFFI_UNLIKELY(tvmffi_atomic_load_relaxed_int(&tvmffi_backtrace_enabled) != 0);
}

/* Whether functions continue an error's backtrace; never in builds without any unwind tables. */
static inline bool tvmffi_backtrace_is_continued(void) {
#ifdef TVMFFI_UNWIND_TABLES
  return tvmffi_backtrace_is_enabled();
#else
  return false;
#endif
}

/*
 * The backtrace of an error that is being raised: empty unless backtraces are switched on.
 * *out_is_open: it may be truncated, because most of the library has no unwind tables. Functions
 * that return the error then continue it.
 */
const TVMFFIByteArray *tvmffi_backtrace_for_raise(bool *out_is_open);

/* Whether text is the result of this thread's last walk, and that result is open. */
TVMFFI_COLD bool tvmffi_backtrace_is_open(const TVMFFIByteArray *text);

/*
 * The text that a function which returns an error adds to its open backtrace: the stack from the
 * function's caller on, or nothing if the backtrace has it already. For error.c only: frames are
 * counted on the assumption that that function is the caller's caller.
 */
TVMFFI_COLD TVMFFIByteArray tvmffi_backtrace_continue(const TVMFFIByteArray *so_far,
                                                      bool *out_is_open);

/* Restores the built-in walker, and switches backtraces off. */
void tvmffi_backtrace_shutdown(void);

#endif /* TVMFFI_CORE_BACKTRACE_H_ */
