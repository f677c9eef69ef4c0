/* SPDX-License-Identifier: Apache-2.0 */
/* Isolated modules that several threads use at the same time, while helpers end. */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/isolated.h>

#include "race/expect.h"
#include "support/check.h"
#include "support/thread.h"

enum { kThreads = 4, kRounds = 60 };

static int load(const char *path, int32_t processes, TVMFFIObjectHandle *out) {
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  options.helper = getenv("TVM_FFI_TEST_HELPER");
  options.processes = processes;
  return tvm_ffi_isolated_load(path, &options, out);
}

/* Whether a call has succeeded, which it should. */
static bool worked(int code) {
  TVMFFIObjectHandle error;
  if (code == 0) return true;
  error = tvm_ffi_error_take();
  if (error != NULL) tvm_ffi_error_print(error, stderr);
  tvm_ffi_object_release(error);
  expect(code == 0);
  return false;
}

static TVMFFIObjectHandle get(TVMFFIObjectHandle module, const char *name) {
  TVMFFIObjectHandle function = NULL;
  (void)worked(tvm_ffi_module_get_function(module, name, &function));
  return function;
}

/* A path that does not change while threads use it. */
static const char *keep_path(const char *file, char *out, size_t size) {
  snprintf(out, size, "%s", module_path(file));
  return out;
}

/* ---- One module ---- */

typedef struct {
  TVMFFIObjectHandle module;
  TVMFFIObjectHandle same, iota, adder, call, add_to; /* all threads call these */
  TVMFFIObjectHandle kept[kThreads];                  /* results, which another thread releases */
} shared_things;

static TVMFFIObjectHandle exchange(TVMFFIObjectHandle *place, TVMFFIObjectHandle object) {
  return __atomic_exchange_n(place, object, __ATOMIC_ACQ_REL);
}

static void expect_same(const shared_things *things, int64_t number) {
  TVMFFIAny arg = tvm_ffi_any_from_int64(number), result = tvm_ffi_any_none();
  if (worked(tvm_ffi_function_call(things->same, &arg, 1, &result))) {
    expect(result.v_int64 == number);
  }
}

static void expect_text(const shared_things *things, int index) {
  char text[] = "a text of thread 0 that is not short";
  TVMFFIByteArray got = {NULL, 0};
  TVMFFIAny arg, result;
  text[17] = (char)('0' + index);
  arg = tvm_ffi_any_view_string(text);
  if (worked(tvm_ffi_function_call(things->same, &arg, 1, &result))) {
    expect(tvm_ffi_any_read_string(&result, &got) == 0 && tvm_ffi_string_equal(got, text));
    tvm_ffi_any_clear(&result);
  }
}

/* A tensor in the helper's memory, and a function there, are released by another thread. */
static void keep_results(shared_things *things, int index) {
  TVMFFIAny args[2], result;
  args[0] = tvm_ffi_any_from_int64(50000);
  if (worked(tvm_ffi_function_call(things->iota, args, 1, &result))) {
    expect(((float *)TVMFFITensorGetDLTensorPtr(result.v_obj)->data)[49999] == 49999);
    tvm_ffi_object_release(exchange(&things->kept[(index + 1) % kThreads], result.v_obj));
  }
  if (worked(tvm_ffi_function_call(things->adder, args, 0, &result))) {
    const TVMFFIObjectHandle adder = result.v_obj;
    args[0] = tvm_ffi_any_from_int64(index);
    args[1] = tvm_ffi_any_from_int64(5);
    if (worked(tvm_ffi_function_call(adder, args, 2, &result))) {
      expect(result.v_int64 == index + 5);
    }
    tvm_ffi_object_release(exchange(&things->kept[(index + 2) % kThreads], adder));
  }
}

static void use_tensors(const shared_things *things) {
  DLDevice cpu = {kDLCPU, 0};
  DLManagedTensorVersioned *shared = NULL;
  float y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t n = 8, i;
  tvm_ffi_vector yv;
  TVMFFIAny args[2], result;
  DLTensor prototype;
  args[0] = tvm_ffi_vector_init(&yv, y, cpu, TVM_FFI_C_FLOAT32, n);
  prototype = yv.tensor;
  if (!worked(tvm_ffi_isolated_allocate(&prototype, &shared, NULL, NULL))) return;
  for (i = 0; i < n; ++i) ((float *)shared->dl_tensor.data)[i] = (float)i;
  args[1] = tvm_ffi_any_view_tensor(&shared->dl_tensor);
  if (worked(tvm_ffi_function_call(things->add_to, args, 2, &result))) expect(y[7] == 15);
  shared->deleter(shared);
}

static shared_things *things_of_callbacks;

/* Calls the module again, within a call of it. */
TVM_FFI_C_FUNCTION(call_again, "(0: int) -> int") {
  int64_t number;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &number));
  expect_same(things_of_callbacks, number + 1);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(number));
}

static void call_back(const shared_things *things, int64_t number) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  if (!worked(TVMFFIFunctionCreate(NULL, call_again, NULL, &function))) return;
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_from_int64(number);
  if (worked(tvm_ffi_function_call(things->call, args, 2, &result))) {
    expect(result.v_int64 == number);
  }
  tvm_ffi_object_release(function);
}

static void use_module(void *context, int index) {
  shared_things *things = context;
  int i;
  for (i = 0; i < kRounds; ++i) {
    int64_t process = 0;
    expect_same(things, 100 * index + i);
    expect_text(things, index);
    keep_results(things, index);
    use_tensors(things);
    call_back(things, i);
    expect(tvm_ffi_isolated_read_process(things->module, index % 2, &process) == 0);
    tvm_ffi_object_release(get(things->module, "nothing"));
  }
}

TEST(test_a_module_is_used_by_many_threads) {
  char path[4096];
  int32_t processes;
  keep_path("isolated_good.so", path, sizeof path);
  for (processes = 2; processes <= 3; ++processes) {
    shared_things things;
    int i;
    memset(&things, 0, sizeof things);
    check_ok(load(path, processes, &things.module));
    things.same = get(things.module, "same");
    things.iota = get(things.module, "iota");
    things.adder = get(things.module, "adder");
    things.call = get(things.module, "call");
    things.add_to = get(things.module, "add_to");
    things_of_callbacks = &things;
    thread_run_many(kThreads, use_module, &things);
    tvm_ffi_object_release(things.module);
    tvm_ffi_object_release(things.same);
    tvm_ffi_object_release(things.iota);
    tvm_ffi_object_release(things.adder);
    tvm_ffi_object_release(things.call);
    tvm_ffi_object_release(things.add_to);
    for (i = 0; i < kThreads; ++i) tvm_ffi_object_release(things.kept[i]);
  }
  assert_int_equal(expect_failures, 0);
}

/* ---- Helpers that end ---- */

typedef struct {
  TVMFFIObjectHandle fine, die_soon;
  int num_good, num_failed;
} mortal;

/* Whether the call succeeded; if not, it says that the helper was killed. */
static bool lives(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIAny result;
  TVMFFIObjectHandle error;
  if (tvm_ffi_function_call(function, args, num_args, &result) == 0) return true;
  error = tvm_ffi_error_take();
  expect(error != NULL && tvm_ffi_error_is(error, TVM_FFI_ISOLATED_CRASH_ERROR));
  tvm_ffi_object_release(error);
  return false;
}

/* One of the threads makes helpers end, in whatever they do then. */
static void outlive(void *context, int index) {
  mortal *things = context;
  int i;
  for (i = 0; i < kRounds; ++i) {
    TVMFFIAny arg = tvm_ffi_any_from_int64(100 * (i % 7) + i % 2);
    int k;
    if (index == 0) (void)lives(things->die_soon, &arg, 1);
    for (k = 0; k < 20; ++k) {
      int *count = lives(things->fine, NULL, 0) ? &things->num_good : &things->num_failed;
      __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    }
  }
}

TEST(test_helpers_end_while_threads_call) {
  char path[4096];
  TVMFFIObjectHandle module = NULL;
  mortal things = {NULL, NULL, 0, 0};
  check_ok(load(keep_path("isolated_bad.so", path, sizeof path), 2, &module));
  things.fine = get(module, "fine");
  things.die_soon = get(module, "die_soon");
  thread_run_many(kThreads, outlive, &things);
  assert_true(things.num_good > 0);
  assert_true(things.num_failed > 0);
  tvm_ffi_object_release(things.fine);
  tvm_ffi_object_release(things.die_soon);
  tvm_ffi_object_release(module);
  assert_int_equal(expect_failures, 0);
}

/* ---- Many modules ---- */

static void load_call_release(void *path, int index) {
  int i;
  for (i = 0; i < kRounds / 4; ++i) {
    TVMFFIObjectHandle module = NULL, iota;
    TVMFFIAny arg = tvm_ffi_any_from_int64(30000 + index), result;
    bool is_called;
    if (!worked(load(path, 1 + i % 2, &module))) return;
    iota = get(module, "iota");
    if (i % 2 == 0) tvm_ffi_object_release(module); /* the function keeps it */
    is_called = worked(tvm_ffi_function_call(iota, &arg, 1, &result));
    tvm_ffi_object_release(iota);
    if (i % 2 != 0) tvm_ffi_object_release(module);
    if (!is_called) return;
    /* The tensor keeps the memory of the helper, which has ended or is about to. */
    expect(((float *)TVMFFITensorGetDLTensorPtr(result.v_obj)->data)[29999] == 29999);
    tvm_ffi_any_clear(&result);
  }
}

TEST(test_threads_load_and_release) {
  char path[4096];
  keep_path("isolated_good.so", path, sizeof path);
  thread_run_many(kThreads, load_call_release, path);
  assert_int_equal(expect_failures, 0);
}

RUN_TESTS({
    cmocka_unit_test(test_a_module_is_used_by_many_threads),
    cmocka_unit_test(test_helpers_end_while_threads_call),
    cmocka_unit_test(test_threads_load_and_release),
})
