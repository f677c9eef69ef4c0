/* SPDX-License-Identifier: Apache-2.0 */
/* A helper that writes anything into the shared memory does not harm the host. */
#define _GNU_SOURCE
#include <sched.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/isolated.h>

#include "support/check.h"
#include "support/environment.h"

static int64_t num_callbacks;

/* Reads what it gets, as a callback does. */
TVM_FFI_C_FUNCTION(look, "(...) -> int") {
  int32_t i;
  ++num_callbacks;
  for (i = 0; i < args->num_args; ++i) {
    DLTensor *tensor;
    if (tvm_ffi_any_try_tensor(&args->args[i], &tensor) && tensor->ndim == 1 &&
        tensor->shape[0] > 0) {
      num_callbacks += ((const char *)tvm_ffi_tensor_get_data(tensor))[0] == 1;
    }
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
}

/* Makes a text of the value, which reads all of it. */
static void read_all(TVMFFIAny *value) {
  TVMFFIAny text;
  if (tvm_ffi_function_call_global("ffi.ReprPrint", value, 1, &text) == 0) {
    tvm_ffi_any_clear(&text);
  }
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_any_clear(value);
}

/* Returns how many of the calls succeeded. */
static int call_hostile(const tvm_ffi_isolated_options *options) {
  static float data[64];
  DLDevice cpu = {kDLCPU, 0};
  TVMFFIObjectHandle module = NULL, function = NULL, callback = NULL;
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  int i, succeeded = 0;
  check_ok(TVMFFIFunctionCreate(NULL, look, NULL, &callback));
  args[0] = tvm_ffi_any_view_object(callback);
  args[1] = tvm_ffi_vector_init(&v, data, cpu, TVM_FFI_C_FLOAT32, 64);
  if (tvm_ffi_isolated_load("any.so", options, &module) == 0 &&
      tvm_ffi_module_find_function(module, "f", &function) == 0 && function != NULL) {
    for (i = 0; i < 4; ++i) {
      if (tvm_ffi_function_call(function, args, 2, &result) != 0) break;
      read_all(&result);
      ++succeeded;
    }
  }
  TVMFFIErrorSetRaised(NULL);
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(module);
  assert_int_equal(check_use_count(callback), 1);
  tvm_ffi_object_release(callback);
  return succeeded;
}

/* Half of the helpers have one processor, on which the host sleeps rather than spins. */
TEST(test_hostile) {
  enum { kSeeds = 400 };
  cpu_set_t all, first;
  size_t processor = 0;
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  int seed, succeeded = 0;
  options.helper = getenv("TVM_FFI_TEST_HOSTILE");
  options.timeout = options.load_timeout = environment_patience(0.5);
  options.no_restart = 1;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(processor, &all)) ++processor;
  CPU_ZERO(&first);
  CPU_SET(processor, &first);
  for (seed = 0; seed < kSeeds; ++seed) {
    char text[32];
    snprintf(text, sizeof text, "%d", seed);
    setenv("TVM_FFI_HOSTILE_SEED", text, 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, seed % 2 == 0 ? &all : &first), 0);
    succeeded += call_hostile(&options);
  }
  /* Otherwise the answers are too far from messages to test anything. */
  assert_true(succeeded > 0);
  assert_true(num_callbacks > 0);
}

RUN_TESTS({cmocka_unit_test(test_hostile)})
