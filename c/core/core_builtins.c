/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions of the core. */
#include "core/any.h"
#include "core/builtins.h"
#include "core/error.h"
#include "core/global.h"
#include "core/tensor.h"

static int remove_global_function(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray name = tvmffi_builtin_text(&args[0]);
  bool removed;
  TVMFFI_TRY(tvmffi_global_remove(name.data, name.size, &removed));
  *result = tvmffi_any_bool(removed);
  return 0;
}

static int list_names(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIObject *names;
  (void)args;
  TVMFFI_TRY(tvmffi_global_list_names(&names));
  *result = tvmffi_any_object(names);
  return 0;
}

static int get_global_metadata(const TVMFFIAny *args, TVMFFIAny *result) {
  TVMFFIByteArray name = tvmffi_builtin_text(&args[0]);
  return tvmffi_global_metadata(name.data, name.size, result);
}

/* ffi.String and ffi.Bytes: turn a view into an owned value. */
static int own_argument(const TVMFFIAny *args, TVMFFIAny *result) {
  return TVMFFIAnyViewToOwnedAny(&args[0], result);
}

static int function_from_extern_c(const TVMFFIAny *args, TVMFFIAny *result) {
  union {
    void *data;
    TVMFFISafeCallType safe_call;
    void (*deleter)(void *self);
  } safe_call, deleter;
  TVMFFIObjectHandle function;
  safe_call.data = args[1].v_ptr;
  deleter.data = args[2].v_ptr;
  TVMFFI_TRY(TVMFFIFunctionCreate(args[0].v_ptr, safe_call.safe_call, deleter.deleter, &function));
  *result = tvmffi_any_object(function);
  return 0;
}

/* Two sentinels: only their identity matters. Never destroyed. */
TVMFFIObject tvmffi_invalid_object = {TVMFFI_BOTH_ONE, kTVMFFIObject, 0, {NULL}};
TVMFFIObject tvmffi_kwargs_object = {TVMFFI_BOTH_ONE, kTVMFFIObject, 0, {NULL}};

static int get_sentinel(TVMFFIObject *sentinel, TVMFFIAny *result) {
  tvmffi_object_retain(sentinel);
  *result = tvmffi_any_object(sentinel);
  return 0;
}

static int get_invalid_object(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)args;
  return get_sentinel(&tvmffi_invalid_object, result);
}

static int get_kwargs_object(const TVMFFIAny *args, TVMFFIAny *result) {
  (void)args;
  return get_sentinel(&tvmffi_kwargs_object, result);
}

#define FUNCTIONS(F)                                            \
  F("ffi.GetInvalidObject", ">O", get_invalid_object)           \
  F("ffi.GetKwargsObject", ">O", get_kwargs_object)             \
  F("ffi.FunctionRemoveGlobal", "s>b", remove_global_function)  \
  F("ffi.FunctionListGlobalNamesFunctor", ">F", list_names)     \
  F("ffi.String", "s>s", own_argument)                          \
  F("ffi.Bytes", "y>y", own_argument)                           \
  F("ffi.GetGlobalFuncMetadata", "s>s", get_global_metadata)    \
  F("ffi.FunctionFromExternC", "ppp>F", function_from_extern_c) \
  F("ffi.Shape", "*", .packed = tvmffi_shape_from_args)

TVMFFI_BUILTIN_GROUP(tvmffi_core_builtins, FUNCTIONS);
