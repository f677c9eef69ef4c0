/* SPDX-License-Identifier: Apache-2.0 */
#include "core/function.h"

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"

/* A Function that was created with a self pointer or a deleter. */
typedef struct {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  void *self;
  TVMFFISafeCallType safe_call;
  void (*deleter)(void *self);
} closure_object;

static int call_closure(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const closure_object *closure = handle;
  return closure->safe_call(closure->self, args, num_args, result);
}

static void destroy_closure(void *self) {
  closure_object *closure = self;
  TVMFFIObject *error = tvmffi_error_put_aside();
  closure->deleter(closure->self);
  tvmffi_error_put_back(error);
}

static void delete_closure(void *self, int flags) {
  tvmffi_object_delete_nested(self, flags, delete_closure, destroy_closure, 0);
}

int TVMFFIFunctionCreate(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                         TVMFFIObjectHandle *out) {
  TVMFFI_REQUIRE(safe_call);
  TVMFFI_REQUIRE(out);
  if (self == NULL && deleter == NULL) {
    tvmffi_own_function *function =
        tvmffi_object_new(sizeof *function, kTVMFFIFunction, tvmffi_object_delete_plain);
    if (function == NULL) return -1;
    tvmffi_own_function_init(function, safe_call);
    *out = function;
  } else {
    closure_object *closure =
        tvmffi_object_new(sizeof *closure, kTVMFFIFunction,
                          deleter != NULL ? delete_closure : tvmffi_object_delete_plain);
    if (closure == NULL) return -1;
    closure->cell.safe_call = call_closure;
    closure->cell.cpp_call = NULL;
    closure->self = self;
    closure->safe_call = safe_call;
    closure->deleter = deleter;
    *out = closure;
  }
  return 0;
}

/* Only a tail call: examining the returned code would add half the cost of a call. */
int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result) {
  return TVMFFIFunctionGetCellPtr(func)->safe_call(func, args, num_args, result);
}

bool tvmffi_own_function_is(const TVMFFIAny *value, TVMFFISafeCallType body) {
  return value->type_index == kTVMFFIFunction &&
         TVMFFIFunctionGetCellPtr(value->v_obj)->safe_call == body;
}

enum { kFrontendRaised = -2 }; /* the frontend holds the error, the slot does not */

int tvmffi_function_check_raised(int code) {
  if (code != 0 && !tvmffi_error_is_raised()) {
    tvmffi_error_raisef("InternalError", "callee returned %d without setting an error", code);
  }
  return code == kFrontendRaised ? -1 : code;
}

int tvmffi_function_call_foreign(void *func, const TVMFFIAny *args, int32_t num_args,
                                 TVMFFIAny *result) {
  int code;
  *result = tvmffi_any_none();
  if (tvmffi_error_is_raised()) TVMFFIErrorSetRaised(NULL);
  code = TVMFFIFunctionGetCellPtr(func)->safe_call(func, args, num_args, result);
  if (TVMFFI_UNLIKELY(code != 0)) *result = tvmffi_any_none();
  return tvmffi_function_check_raised(code);
}

/* ---- Where code is ---- */

static bool function_needs_range(const TVMFFIObject *function, const tvmffi_dl_range *range) {
  const closure_object *closure = (const closure_object *)(const void *)function;
  const TVMFFIFunctionCell *cell = &closure->cell;
  if (cell->safe_call != call_closure) {
    return tvmffi_dl_range_has(range, (uintptr_t)cell->safe_call) ||
           tvmffi_dl_range_has(range, (uintptr_t)cell->cpp_call);
  }
  return tvmffi_dl_range_has(range, (uintptr_t)closure->safe_call) ||
         tvmffi_dl_range_has(range, (uintptr_t)closure->deleter) ||
         tvmffi_dl_range_has(range, (uintptr_t)closure->self);
}

bool tvmffi_function_needs_range(const TVMFFIAny *value, const tvmffi_dl_range *range) {
  if (value->type_index == kTVMFFIOpaquePtr) {
    return tvmffi_dl_range_has(range, (uintptr_t)value->v_ptr);
  }
  if (value->type_index < kTVMFFIStaticObjectBegin || value->v_obj == NULL) return false;
  if (tvmffi_dl_range_has(range, (uintptr_t)value->v_obj->deleter)) return true;
  return value->type_index == kTVMFFIFunction && function_needs_range(value->v_obj, range);
}
