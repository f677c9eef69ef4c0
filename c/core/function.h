/* SPDX-License-Identifier: Apache-2.0 */
/* Calling foreign functions from within the library, and finding the library that has their code.
 */
#ifndef TVMFFI_CORE_FUNCTION_H_
#define TVMFFI_CORE_FUNCTION_H_

#include <stdbool.h>
#include <tvm/ffi/c_api.h>

#include "platform/platform.h"

/* The beginning of Function objects of this library; fields of their own follow. */
typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
} tvmffi_own_function;

/* Fills in the cell; the body receives the object as self. */
static inline void tvmffi_own_function_init(tvmffi_own_function *function,
                                            TVMFFISafeCallType body) {
  function->cell.safe_call = body;
  function->cell.cpp_call = NULL;
}

/* Whether a value is such a function with that body. */
bool tvmffi_own_function_is(const TVMFFIAny *value, TVMFFISafeCallType body);

/*
 * Calls a function and ensures that a failure has an error: the slot is emptied first, and a callee
 * that fails without raising gets InternalError "callee returned <code> without setting an error".
 * *result is set to None first and is None after a failure. Returns the callee's code, but -1 for
 * -2: to frontends, -2 means that an exception of their own is set and they ignore the slot.
 */
int tvmffi_function_call_foreign(void *func, const TVMFFIAny *args, int32_t num_args,
                                 TVMFFIAny *result);

/* The check for an error alone, when the caller calls a callback of another signature itself: empty
 * the slot, call, check. */
int tvmffi_function_check_raised(int code);

/*
 * Whether a value needs what lies in a range of addresses: it points there, its deleter is there,
 * or it is a Function whose code is there.
 */
bool tvmffi_function_needs_range(const TVMFFIAny *value, const tvmffi_dl_range *range);

#endif /* TVMFFI_CORE_FUNCTION_H_ */
