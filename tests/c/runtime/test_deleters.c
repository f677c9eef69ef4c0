/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deleters of clients, which run in the thread that releases the last reference: with an error
 * raised there, at the end of a thread, during the shutdown. Each calls Functions, one of which
 * fails, and raises errors.
 */
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"
#include "support/thread.h"

/* What a deleter saw. A deleter must not jump back into the test, so the test checks it. */
typedef struct {
  int num_calls;   /* of the deleter */
  int num_results; /* of the function that works */
  int num_errors;  /* of the function that fails */
  TVMFFIObjectHandle works, fails;
} seen_by_deleter;

TVM_FFI_C_FUNCTION(works_function, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(7));
}

TVM_FFI_C_FUNCTION(fails_function, "() -> int") {
  return tvm_ffi_args_raise(args, 0, TVM_FFI_C_VALUE_ERROR, "must not be asked of a deleter");
}

static void use_functions(void *context) {
  seen_by_deleter *seen = context;
  TVMFFIAny result = tvm_ffi_any_none();
  ++seen->num_calls;
  if (tvm_ffi_function_call(seen->works, NULL, 0, &result) == 0 && result.v_int64 == 7) {
    ++seen->num_results;
  }
  if (tvm_ffi_function_call(seen->fails, NULL, 0, &result) != 0) ++seen->num_errors;
  tvm_ffi_error_raise(TVM_FFI_C_KEY_ERROR, "of a deleter");
}

static seen_by_deleter prepare(void) {
  seen_by_deleter seen;
  memset(&seen, 0, sizeof seen);
  check_ok(TVMFFIFunctionCreate(NULL, works_function, NULL, &seen.works));
  check_ok(TVMFFIFunctionCreate(NULL, fails_function, NULL, &seen.fails));
  return seen;
}

static void check_seen(seen_by_deleter *seen, int num_calls) {
  assert_int_equal(seen->num_calls, num_calls);
  assert_int_equal(seen->num_results, num_calls);
  assert_int_equal(seen->num_errors, num_calls);
}

static void finish(seen_by_deleter *seen) {
  tvm_ffi_object_release(seen->works);
  tvm_ffi_object_release(seen->fails);
}

/* ---- Objects that call a deleter of a client ---- */

static int64_t extent = 2, stride = 1;
static float elements[2];

static void describe(DLTensor *tensor) {
  tvm_ffi_tensor_init(tensor, elements, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1,
                      &extent, &stride);
}

static void delete_managed(DLManagedTensor *managed) {
  use_functions(managed->manager_ctx);
}

static int make_tensor(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  static DLManagedTensor managed;
  describe(&managed.dl_tensor);
  managed.manager_ctx = seen;
  managed.deleter = delete_managed;
  return TVMFFITensorFromDLPack(&managed, 0, 0, out);
}

static void delete_versioned(DLManagedTensorVersioned *managed) {
  use_functions(managed->manager_ctx);
}

static int make_versioned_tensor(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  static DLManagedTensorVersioned managed;
  describe(&managed.dl_tensor);
  managed.version.major = DLPACK_MAJOR_VERSION;
  managed.manager_ctx = seen;
  managed.deleter = delete_versioned;
  return TVMFFITensorFromDLPackVersioned(&managed, 0, 0, out);
}

static void release_memory(void *context, DLTensor *tensor) {
  (void)tensor;
  use_functions(context);
}

static int make_tensor_around_memory(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  DLTensor memory;
  describe(&memory);
  return tvm_ffi_tensor_create_around(&memory, release_memory, seen, out);
}

static int make_function(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  return TVMFFIFunctionCreate(seen, works_function, use_functions, out);
}

static int make_opaque(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  return TVMFFIObjectCreateOpaque(seen, kTVMFFIOpaquePyObject, use_functions, out);
}

static int make_module(seen_by_deleter *seen, TVMFFIObjectHandle *out) {
  static TVMFFIRuntimeModuleVTable table;
  table.struct_size = sizeof table;
  table.kind = "my_kind";
  table.get_function = find_no_function;
  table.destroy = use_functions;
  return TVMFFIRuntimeModuleCreate(&table, seen, out);
}

static int (*const makers[])(seen_by_deleter *seen, TVMFFIObjectHandle *out) = {
    make_tensor,   make_versioned_tensor, make_tensor_around_memory,
    make_function, make_opaque,           make_module};
enum { kNumMakers = sizeof makers / sizeof *makers };

static TVMFFIObjectHandle make(int i, seen_by_deleter *seen) {
  TVMFFIObjectHandle object = NULL;
  check_ok(makers[i](seen, &object));
  return object;
}

/* ---- While an error is raised ---- */

TEST(test_the_raised_error_is_kept) {
  int i;
  for (i = 0; i < kNumMakers; ++i) {
    seen_by_deleter seen = prepare();
    TVMFFIObjectHandle object = make(i, &seen);
    tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "the first one");
    TVMFFIObjectDecRef(object);
    check_seen(&seen, 1);
    check_raised("ValueError", "the first one");
    /* Nobody would ask for an error of a deleter. */
    object = make(i, &seen);
    TVMFFIObjectDecRef(object);
    check_seen(&seen, 2);
    check_not_raised();
    finish(&seen);
  }
}

/* A function that fails, and releases what it has made. */
static int fail_and_clean_up(void *self, const TVMFFIAny *args, int32_t num_args,
                             TVMFFIAny *result) {
  TVMFFIObjectHandle object;
  int code;
  (void)args, (void)num_args, (void)result;
  memcpy(&object, self, sizeof object);
  code = tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR, "of the function");
  TVMFFIObjectDecRef(object);
  return code;
}

TEST(test_a_function_that_cleans_up_fails_with_its_error) {
  int i;
  for (i = 0; i < kNumMakers; ++i) {
    seen_by_deleter seen = prepare();
    TVMFFIObjectHandle object = make(i, &seen), function;
    check_ok(TVMFFIFunctionCreate(&object, fail_and_clean_up, NULL, &function));
    check_fails(tvm_ffi_function_call_void(function, NULL, 0), "RuntimeError", "of the function");
    check_seen(&seen, 1);
    TVMFFIObjectDecRef(function);
    finish(&seen);
  }
}

/* An array that dies with its elements: each deleter runs once, and the error stays. */
TEST(test_many_deleters_at_once) {
  TVMFFIAny items[kNumMakers];
  const TVMFFIByteArray name = {"ffi.Array", 9};
  TVMFFIObjectHandle array = NULL;
  seen_by_deleter seen;
  int i;
  check_ok(TVMFFIFunctionGetGlobal(&name, &array));
  if (array == NULL) skip(); /* the core profile has no containers */
  TVMFFIObjectDecRef(array);
  seen = prepare();
  for (i = 0; i < kNumMakers; ++i) items[i] = tvm_ffi_any_take_object(make(i, &seen));
  check_ok(tvm_ffi_array_create(items, kNumMakers, &array));
  for (i = 0; i < kNumMakers; ++i) tvm_ffi_any_clear(&items[i]);
  tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "the first one");
  TVMFFIObjectDecRef(array);
  check_seen(&seen, kNumMakers);
  check_raised("ValueError", "the first one");
  finish(&seen);
}

/* ---- In a thread that ends ---- */

/* Ends with an error that owns the object. */
static void raise_and_end(void *object) {
  TVMFFIObjectHandle error = NULL;
  if (TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, NULL, object, &error) == 0) {
    TVMFFIErrorSetRaised(error);
  }
  tvm_ffi_object_release(error);
  TVMFFIObjectDecRef(object);
}

/* The last reference is released in this thread, which has an error raised. */
static void release_and_end(void *object) {
  tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR, "still raised");
  TVMFFIObjectDecRef(object);
}

TEST(test_a_thread_ends) {
  int i;
#if defined(TVMFFI_SINGLE_THREAD)
  skip(); /* the test's own thread would have to end */
#endif
  for (i = 0; i < kNumMakers; ++i) {
    seen_by_deleter seen = prepare();
    thread_run(raise_and_end, make(i, &seen), 0);
    check_seen(&seen, 1);
    thread_run(release_and_end, make(i, &seen), 0);
    check_seen(&seen, 2);
    finish(&seen);
  }
  check_not_raised();
}

/* ---- During the shutdown ---- */

static void set_global(const char *name, TVMFFIObjectHandle function) {
  const TVMFFIByteArray text = check_bytes(name);
  check_ok(TVMFFIFunctionSetGlobal(&text, function, 1));
}

TEST(test_the_library_is_shut_down) {
  seen_by_deleter seen = prepare();
  TVMFFIObjectHandle function, error;
  int i;
  function = make(3, &seen);
  set_global("my.last_function", function);
  TVMFFIObjectDecRef(function);
  check_ok(TVMFFIRuntimeShutdown());
  check_seen(&seen, 1);
  /* And what the error of this thread owns. */
  for (i = 0; i < kNumMakers; ++i) {
    TVMFFIObjectHandle object = make(i, &seen);
    check_ok(TVMFFIErrorCreateWithCauseAndExtraContext(NULL, NULL, NULL, NULL, object, &error));
    TVMFFIErrorSetRaised(error);
    TVMFFIObjectDecRef(error);
    TVMFFIObjectDecRef(object);
    check_ok(TVMFFIRuntimeShutdown());
    check_seen(&seen, 2 + i);
    check_not_raised();
  }
  finish(&seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_raised_error_is_kept),
      cmocka_unit_test(test_a_function_that_cleans_up_fails_with_its_error),
      cmocka_unit_test(test_many_deleters_at_once),
      cmocka_unit_test(test_a_thread_ends),
      cmocka_unit_test(test_the_library_is_shut_down),
  };
  return cmocka_run_group_tests(tests, NULL, check_shut_down) != 0;
}
