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
 * Calls a function with an empty slot and ensures that a failure has an error, as
 * tvmffi_function_check_raised does. *result is set to None first and is None after a failure.
 */
int tvmffi_function_call_foreign(void *func, const TVMFFIAny *args, int32_t num_args,
                                 TVMFFIAny *result);

/*
 * What to return for the code of a callee, with an error in the slot that a frontend can show.
 * - A callee that failed without raising gets InternalError "callee returned <code> without setting
 *   an error", or EnvErrorAlreadySet if the frontend has an exception set.
 * - EnvErrorAlreadySet is replaced by an InternalError if the frontend has no exception set: Python
 *   would crash on resuming it.
 * - -2 becomes -1, since frontends take -2 for EnvErrorAlreadySet and ignore the slot.
 */
int tvmffi_function_check_raised(int code);

/*
 * How to ask the frontend whether it has an exception set in this thread: `ask` returns 1 or 0, or
 * -1 if it cannot tell. NULL: there is no frontend.
 */
void tvmffi_function_set_frontend(int (*ask)(void));

/*
 * Whether functions that are made now check what their code returns, as above: when there is a
 * frontend, which a wrong code could crash. Without one the check would only add a third to the
 * time of a call.
 */
bool tvmffi_function_has_to_check(void);

/*
 * Whether a value needs what lies in a range of addresses: it points there, its deleter is there,
 * or it is a Function whose code is there.
 */
bool tvmffi_function_needs_range(const TVMFFIAny *value, const tvmffi_dl_range *range);

#endif /* TVMFFI_CORE_FUNCTION_H_ */
