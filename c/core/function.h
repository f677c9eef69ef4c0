/* SPDX-License-Identifier: Apache-2.0 */
/* Calling foreign functions from within the library. */
#ifndef TVMFFI_CORE_FUNCTION_H_
#define TVMFFI_CORE_FUNCTION_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

/*
 * The Function objects that the layers above make. They have no unwind tables: the backtraces of
 * errors from there are cut, and continued by what calls them.
 */
typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  TVMFFISafeCallType body; /* gets the object as its self */
} tvmffi_own_function;

/* Fills in what is behind the header. */
void tvmffi_own_function_init(tvmffi_own_function *function, TVMFFISafeCallType body);

/* Whether a value is such a function with that body. */
bool tvmffi_own_function_is(const TVMFFIAny *value, TVMFFISafeCallType body);

/*
 * Calls a function and makes sure that a failure has an error: the slot is emptied first, and a
 * callee that fails without raising gets InternalError "callee returned <code> without setting an
 * error". *result is set to None first and is None after a failure. The code is the callee's, but
 * never -2: by that frontends take an exception of their own for set, and leave the slot alone.
 */
int tvmffi_function_call(void *func, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

/* The error part of it, for callbacks of other signatures: call it with the slot emptied before. */
int tvmffi_function_check_raised(int code);

#endif /* TVMFFI_CORE_FUNCTION_H_ */
