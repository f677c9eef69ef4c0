/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkdtemp */
#include <fenv.h>
#include <tvm/ffi/c/host.h>
#include <tvm/ffi/extra/c_runtime_api.h>

#include "support/check.h"
#include "support/environment.h"
#include "support/thread.h"
#if !defined(_WIN32)
#include <unistd.h>
#endif

/* ---- The cache ---- */

static int num_loaded, refuse;

static int count_loaded(TVMFFIObjectHandle module) {
  assert_int_equal(TVMFFIObjectGetTypeIndex(module), kTVMFFIModule);
  ++num_loaded;
  return refuse; /* without raising an error */
}

static tvm_ffi_function_cache new_cache(void) {
  tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;
  num_loaded = refuse = 0;
  cache.on_load = count_loaded;
  return cache;
}

static void check_adds(TVMFFIObjectHandle function) {
  TVMFFIAny args[2], result;
  args[0] = tvm_ffi_any_from_int64(40);
  args[1] = tvm_ffi_any_from_int64(2);
  check_ok(tvm_ffi_function_call(function, args, 2, &result));
  assert_int_equal(result.v_int64, 42);
}

TEST(test_a_cache_loads_once) {
  tvm_ffi_function_cache cache = new_cache();
  TVMFFIObjectHandle add = NULL, again = NULL, other = NULL;
  int i;
  check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "add", &add));
  check_adds(add);
  for (i = 0; i < 3; ++i) {
    check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "add", &again));
    assert_ptr_equal(again, add);
    tvm_ffi_object_release(again);
    check_ok(tvm_ffi_function_cache_get_current(&cache, module_path("kernels.so"), "add", &again));
    assert_ptr_equal(again, add);
    tvm_ffi_object_release(again);
  }
  check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "raise", &other));
  assert_ptr_not_equal(other, add);
  tvm_ffi_object_release(other);
  assert_int_equal(num_loaded, 1);
  check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels_named.so"), "add", &other));
  assert_ptr_not_equal(other, add);
  tvm_ffi_object_release(other);
  assert_int_equal(num_loaded, 2);

  assert_int_equal(check_use_count(add), 2);
  tvm_ffi_function_cache_clear(&cache);
  assert_int_equal(check_use_count(add), 1);
  check_adds(add); /* it keeps its library */
  tvm_ffi_object_release(add);
  check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "add", &add));
  assert_int_equal(num_loaded, 3);
  tvm_ffi_object_release(add);
  tvm_ffi_function_cache_clear(&cache);
  tvm_ffi_function_cache_clear(&cache);
}

TEST(test_failures_are_not_cached) {
  tvm_ffi_function_cache cache = new_cache();
  TVMFFIObjectHandle function = NULL;
  check_fails_with(
      tvm_ffi_function_cache_get(&cache, module_path("no_such_library.so"), "add", &function),
      "InternalError", "Failed to load dynamic shared library");
  check_fails_with(tvm_ffi_function_cache_get_current(&cache, module_path("no_such_library.so"),
                                                      "add", &function),
                   "InternalError", "Failed to load dynamic shared library");
  check_fails(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "no_such", &function),
              "AttributeError", "Module has no function `no_such`");
  tvm_ffi_error_raise("Old", "error");
  refuse = -1;
  check_fails(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "add", &function),
              "InternalError", "callee returned -1 without setting an error");
  assert_null(function);
  refuse = 0;
  check_ok(tvm_ffi_function_cache_get(&cache, module_path("kernels.so"), "add", &function));
  check_adds(function);
  tvm_ffi_object_release(function);
  tvm_ffi_function_cache_clear(&cache);
}

typedef struct {
  tvm_ffi_function_cache *cache;
  const char *path;
  int wrong[4];
} shared;

static void get_often(void *arg, int index) {
  shared *self = (shared *)arg;
  int i;
  for (i = 0; i < 2000; ++i) {
    TVMFFIObjectHandle function = NULL;
    TVMFFIAny args[2], result;
    args[0] = tvm_ffi_any_from_int64(i);
    args[1] = tvm_ffi_any_from_int64(index);
    if (i % 500 == 499) tvm_ffi_function_cache_clear(self->cache);
    if ((i % 3 == 0 ? tvm_ffi_function_cache_get_current(self->cache, self->path, "add", &function)
                    : tvm_ffi_function_cache_get(self->cache, self->path, "add", &function)) != 0 ||
        tvm_ffi_function_call(function, args, 2, &result) != 0 || result.v_int64 != i + index) {
      ++self->wrong[index];
    }
    tvm_ffi_object_release(function);
  }
}

TEST(test_threads_share_a_cache) {
  tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;
  shared self = {NULL, NULL, {0}};
  int i;
  self.cache = &cache;
  self.path = module_path("kernels.so");
  thread_run_many(4, get_often, &self);
  for (i = 0; i < 4; ++i) assert_int_equal(self.wrong[i], 0);
  tvm_ffi_function_cache_clear(&cache);
}

#if !defined(_WIN32) /* which does not let a library be replaced that is loaded */

/* Replaces the file at the path by a copy of a library of the tests, or by a text for NULL. */
static void put_copy(const char *file, const char *path) {
  char bytes[4096], fresh[4096];
  FILE *source = fopen(module_path(file != NULL ? file : "kernels.so"), "rb"), *copy;
  size_t n;
  (void)snprintf(fresh, sizeof fresh, "%s.fresh", path);
  copy = fopen(fresh, "wb");
  assert_non_null(source);
  assert_non_null(copy);
  if (file == NULL) assert_int_equal(fwrite("no library", 1, 10, copy), 10);
  while (file != NULL && (n = fread(bytes, 1, sizeof bytes, source)) != 0) {
    assert_int_equal(fwrite(bytes, 1, n, copy), n);
  }
  (void)fclose(source);
  assert_int_equal(fclose(copy), 0);
  assert_int_equal(rename(fresh, path), 0);
}

TEST(test_a_replaced_library_is_noticed) {
  char folder[kEnvironmentPath], path[sizeof folder + 16];
  tvm_ffi_function_cache cache = new_cache();
  TVMFFIObjectHandle old = NULL, raise = NULL, fresh = NULL, again = NULL;
  environment_temporary("tvm_ffi_host", folder);
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/k.so", folder);
  put_copy("kernels.so", path);
  check_ok(tvm_ffi_function_cache_get_current(&cache, path, "add", &old));
  check_ok(tvm_ffi_function_cache_get_current(&cache, path, "raise", &raise));
  assert_int_equal(num_loaded, 1);

  put_copy("kernels_named.so", path);
  check_ok(tvm_ffi_function_cache_get(&cache, path, "add", &again)); /* does not look */
  assert_ptr_equal(again, old);
  tvm_ffi_object_release(again);
  check_ok(tvm_ffi_function_cache_get_current(&cache, path, "add", &fresh));
  assert_ptr_not_equal(fresh, old);
  assert_int_equal(num_loaded, 2);
  assert_int_equal(check_use_count(old), 1); /* the cache has let go of what it replaced */
  assert_int_equal(check_use_count(raise), 1);
  check_adds(old);
  check_adds(fresh);
  check_ok(tvm_ffi_function_cache_get(&cache, path, "add", &again));
  assert_ptr_equal(again, fresh);
  tvm_ffi_object_release(again);

  /* One that cannot be loaded, and then none at all: what is there stays in use. */
  put_copy(NULL, path);
  check_fails_with(tvm_ffi_function_cache_get_current(&cache, path, "add", &again), "InternalError",
                   "Failed to load dynamic shared library");
  check_ok(tvm_ffi_function_cache_get(&cache, path, "add", &again));
  assert_ptr_equal(again, fresh);
  tvm_ffi_object_release(again);
  assert_int_equal(unlink(path), 0);
  check_ok(tvm_ffi_function_cache_get_current(&cache, path, "add", &again));
  assert_ptr_equal(again, fresh);
  tvm_ffi_object_release(again);

  tvm_ffi_object_release(old);
  tvm_ffi_object_release(raise);
  tvm_ffi_object_release(fresh);
  tvm_ffi_function_cache_clear(&cache);
  assert_int_equal(rmdir(folder), 0);
}

/* A service whose kernels are rebuilt again and again does not grow. */
TEST(test_replaced_libraries_are_unloaded) {
  char folder[kEnvironmentPath], path[sizeof folder + 16];
  tvm_ffi_function_cache cache = TVM_FFI_C_FUNCTION_CACHE_INIT;
  TVMFFIObjectHandle function = NULL;
  static int closed;
  int i;
  cache.on_load = TVMFFIRuntimeModuleAllowUnload;
  check_ok(TVMFFIEnvModRegisterContextSymbol("__test_closed", &closed));
  environment_temporary("tvm_ffi_host", folder);
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/k.so", folder);
  for (i = 0; i < 5; ++i) {
    put_copy(i % 2 == 0 ? "kernels.so" : "kernels_named.so", path);
    check_ok(tvm_ffi_function_cache_get_current(&cache, path, "add", &function));
    check_adds(function);
    tvm_ffi_object_release(function);
    check_closed(closed, i);
  }
  tvm_ffi_function_cache_clear(&cache);
  check_closed(closed, 5);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

#endif

/* ---- The floating-point state ---- */

#if defined(FE_UPWARD) && defined(FE_INEXACT)

static int round_upward(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self;
  (void)args;
  (void)num_args;
  (void)result;
  if (fesetround(FE_UPWARD) != 0 || feraiseexcept(FE_INEXACT) != 0) {
    return tvm_ffi_error_raise("NoRounding", "this processor rounds in one way only");
  }
  return tvm_ffi_error_raise("Rounded", "upward"); /* after an error too */
}

TEST(test_a_kernel_that_changes_the_rounding) {
  TVMFFIObjectHandle function = NULL, error;
  TVMFFIAny result;
  bool has_rounding;
  check_ok(TVMFFIFunctionCreate(NULL, round_upward, NULL, &function));
  assert_int_equal(fesetround(FE_TONEAREST), 0);
  assert_int_equal(feclearexcept(FE_ALL_EXCEPT), 0);
  assert_int_equal(tvm_ffi_float_state_call(function, NULL, 0, &result), -1);
  assert_int_equal(fegetround(), FE_TONEAREST);
  assert_int_equal(fetestexcept(FE_INEXACT), 0);
  assert_true(tvm_ffi_any_is_none(&result));
  error = tvm_ffi_error_take();
  has_rounding = tvm_ffi_error_is(error, "Rounded");
  tvm_ffi_object_release(error);
  if (has_rounding) { /* without it the change would stay */
    assert_int_equal(tvm_ffi_function_call(function, NULL, 0, &result), -1);
    check_raised("Rounded", "upward");
    assert_int_equal(fegetround(), FE_UPWARD);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
  }
  tvm_ffi_object_release(function);
}

#endif

/* ---- Threads with deadlines ---- */

TEST(test_priming_leaves_the_thread_as_it_was) {
  DLDevice devices[2];
  TVMFFIObjectHandle error;
  devices[0] = tvm_ffi_device_make(kDLCUDA, 1);
  devices[1] = tvm_ffi_device_make(kDLROCM, 0);
  check_ok(TVMFFIEnvSetStream(kDLROCM, 0, devices, NULL));
  tvm_ffi_error_raise("Kind", "raised before");
  error = tvm_ffi_error_take();
  assert_int_equal(tvm_ffi_error_raise_prepared(error), -1);
  check_ok(tvm_ffi_thread_prime(devices, 2));
  check_raised("Kind", "raised before");
  assert_int_equal(check_use_count(error), 1);
  tvm_ffi_object_release(error);
  assert_null(TVMFFIEnvGetStream(kDLCUDA, 1));
  assert_ptr_equal(TVMFFIEnvGetStream(kDLROCM, 0), devices);
  check_ok(TVMFFIEnvSetStream(kDLROCM, 0, NULL, NULL));
  check_ok(tvm_ffi_thread_prime(NULL, 0));
  devices[1].device_id = -1;
  check_fails(tvm_ffi_thread_prime(devices, 2), "ValueError", "Device (10, -1) is negative");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cache_loads_once),
    cmocka_unit_test(test_failures_are_not_cached),
    cmocka_unit_test(test_threads_share_a_cache),
#if !defined(_WIN32)
    cmocka_unit_test(test_a_replaced_library_is_noticed),
    cmocka_unit_test(test_replaced_libraries_are_unloaded),
#endif
#if defined(FE_UPWARD) && defined(FE_INEXACT)
    cmocka_unit_test(test_a_kernel_that_changes_the_rounding),
#endif
    cmocka_unit_test(test_priming_leaves_the_thread_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
