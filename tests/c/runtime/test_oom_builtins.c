/* SPDX-License-Identifier: Apache-2.0 */
#include "core/any.h"
#include "core/builtins.h"
#include "core/global.h"
#include "support/check.h"
#include "support/oom.h"

/* A call of a built-in function that was fetched before. */
typedef struct {
  TVMFFIAny result, args[3];
  int32_t num_args;
  TVMFFIObject *function;
} job;

static void begin(job *j, const char *name, int32_t num_args) {
  memset(j, 0, sizeof *j);
  check_ok(tvmffi_global_get(name, strlen(name), &j->function));
  assert_non_null(j->function);
  j->num_args = num_args;
}

static int call(void *context) {
  job *j = context;
  return TVMFFIFunctionCall(j->function, j->args, j->num_args, &j->result);
}

TEST(test_results) {
  job j;
  begin(&j, "ffi.String", 1);
  j.args[0] = tvmffi_any_raw_str("a text of more than seven bytes");
  assert_int_equal(oom_check(call, oom_no_result, oom_release_result, &j, 0), 1);
  TVMFFIObjectDecRef(j.function);
  begin(&j, "ffi.Shape", 3);
  j.args[0] = j.args[1] = j.args[2] = tvmffi_any_int(2);
  assert_int_equal(oom_check(call, oom_no_result, oom_release_result, &j, 0), 1);
  TVMFFIObjectDecRef(j.function);
  begin(&j, "ffi.FunctionListGlobalNamesFunctor", 0);
  assert_int_equal(oom_check(call, oom_no_result, oom_release_result, &j, 0), 1);
  TVMFFIObjectDecRef(j.function);
  begin(&j, "ffi.FunctionFromExternC", 3);
  j.args[1] = tvmffi_any_ptr(kTVMFFIOpaquePtr, j.function);
  assert_int_equal(oom_check(call, oom_no_result, oom_release_result, &j, 0), 1);
  TVMFFIObjectDecRef(j.function);
}

TEST(test_a_wrong_argument) {
  job j;
  begin(&j, "ffi.FunctionRemoveGlobal", 1);
  j.args[0] = tvmffi_any_int(2);
  assert_true(oom_check_failing(call, &j, "TypeError") >= 2); /* a text, the error */
  TVMFFIObjectDecRef(j.function);
}

TEST(test_the_sentinels_need_no_memory) {
  job j;
  begin(&j, "ffi.GetInvalidObject", 0);
  assert_int_equal(oom_check(call, oom_no_result, oom_release_result, &j, 0), 0);
  TVMFFIObjectDecRef(j.function);
}

static int make_function(void *context) {
  job *j = context;
  tvmffi_builtin builtin;
  (void)tvmffi_builtin_read(tvmffi_core_builtins.texts, &builtin);
  builtin.body = tvmffi_core_builtins.bodies[0];
  j->function = tvmffi_builtin_new_function(&builtin);
  return j->function != NULL ? 0 : -1;
}

static void release_function(void *context) {
  TVMFFIObjectDecRef(((job *)context)->function);
}

TEST(test_the_function_object) {
  job j;
  memset(&j, 0, sizeof j);
  assert_int_equal(oom_check(make_function, NULL, release_function, &j, 0), 1);
}

RUN_OOM_TESTS({
    test_and_oom_shut_down(test_results),
    test_and_oom_shut_down(test_a_wrong_argument),
    test_and_oom_shut_down(test_the_sentinels_need_no_memory),
    test_and_oom_shut_down(test_the_function_object),
})
