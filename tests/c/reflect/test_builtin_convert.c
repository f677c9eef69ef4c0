/* SPDX-License-Identifier: Apache-2.0 */
/* What the attribute __ffi_convert__ of each built-in type accepts. */
#include "c/walk_support.h"
#include "core/type.h"
#include "reflect/builtin_objects.h"

static int convert(int32_t type_index, TVMFFIAny value, TVMFFIAny *out) {
  *out = tvmffi_any_none();
  return TVMFFIFunctionCall(find_attr(type_index, "__ffi_convert__")->v_obj, &value, 1, out);
}

/* The value is accepted as it is: the same object with one more reference. Releases the value. */
static void check_kept(int32_t type_index, TVMFFIAny value) {
  TVMFFIAny made;
  check_ok(convert(type_index, value, &made));
  assert_memory_equal(&made, &value, sizeof made);
  check_release(&made);
  check_release(&value);
}

static void check_made(int32_t type_index, TVMFFIAny value, const char *repr) {
  TVMFFIAny made;
  check_ok(convert(type_index, value, &made));
  assert_int_equal(made.type_index, type_index);
  check_repr(made, repr);
  check_release(&value);
}

static void check_refused(int32_t type_index, TVMFFIAny value, const char *message) {
  TVMFFIAny made;
  check_fails(convert(type_index, value, &made), "TypeError", message);
  check_release(&value);
}

static TVMFFIAny list(void) {
  return make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(2));
}

static TVMFFIAny array(void) {
  return make2("ffi.Array", tvmffi_any_int(1), tvmffi_any_int(2));
}

static TVMFFIAny map(const char *name) {
  return make2(name, tvmffi_any_int(1), tvmffi_any_int(2));
}

TEST(test_what_is_kept) {
  check_kept(kTVMFFIObject, list());
  check_kept(kTVMFFIObject, tvmffi_any_none());
  check_kept(kTVMFFIFunction, tvmffi_any_none());
  check_kept(kTVMFFITensor, tvmffi_any_none());
  check_kept(kTVMFFIArray, array());
  check_kept(kTVMFFIList, list());
  check_kept(kTVMFFIMap, map("ffi.Map"));
  check_kept(kTVMFFIDict, map("ffi.Dict"));
  check_kept(kTVMFFIFunction, call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0));
}

TEST(test_what_is_made) {
  TVMFFIByteArray bytes = check_bytes("bytes of some length");
  check_made(kTVMFFIArray, list(), "(1, 2)");
  check_made(kTVMFFIList, array(), "[1, 2]");
  check_made(kTVMFFIMap, map("ffi.Dict"), "{1: 2}");
  check_made(kTVMFFIDict, map("ffi.Map"), "{1: 2}");
  check_made(kTVMFFIShape, list(), "Shape(1, 2)");
  check_made(kTVMFFIShape, array(), "Shape(1, 2)");
  check_made(kTVMFFIStr, tvmffi_any_raw_str("a text of some length"), "\"a text of some length\"");
  check_made(kTVMFFIBytes, tvmffi_any_ptr(kTVMFFIByteArrayPtr, &bytes),
             "b\"bytes of some length\"");
}

TEST(test_what_is_refused) {
  check_refused(kTVMFFIObject, tvmffi_any_int(1), "Cannot cast from `int` to `ffi.Object`");
  check_refused(kTVMFFIStr, tvmffi_any_int(1), "Cannot cast from `int` to `str`");
  check_refused(kTVMFFIBytes, tvmffi_any_none(), "Cannot cast from `None` to `bytes`");
  check_refused(kTVMFFIShape, make1("ffi.List", tvmffi_any_float(1)),
                "Cannot cast from `ffi.List` to `ffi.Shape`");
  check_refused(kTVMFFIArray, map("ffi.Map"), "Cannot cast from `ffi.Map` to `Array<Any>`");
  check_refused(kTVMFFIList, tvmffi_any_none(), "Cannot cast from `None` to `List<Any>`");
  check_refused(kTVMFFIMap, list(), "Cannot cast from `ffi.List` to `Map<Any, Any>`");
  check_refused(kTVMFFIDict, array(), "Cannot cast from `ffi.Array` to `Dict<Any, Any>`");
  check_refused(kTvmffiIntEnum, array(), "Cannot cast from `ffi.Array` to `ffi.IntEnum`");
  check_refused(kTvmffiStrEnum, tvmffi_any_bool(1), "Cannot cast from `bool` to `ffi.StrEnum`");
}

RUN_TESTS({
    cmocka_unit_test(test_what_is_kept),
    cmocka_unit_test(test_what_is_made),
    cmocka_unit_test(test_what_is_refused),
})
