/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads end with an error in their slot, streams set and an announcement record, which the next
 * threads take over, while a function is replaced by writers that walk those records.
 */
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "core/any.h"
#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 6, kGenerations = 400, kDevices = 20, kSets = 20 };

static void set_new_function(void) {
  TVMFFIByteArray name = check_bytes("my.f");
  TVMFFIObjectHandle function = NULL;
  expect(TVMFFIFunctionCreate(NULL, call_seven, NULL, &function) == 0);
  expect(TVMFFIFunctionSetGlobal(&name, function, 1) == 0);
  TVMFFIObjectDecRef(function);
}

static void fetch_and_call(void) {
  TVMFFIByteArray name = check_bytes("my.f");
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny result = tvmffi_any_none();
  expect(TVMFFIFunctionGetGlobal(&name, &function) == 0 && function != NULL);
  if (function == NULL) return;
  expect(TVMFFIFunctionCall(function, NULL, 0, &result) == 0 && result.v_int64 == 7);
  TVMFFIObjectDecRef(function);
}

/* The streams of a thread that ended are not those of the next one. */
static void set_streams(int index) {
  static int marks[kThreads];
  int32_t device;
  for (device = 0; device < kDevices; ++device) {
    TVMFFIStreamHandle original = &marks[0];
    expect(TVMFFIEnvSetStream(kDLCUDA, device, &marks[index], &original) == 0);
    expect(original == NULL);
    expect(TVMFFIEnvGetStream(kDLCUDA, device) == &marks[index]);
  }
}

static void use_and_end(void *shared_error, int index) {
  int i;
  set_streams(index);
  for (i = 0; i < kSets; ++i) {
    if (index < 2) set_new_function();
    fetch_and_call();
  }
  if (index % 2 == 0) {
    TVMFFIErrorSetRaised(shared_error);
  } else {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "still in the slot when the thread ends");
  }
}

TEST(test_threads_end_with_errors_pending) {
  TVMFFIObjectHandle error;
  int i;
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(1));
  check_ok(TVMFFIErrorCreate(NULL, NULL, NULL, &error));
  set_new_function();
  for (i = 0; i < kGenerations; ++i) thread_run_many(kThreads, use_and_end, error);
  assert_int_equal(expect_failures, 0);
  assert_int_equal(check_use_count(error), 1);
  assert_int_equal(TVMFFIRuntimeGetLiveObjectCount(kTVMFFIError), 1);
  TVMFFIObjectDecRef(error);
  check_ok(TVMFFIRuntimeSetLiveObjectCounting(0));
  check_ok(TVMFFIRuntimeShutdown());
}

RUN_TESTS({
    cmocka_unit_test(test_threads_end_with_errors_pending),
})
