/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TVMFFI_CORE_BACKTRACE_H_
#define TVMFFI_CORE_BACKTRACE_H_

#include <tvm/ffi/c_api.h>

/* The backtrace of an error that is being raised: empty unless backtraces are switched on. */
const TVMFFIByteArray *tvmffi_backtrace_for_raise(void);

/* Restores the built-in walker, and switches backtraces off. */
void tvmffi_backtrace_shutdown(void);

#endif /* TVMFFI_CORE_BACKTRACE_H_ */
