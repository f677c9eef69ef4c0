/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "dataclass/dataclass.h"

#include <locale.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "c/walk_support.h"
#include "core/error.h"
#include "support/environment.h"

static int32_t node_type, quiet_type, hooked_type;

static TVMFFIAny bytes_of(const char *data, size_t size) {
  TVMFFIByteArray bytes;
  TVMFFIAny owned;
  bytes.data = data;
  bytes.size = size;
  check_ok(TVMFFIBytesFromByteArray(&bytes, &owned));
  return owned;
}

static TVMFFIAny device_of(int type, int id) {
  TVMFFIAny value = tvmffi_any_int(0);
  value.type_index = kTVMFFIDevice;
  value.v_device.device_type = (DLDeviceType)type;
  value.v_device.device_id = id;
  return value;
}

TEST(test_plain_values) {
  check_repr(tvmffi_any_none(), "None");
  check_repr(tvmffi_any_bool(1), "True");
  check_repr(tvmffi_any_bool(0), "False");
  check_repr(tvmffi_any_int(INT64_MIN), "-9223372036854775808");
  check_repr(tvmffi_any_float(1), "1");
  check_repr(tvmffi_any_float(0.1 + 0.2), "0.3");
  check_repr(tvmffi_any_float(1e20), "1e+20");
  check_repr(tvmffi_any_float(123456789), "1.23457e+08");
  check_repr(device_of(kDLCUDA, 1), "cuda:1");
  check_repr(device_of(kDLTrn, 0), "trn:0");
  check_repr(device_of(6, 0), "unknown:0");
  check_repr(device_of(1000, 2), "unknown:2");
  check_repr(tvmffi_any_ptr(kTVMFFIOpaquePtr, NULL), "void*");
  check_repr(call_ok("ffi.GetInvalidObject", NULL, 0), "<MISSING>");
  check_repr(call_ok("ffi.GetKwargsObject", NULL, 0), "<KWARGS>");
}

TEST(test_texts_and_bytes) {
  check_repr(tvmffi_any_raw_str("a \"b\" \\ \n\t\r\x01\x7f"),
             "\"a \\\"b\\\" \\\\ \\n\\t\\r\\x01\\x7f\"");
  check_repr(tvmffi_any_raw_str("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
             "\"\\u00e9\\u20ac\\U0001f600\"");
  check_repr(tvmffi_any_raw_str("\xff\xc3(\xe2\x82"), "\"\\xff\\xc3(\\xe2\\x82\"");
  check_repr(tvmffi_any_raw_str("\x1b[31;1mred\x1b[0m\x1b[x"), "\"\\x1b[31;1mred\\x1b[0m\\x1b[x\"");
  check_repr(bytes_of("ab\0\xff\"\\", 6), "b\"ab\\x00\\xff\\x22\\x5c\"");
  check_repr(bytes_of("", 0), "b\"\"");
}

TEST(test_containers) {
  TVMFFIAny list = make1("ffi.List", tvmffi_any_int(1));
  check_repr(call_ok("ffi.Array", NULL, 0), "()");
  check_repr(make1("ffi.Array", tvmffi_any_int(1)), "(1,)");
  check_repr(make2("ffi.Array", tvmffi_any_int(1), tvmffi_any_none()), "(1, None)");
  check_repr(call_ok("ffi.List", NULL, 0), "[]");
  check_repr(call_ok("ffi.Map", NULL, 0), "{}");
  check_repr(make2("ffi.Dict", make1("ffi.Array", tvmffi_any_int(1)), share(list)), "{(1,): [1]}");
  check_repr(make2("ffi.Array", list, share(list)), "([1], [1])"); /* shared: printed twice */
}

TEST(test_objects) {
  TVMFFIAny inner = new_node(node_type, tvmffi_any_int(1), tvmffi_any_none());
  check_repr(new_node(node_type, inner, share(inner)),
             "test.Node(value=test.Node(value=1, next=None), next=test.Node(value=1, next=None))");
  check_repr(new_node(quiet_type, tvmffi_any_int(1), tvmffi_any_int(2)), "test.Quiet");
  check_repr(call_ok("ffi.FunctionListGlobalNamesFunctor", NULL, 0), "ffi.Function");
}

TEST(test_cycles) {
  TVMFFIAny list = make_cycle(1);
  check_repr(share(list), "[1, ...]");
  check_repr(make1("ffi.Array", share(list)), "([1, ...],)");
  break_cycle(&list);
}

TEST(test_addresses) {
  TVMFFIAny list = make1("ffi.List", tvmffi_any_int(1));
  char expected[128];
  assert_int_equal(environment_set("TVM_FFI_REPR_WITH_ADDR", "1"), 0);
  (void)snprintf(expected, sizeof expected, "[1]@%p", (void *)list.v_obj);
  check_repr(share(list), expected);
  assert_int_equal(environment_set("TVM_FFI_REPR_WITH_ADDR", "yes"), 0);
  check_repr(list, "[1]");
  assert_int_equal(environment_set("TVM_FFI_REPR_WITH_ADDR", NULL), 0);
}

TEST(test_points_in_every_locale) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  size_t i;
  for (i = 0; i < 4 && setlocale(LC_NUMERIC, names[i]) == NULL; ++i) continue;
  check_repr(tvmffi_any_float(2.5), "2.5");
  setlocale(LC_NUMERIC, "C");
}

/* ---- Hooks: the object's `value` selects what the hook does ---- */

enum { kWraps, kGivesNumber, kFails, kCallsWrongly, kIgnoresError, kPrintsTwice };

static int hook(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  const node *object = as_node(&args[0]);
  TVMFFIAny inner = tvmffi_any_none();
  (void)self;
  assert_int_equal(num_args, 2);
  switch (object->value.v_int64) {
    case kGivesNumber:
      *result = tvmffi_any_int(5);
      return 0;
    case kFails:
      return tvmffi_fail("KeyError", "boo");
    case kCallsWrongly:
      return TVMFFIFunctionCall(args[1].v_obj, (TVMFFIAny *)(uintptr_t)args, 2, result);
    case kIgnoresError:
      assert_int_not_equal(
          TVMFFIFunctionCall(args[1].v_obj, (void *)(uintptr_t)&object->next, 1, &inner), 0);
      TVMFFIErrorSetRaised(NULL);
      assert_int_not_equal(
          TVMFFIFunctionCall(args[1].v_obj, (void *)(uintptr_t)&object->next, 1, &inner), 0);
      TVMFFIErrorSetRaised(NULL);
      inner = tvmffi_any_raw_str("ignored");
      return TVMFFIAnyViewToOwnedAny(&inner, result);
    case kPrintsTwice:
      TVMFFI_TRY(TVMFFIFunctionCall(args[1].v_obj, (void *)(uintptr_t)&object->next, 1, &inner));
      check_release(&inner);
      break;
    default:
      break;
  }
  return TVMFFIFunctionCall(args[1].v_obj, (void *)(uintptr_t)&object->next, 1, result);
}

static TVMFFIAny hooked(int behaviour, TVMFFIAny next) {
  return new_node(hooked_type, tvmffi_any_int(behaviour), next);
}

static void check_hook_fails(TVMFFIAny value, const char *kind, const char *message) {
  TVMFFIAny list = make2("ffi.List", tvmffi_any_int(1), value), text;
  check_fails(tvmffi_repr(&list, &text), kind, message);
  check_release(&list);
}

TEST(test_hooks) {
  TVMFFIAny shared = make1("ffi.List", hooked(kWraps, tvmffi_any_int(7)));
  check_repr(hooked(kWraps, hooked(kWraps, tvmffi_any_raw_str("x"))), "\"x\"");
  check_repr(make2("ffi.Array", hooked(kPrintsTwice, share(shared)), shared), "([7], [7])");
  check_repr(make2("ffi.Array", hooked(kIgnoresError, hooked(kFails, tvmffi_any_none())),
                   tvmffi_any_int(1)),
             "(ignored, 1)");
  check_hook_fails(hooked(kGivesNumber, tvmffi_any_none()), "TypeError",
                   "Cannot convert from type `int` to `str`");
  check_hook_fails(hooked(kFails, tvmffi_any_none()), "KeyError", "boo");
  check_hook_fails(hooked(kCallsWrongly, tvmffi_any_none()), "TypeError",
                   "Mismatched number of arguments when calling: `(0: AnyView) -> str`. Expected 1 "
                   "but got 2 arguments");
}

TEST(test_a_hook_that_is_no_function) {
  int32_t type_index = add_node_type("test.NoFunction", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_attr(type_index, "__ffi_repr__", tvmffi_any_int(1));
  check_hook_fails(
      new_node(type_index, tvmffi_any_none(), tvmffi_any_none()), "TypeError",
      "Cannot treat type `int` as type `(0: ffi.Object, 1: (0: AnyView) -> str) -> str`");
}

TEST(test_shared_values_have_no_text_beyond_the_limit) {
  TVMFFIAny value = make1("ffi.List", tvmffi_any_int(1)), text;
  int i;
  for (i = 0; i < 60; ++i) value = make2("ffi.List", value, share(value));
  (void)TVMFFIRuntimeSetTextLimit(1000000);
  check_fails(tvmffi_repr(&value, &text), "ValueError",
              "ffi.ReprPrint: the text is longer than the limit of 1000000 bytes "
              "(TVMFFIRuntimeSetTextLimit)");
  check_release(&value);
  value = make2("ffi.List", tvmffi_any_int(1), tvmffi_any_int(2));
  (void)TVMFFIRuntimeSetTextLimit(5);
  check_fails(tvmffi_repr(&value, &text), "ValueError",
              "ffi.ReprPrint: the text is longer than the limit of 5 bytes "
              "(TVMFFIRuntimeSetTextLimit)");
  (void)TVMFFIRuntimeSetTextLimit(6);
  check_repr(value, "[1, 2]");
  (void)TVMFFIRuntimeSetTextLimit(0);
}

FIXTURE(make_types) {
  node_type = add_node_type("test.Node", kTVMFFISEqHashKindTreeNode, 0, 0);
  quiet_type = add_node_type("test.Quiet", kTVMFFISEqHashKindTreeNode,
                             kTVMFFIFieldFlagBitMaskReprOff, kTVMFFIFieldFlagBitMaskReprOff);
  hooked_type = add_node_type("test.Hooked", kTVMFFISEqHashKindTreeNode, 0, 0);
  set_hook(hooked_type, "__ffi_repr__", hook);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_values),
      cmocka_unit_test(test_texts_and_bytes),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_objects),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_points_in_every_locale),
      cmocka_unit_test(test_hooks),
      cmocka_unit_test(test_a_hook_that_is_no_function),
      cmocka_unit_test(test_shared_values_have_no_text_beyond_the_limit),
  };
  return cmocka_run_group_tests(tests, make_types, NULL) != 0;
}
