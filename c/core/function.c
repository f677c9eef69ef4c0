/* SPDX-License-Identifier: Apache-2.0 */
#include "core/function.h"

#include "core/any.h"
#include "core/error.h"
#include "core/object.h"
#include "platform/atomic.h"
#include "platform/compiler.h"

/* ---- Failed calls ---- */

enum { kFrontendRaised = -2 }; /* a code that C++ code of old releases returns */

static int (*ask_frontend)(void);

void tvmffi_function_set_frontend(int (*ask)(void)) {
  tvmffi_atomic_store_release_ptr(&ask_frontend, ask);
}

bool tvmffi_function_has_to_check(void) {
  return tvmffi_atomic_load_relaxed_ptr(&ask_frontend) != NULL;
}

static int frontend_has_exception(void) {
  int (*ask)(void) = tvmffi_atomic_load_acquire_ptr(&ask_frontend);
  return ask == NULL ? -1 : ask();
}

TVMFFI_COLD static int end_failed_call(int code) {
  static const char kind[] = "EnvErrorAlreadySet";
  if (!tvmffi_error_is_raised()) {
    if (frontend_has_exception() == 1) {
      tvmffi_error_raisef(kind, "%s", "");
    } else {
      tvmffi_error_raisef("InternalError", "callee returned %d without setting an error", code);
    }
  } else if (tvmffi_error_is_raised_with(kind) && frontend_has_exception() == 0) {
    tvmffi_error_raisef("InternalError", "callee raised %s, but the frontend has no exception set",
                        kind);
  }
  return code == kFrontendRaised ? -1 : code;
}

int tvmffi_function_check_raised(int code) {
  return TVMFFI_LIKELY(code == 0) ? 0 : end_failed_call(code);
}

/* ---- Functions and calls ---- */

/* A Function that was created with a self pointer or a deleter, or that checks its codes. */
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

static int call_closure_checked(void *handle, const TVMFFIAny *args, int32_t num_args,
                                TVMFFIAny *result) {
  return tvmffi_function_check_raised(call_closure(handle, args, num_args, result));
}

static void destroy_closure(void *self) {
  closure_object *closure = self;
  TVMFFIObject *error = tvmffi_error_put_aside();
  closure->deleter(closure->self);
  tvmffi_error_put_back(error);
}

TVMFFI_DELETER(delete_closure, destroy_closure, 0);

int TVMFFIFunctionCreate(void *self, TVMFFISafeCallType safe_call, void (*deleter)(void *self),
                         TVMFFIObjectHandle *out) {
  bool gets_handle = self == NULL && deleter == NULL, check = tvmffi_function_has_to_check();
  TVMFFI_REQUIRE(safe_call);
  TVMFFI_REQUIRE(out);
  if (gets_handle && !check) {
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
    closure->cell.safe_call = check ? call_closure_checked : call_closure;
    closure->cell.cpp_call = NULL;
    closure->self = gets_handle ? closure : self;
    closure->safe_call = safe_call;
    closure->deleter = deleter;
    *out = closure;
  }
  return 0;
}

/* Only a tail call: examining the returned code would add two fifths to the time of a call. */
int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result) {
  return TVMFFIFunctionGetCellPtr(func)->safe_call(func, args, num_args, result);
}

bool tvmffi_own_function_is(const TVMFFIAny *value, TVMFFISafeCallType body) {
  return value->type_index == kTVMFFIFunction &&
         TVMFFIFunctionGetCellPtr(value->v_obj)->safe_call == body;
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
  if (cell->safe_call != call_closure && cell->safe_call != call_closure_checked) {
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
