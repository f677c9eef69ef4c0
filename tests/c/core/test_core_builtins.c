/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions of the core, called by name as frontends call them. */
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "support/check.h"

static int call(const char *name, TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  int rc;
  *result = tvmffi_any_none();
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  assert_non_null(function);
  rc = TVMFFIFunctionCall(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

static void check_sentinel(const char *name, TVMFFIObject **out) {
  TVMFFIAny result, again;
  check_ok(call(name, NULL, 0, &result));
  assert_int_equal(result.type_index, kTVMFFIObject);
  assert_int_equal(result.v_obj->type_index, kTVMFFIObject);
  check_ok(call(name, NULL, 0, &again));
  assert_ptr_equal(again.v_obj, result.v_obj);
  *out = result.v_obj;
  check_release(&again);
  check_release(&result);
  check_ok(TVMFFIRuntimeShutdown());
  check_ok(call(name, NULL, 0, &again)); /* the same object for the life of the process */
  assert_ptr_equal(again.v_obj, *out);
  assert_true(check_use_count(again.v_obj) >= 2);
  check_release(&again);
}

TEST(test_sentinels) {
  TVMFFIObject *invalid, *kwargs;
  check_sentinel("ffi.GetInvalidObject", &invalid);
  check_sentinel("ffi.GetKwargsObject", &kwargs);
  assert_ptr_not_equal(invalid, kwargs);
}

TEST(test_remove_global) {
  TVMFFIByteArray name = check_bytes("ffi.Shape");
  TVMFFIAny arg = tvmffi_any_raw_str("ffi.Shape"), result;
  TVMFFIObjectHandle found;
  check_ok(call("ffi.FunctionRemoveGlobal", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 1);
  check_ok(TVMFFIFunctionGetGlobal(&name, &found));
  assert_null(found);
  check_ok(call("ffi.FunctionRemoveGlobal", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIBool);
  assert_int_equal(result.v_int64, 0);
}

TEST(test_list_global_names) {
  TVMFFIAny names, arg = tvmffi_any_int(-1), result = tvmffi_any_none();
  int64_t i, count, num_found = 0;
  check_ok(call("ffi.FunctionListGlobalNamesFunctor", NULL, 0, &names));
  assert_int_equal(names.type_index, kTVMFFIFunction);
  check_ok(TVMFFIFunctionCall(names.v_obj, &arg, 1, &result));
  count = result.v_int64;
  for (i = 0; i < count; ++i) {
    TVMFFIByteArray text;
    arg = tvmffi_any_int(i);
    check_ok(TVMFFIFunctionCall(names.v_obj, &arg, 1, &result));
    assert_true(tvmffi_any_get_text(&result, &text));
    if (strcmp(text.data, "ffi.FunctionListGlobalNamesFunctor") == 0) ++num_found;
    check_release(&result);
  }
  assert_int_equal(num_found, 1);
  check_release(&names);
}

TEST(test_string_and_bytes) {
  TVMFFIByteArray bytes = check_bytes("bytes that need the heap");
  TVMFFIAny arg = tvmffi_any_raw_str("short"), result, heap;
  check_ok(call("ffi.String", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFISmallStr);
  check_str(&result, "short");
  arg = tvmffi_any_raw_str("a text of more than seven bytes");
  check_ok(call("ffi.String", &arg, 1, &heap));
  assert_int_equal(heap.type_index, kTVMFFIStr);
  check_ok(call("ffi.String", &heap, 1, &result)); /* an owned string is returned as it is */
  assert_ptr_equal(result.v_obj, heap.v_obj);
  assert_int_equal(check_use_count(heap.v_obj), 2);
  check_release(&result);
  check_str(&heap, "a text of more than seven bytes");
  arg = tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes);
  check_ok(call("ffi.Bytes", &arg, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIBytes);
  assert_string_equal(TVMFFIBytesGetByteArrayPtr(result.v_obj)->data, bytes.data);
  check_release(&result);
  arg = tvmffi_any_raw_str(NULL);
  check_fails(call("ffi.String", &arg, 1, &result), "TypeError",
              "Mismatched type on argument #0 when calling: `ffi.String(0: str) -> str`. Expected "
              "`str` but got `NULL`");
}

TEST(test_metadata) {
  TVMFFIAny arg = tvmffi_any_raw_str("ffi.SystemLib.not"), result;
  check_fails(call("ffi.GetGlobalFuncMetadata", &arg, 1, &result), "RuntimeError",
              "Global Function is not found: ffi.SystemLib.not");
  arg = tvmffi_any_raw_str("ffi.Shape");
  check_ok(call("ffi.GetGlobalFuncMetadata", &arg, 1, &result));
  check_str(&result, "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\"}\"}");
}

static int num_deletes;

static int give_self(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)args;
  (void)num_args;
  *result = tvmffi_any_ptr(kTVMFFIOpaquePtr, self);
  return 0;
}

static void count_delete(void *self) {
  assert_ptr_equal(self, &num_deletes);
  ++num_deletes;
}

/* Makes an opaque pointer of a function, as frontends pass them. */
static TVMFFIAny pointer_to(TVMFFISafeCallType safe_call, void (*deleter)(void *self)) {
  union {
    void *data;
    TVMFFISafeCallType safe_call;
    void (*deleter)(void *self);
  } cast;
  cast.data = NULL;
  if (safe_call != NULL) {
    cast.safe_call = safe_call;
  } else {
    cast.deleter = deleter;
  }
  return tvmffi_any_ptr(kTVMFFIOpaquePtr, cast.data);
}

TEST(test_function_from_extern_c) {
  TVMFFIAny args[3], function, result = tvmffi_any_none();
  args[0] = tvmffi_any_ptr(kTVMFFIOpaquePtr, &num_deletes);
  args[1] = pointer_to(give_self, NULL);
  args[2] = pointer_to(NULL, count_delete);
  check_ok(call("ffi.FunctionFromExternC", args, 3, &function));
  assert_int_equal(function.type_index, kTVMFFIFunction);
  check_ok(TVMFFIFunctionCall(function.v_obj, NULL, 0, &result));
  assert_ptr_equal(result.v_ptr, &num_deletes);
  assert_int_equal(num_deletes, 0);
  check_release(&function);
  assert_int_equal(num_deletes, 1);
  args[0] = args[2] = tvmffi_any_none();
  check_ok(call("ffi.FunctionFromExternC", args, 3, &function));
  check_ok(TVMFFIFunctionCall(function.v_obj, NULL, 0, &result));
  assert_ptr_equal(result.v_ptr, function.v_obj); /* without a self: the function itself */
  check_release(&function);
  args[1] = tvmffi_any_none();
  check_fails(call("ffi.FunctionFromExternC", args, 3, &function), "ValueError", NULL);
}

TEST(test_shape) {
  TVMFFIAny args[2] = {tvmffi_any_int(3), tvmffi_any_bool(1)}, result;
  check_ok(call("ffi.Shape", args, 2, &result));
  assert_int_equal(result.type_index, kTVMFFIShape);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->size, 2);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->data[0], 3);
  assert_int_equal(TVMFFIShapeGetCellPtr(result.v_obj)->data[1], 1);
  check_release(&result);
  args[1] = tvmffi_any_raw_str("4");
  check_fails(call("ffi.Shape", args, 2, &result), "ValueError",
              "Expect shape to take list of int arguments");
}

RUN_TESTS({
    test_and_shut_down(test_sentinels),
    test_and_shut_down(test_remove_global),
    test_and_shut_down(test_list_global_names),
    test_and_shut_down(test_string_and_bytes),
    test_and_shut_down(test_metadata),
    test_and_shut_down(test_function_from_extern_c),
    test_and_shut_down(test_shape),
})
