/* SPDX-License-Identifier: Apache-2.0 */
/* A program that chooses parts of the runtime: what is there, and what is not. */
#include <tvm/ffi/extra/c_runtime_api.h>
#include <tvm/ffi/extra/c_runtime_parts.h>

#include "c/type_support.h"
#include "core/any.h"
#include "core/type.h"

#ifdef TVMFFI_PROFILE_FULL
TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules, &TVMFFIRuntimePartContainers);
#else
TVM_FFI_RUNTIME_PARTS(&TVMFFIRuntimePartModules);
#endif

static bool has_function(const char *name) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function;
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &function));
  if (function == NULL) return false;
  check_ok(TVMFFIObjectDecRef(function));
  return true;
}

TEST(test_functions) {
  assert_true(has_function("ffi.String"));
  assert_true(has_function("ffi.SystemLib"));
  assert_false(has_function("ffi.ModuleLoadFromFile"));
  assert_false(has_function("ffi.json.Parse"));
  assert_false(has_function("ffi.ToJSONGraphString"));
  assert_false(has_function("ffi.ReprPrint"));
  assert_false(has_function("ffi.StructuralEqual"));
}

TEST(test_types) {
  TVMFFIByteArray key = check_bytes("ffi.AccessPath");
  int32_t i, type_index;
  for (i = kTVMFFIDynObjectBegin; i < kTvmffiFirstClientType; ++i) {
    assert_null(TVMFFIGetTypeInfo(i));
    check_raised_with("InternalError", "Cannot find type info");
  }
  refuse(TVMFFITypeKeyToIndex(&key, &type_index), "Cannot find type `ffi.AccessPath`");
  assert_string_equal(TVMFFIGetTypeInfo(kTVMFFIModule)->type_key.data, "ffi.Module");
  assert_int_equal(TVMFFIGetTypeInfo(kTVMFFIModule)->num_fields, 0);
  /* Clients' types have the same indices with any parts, and a client may have that key. */
  assert_int_equal(add("ffi.AccessPath", 1, 0, kTVMFFIObject), kTvmffiFirstClientType);
}

TEST(test_attributes) {
  TVMFFIByteArray name = check_bytes("__ffi_repr__");
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&name);
  TVMFFIAny value = tvmffi_any_int(1);
  assert_non_null(column); /* its values come with reflection, which is not there */
  assert_int_equal(column->size, 0);
  check_ok(TVMFFITypeRegisterAttr(kTVMFFIModule, &name, &value));
  assert_int_equal(column->size, kTVMFFIModule + 1);
}

#ifdef TVMFFI_PROFILE_FULL
TEST(test_containers) {
  TVMFFIByteArray name = check_bytes("ffi.GetRegisteredTypeKeys");
  TVMFFIObjectHandle function;
  TVMFFIAny keys = tvmffi_any_none();
  const TVMFFISeqCell *cell;
  int64_t i;
  check_ok(TVMFFIFunctionGetGlobal(&name, &function));
  check_ok(TVMFFIFunctionCall(function, NULL, 0, &keys));
  cell = TVMFFISeqGetCellPtr(keys.v_obj);
  for (i = 0; i < cell->size; ++i) {
    const TVMFFIAny *key = (const TVMFFIAny *)cell->data + i;
    assert_true(key->type_index == kTVMFFIStr || key->small_str_len != 0); /* no empty ones */
  }
  assert_in_range(cell->size, 29, 29); /* those of values and of the core */
  check_ok(TVMFFIObjectDecRef(keys.v_obj));
  check_ok(TVMFFIObjectDecRef(function));
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      test_and_shut_down(test_functions),  test_and_shut_down(test_types),
      test_and_shut_down(test_attributes),
#ifdef TVMFFI_PROFILE_FULL
      test_and_shut_down(test_containers),
#endif
      test_and_shut_down(test_functions), /* after a shutdown */
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
