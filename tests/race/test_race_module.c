/* SPDX-License-Identifier: Apache-2.0 */
/* One library is loaded, called and closed by several threads while its context symbols change. */
#include <tvm/ffi/extra/c_env_api.h>

#include "c/module_support.h"
#include "core/any.h"
#include "race/expect.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 300 };

static int contexts[kThreads];

/* Calls a global function without cmocka's checks. */
static int call(const char *name, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIByteArray bytes = check_bytes(name);
  TVMFFIObjectHandle function = NULL;
  int rc;
  *result = tvmffi_any_none();
  if (TVMFFIFunctionGetGlobal(&bytes, &function) != 0 || function == NULL) return -1;
  rc = TVMFFIFunctionGetCellPtr(function)->safe_call(function, args, num_args, result);
  TVMFFIObjectDecRef(function);
  return rc;
}

static void load_call_close(void *path, int index) {
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIAny args[3], module, function, result;
    args[0] = tvmffi_any_raw_str(path);
    expect(call("ffi.ModuleLoadFromFile", args, 1, &module) == 0);
    args[0] = module;
    args[1] = tvmffi_any_raw_str("has_no_handle");
    args[2] = tvmffi_any_bool(i % 2 != 0);
    expect(call("ffi.ModuleGetFunction", args, 3, &function) == 0);
    if (i % 3 == 0) tvmffi_any_release(&module); /* the function keeps the library */
    expect(function.type_index == kTVMFFIFunction);
    result = tvmffi_any_none();
    if (function.type_index == kTVMFFIFunction) {
      expect(TVMFFIFunctionCall(function.v_obj, NULL, 0, &result) == 0 && result.v_int64 == 1);
    }
    tvmffi_any_release(&result);
    tvmffi_any_release(&function);
    if (i % 3 != 0) tvmffi_any_release(&module);
    expect(TVMFFIEnvModRegisterContextSymbol("__test_context", &contexts[index]) == 0);
  }
}

TEST(test_a_library_is_loaded_and_closed_by_many_threads) {
  char path[4096];
  (void)strcpy(path, module_path("kernels.so"));
  thread_run_many(kThreads, load_call_close, path);
  assert_int_equal(expect_failures, 0);
}

RUN_TESTS({
    cmocka_unit_test(test_a_library_is_loaded_and_closed_by_many_threads),
})
