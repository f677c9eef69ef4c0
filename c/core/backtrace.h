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

/* Whether functions continue backtraces: not in builds where nothing has unwind tables. */
static inline bool tvmffi_backtrace_is_continued(void) {
#ifdef TVMFFI_UNWIND_TABLES
  return tvmffi_backtrace_is_enabled();
#else
  return false;
#endif
}

/*
 * The backtrace of an error that is being raised: empty unless backtraces are switched on. It is
 * open when it may have been cut: most of the library has no tables to walk the stack with.
 */
const TVMFFIByteArray *tvmffi_backtrace_for_raise(bool *out_is_open);

/* Whether a text is what this thread's last walk gave, and that is open. */
TVMFFI_COLD bool tvmffi_backtrace_is_open(const TVMFFIByteArray *text);

/*
 * What is to be added to an open backtrace by a function that returns its error: the stack from the
 * function's caller on, or nothing if the backtrace has it already. For error.c: the caller's
 * caller is that function.
 */
TVMFFI_COLD TVMFFIByteArray tvmffi_backtrace_continue(const TVMFFIByteArray *so_far,
                                                      bool *out_is_open);

/* Back to the built-in walker, switched off. */
void tvmffi_backtrace_shutdown(void);

#endif /* TVMFFI_CORE_BACKTRACE_H_ */
