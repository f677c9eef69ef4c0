/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "support/check.h"
#include "support/oom.h"

typedef struct {
  TVMFFIObjectHandle function;
  TVMFFIAny args[2], result;
} call;

static int run(void *context) {
  call *c = context;
  return TVMFFIFunctionCall(c->function, c->args, c->args[0].type_index == kTVMFFINone ? 0 : 2,
                            &c->result);
}

static void no_result(void *context) {
  assert_int_equal(((call *)context)->result.type_index, kTVMFFINone);
}

static void undo(void *context) {
  check_release(&((call *)context)->result);
}

static long count_failures(const char *name, TVMFFIAny a, TVMFFIAny b) {
  TVMFFIByteArray bytes = check_bytes(name);
  long failures;
  call c;
  c.args[0] = a;
  c.args[1] = b;
  c.result = tvmffi_any_none();
  check_ok(TVMFFIFunctionGetGlobal(&bytes, &c.function));
  failures = oom_check(run, no_result, undo, &c, 0);
  TVMFFIObjectDecRef(c.function);
  return failures;
}

static void test_every_allocation(void **state) {
  TVMFFIAny text = tvmffi_any_raw_str("a text of some length"), none = tvmffi_any_none(), array;
  call c;
  TVMFFIByteArray name = check_bytes("ffi.Array");
  (void)state;
  assert_int_equal(count_failures("ffi.Array", text, text), 3);
  assert_true(count_failures("ffi.GetRegisteredTypeKeys", none, none) > 10);
  check_ok(TVMFFIFunctionGetGlobal(&name, &c.function));
  array = none;
  check_ok(TVMFFIFunctionCall(c.function, &text, 1, &array));
  assert_int_equal(count_failures("ffi.ArrayContains", array, text), 1);
  check_release(&array);
  TVMFFIObjectDecRef(c.function);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
  oom_install();
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
