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

/* The backtrace of an error that is being raised: empty unless backtraces are switched on. */
const TVMFFIByteArray *tvmffi_backtrace_for_raise(void);

/* Restores the built-in walker, and switches backtraces off. */
void tvmffi_backtrace_shutdown(void);

#endif /* TVMFFI_CORE_BACKTRACE_H_ */
