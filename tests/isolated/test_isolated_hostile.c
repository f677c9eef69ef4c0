/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A helper that writes anything into the shared memory, and kernels that try to talk as the helper,
 * or to keep it from talking: the host gets no wrong result, and an error in time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "isolated/host.h"

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
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  int seed, succeeded = 0;
  options.helper = getenv("TVM_FFI_TEST_HOSTILE");
  options.timeout = options.load_timeout = environment_patience(0.5);
  options.no_restart = 1;
  for (seed = 0; seed < kSeeds; ++seed) {
    char text[32];
    snprintf(text, sizeof text, "%d", seed);
    setenv("TVM_FFI_HOSTILE_SEED", text, 1);
    assert_true(environment_use_processors(seed % 2 != 0));
    succeeded += call_hostile(&options);
  }
  /* Otherwise the answers are too far from messages to test anything. */
  assert_true(succeeded > 0);
  assert_true(num_callbacks > 0);
}

/* ---- Forged messages ---- */

typedef struct {
  const char *words, *kind, *text;
} forgery;

#define DAMAGED TVM_FFI_ISOLATED_CHANNEL_ERROR
#define TOO_MUCH "more memory of the host than options.answer allows"
/* Where sizes have 32 bits, it does not fit the shared memory either. */
#define TOO_LARGE (sizeof(void *) < 8 ? "a tensor is not in the shared memory" : TOO_MUCH)
/* Words 0 to 2 of an answer, and of a call with one argument of what the host has passed. */
#define RETURN "6 0 n "
#define CALL "5 0x100000001 n "

/* The numbers are those of isolated/message.h. */
static const forgery kForgeries[] = {
    {"", DAMAGED, "a message is too short"},
    {"6 0", DAMAGED, "a message is too short"},
    {"6 0 n", DAMAGED, "a message is too short"},
    {"6 0 0 0", DAMAGED, "it belongs to another call"},
    {"6 0 1 0", DAMAGED, "it belongs to another call"},
    {"7 0 1 0", DAMAGED, "it belongs to another call"},
    {"5 1 1", DAMAGED, "it belongs to another call"},
    {"6 0 0xffffffffffffffff 0", DAMAGED, "it belongs to another call"},
    {"5 2 n", DAMAGED, "there is no function with this number"},
    {"5 0 n", DAMAGED, "there is no function with this number"},
    {"5 0xffffffff n", DAMAGED, "there is no function with this number"},
    {"5 0x7fffffff00000001 n", DAMAGED, "a call is too short"},
    {"5 0xffffffff00000001 n", DAMAGED, "a call is too short"},
    {"0x500000006 0 n 0", DAMAGED, "a message is too short"},
    {"1 0x100000000 n 7 0", DAMAGED, "a message is not expected"},
    {"2 0x100000000 n 7 0", DAMAGED, "a message is not expected"},
    {"99 0 n 0", DAMAGED, "a message is not expected"},
    {RETURN "99", DAMAGED, "a value has no type"},
    {RETURN "21", DAMAGED, "a value has no type"},
    {RETURN "1", DAMAGED, "a message is too short"},
    {RETURN "7 0xffffffffffffffff", DAMAGED, "a text is longer than its message"},
    {RETURN "8 16 0", DAMAGED, "a text is longer than its message"},
    {RETURN "9 4 0", DAMAGED, "an integer has no whole words"},
    {RETURN "10 0x4000000000000000", DAMAGED, "a container is larger than its message"},
    {RETURN "11 2 0", DAMAGED, "a container is larger than its message"},
    {RETURN "13 1 0", DAMAGED, "a container is larger than its message"},
    {RETURN "11 1 0x100000010 4096 0x10801 1 1", DAMAGED, "a result is a pointer to a tensor"},
    {RETURN "0x100000010 4096 0x10801 1 1", DAMAGED, "a result is a pointer to a tensor"},
    {RETURN "0x410000000f 4096 0x10801", DAMAGED, "a tensor has too many dimensions"},
    {RETURN "0x10000000f 4096 0x10801 -1 1", DAMAGED, "a tensor is not valid"},
    {RETURN "0x10000000f 4096 0 1 1", DAMAGED, "a tensor is not valid"},
    {RETURN "0x10000000f 4096 0x10801 2 0x8000000000000000", DAMAGED, "a tensor is not "},
    {RETURN "0x10000000f 4096 0x10801 2 0x7fffffffffffffff", DAMAGED, "a tensor is not "},
    {RETURN "0x20000000f 4096 0x10801 2 2 0x7ffffffffffffffe 0x8000000000000001", DAMAGED,
     "a tensor is not "},
    {RETURN "0x10000000f 4096 0x10801 2 -4097", DAMAGED, "not in the shared memory"},
    {RETURN "0x10000000f 8 0x10801 2 1", DAMAGED, "not in the shared memory"},
    {RETURN "0x10000000f 0xffffffffffffffff 0x10801 2 1", DAMAGED, "not in the shared memory"},
    {RETURN "0x100010000000f 4096 0x10801 2 1", DAMAGED, "not in the shared memory"},
    {RETURN "0x200010000000f 4096 0x10801 2 1", DAMAGED, "not in the shared memory"},
    {RETURN "0x300010000000f 4096 0x10801 2 1", DAMAGED, "not in the shared memory"},
    {RETURN "0x11", DAMAGED, "a function has no number"},
    {RETURN "0x900000012", DAMAGED, "there is no function with this number"},
    {RETURN "0x200000013", DAMAGED, "a result is an argument that is no tensor"},
    {RETURN "0x13", DAMAGED, "a result is an argument that is no tensor"},
    {RETURN "20 0 0 0", DAMAGED, "an error has no text"},
    {RETURN "0x100000014 7 0 7 0 7 0 0", DAMAGED, "the cause of an error is none"},
    {"7 0 n 0", "InternalError", "the function failed without an error"},
    /* The place and the size of a message, at both ends of what they may be. */
    {"@4 " RETURN "0", DAMAGED, "a message is not in its place"},
    {"@0x7ffffffffffffff8 " RETURN "0", DAMAGED, "a message is not in its place"},
    {"@0xfffffffffffffff8 #16 " RETURN "0", DAMAGED, "a message is not in its place"},
    {"#0x10000008 " RETURN "0", DAMAGED, "a message is not in its place"},
    {"#0xffffffffffffffff " RETURN "0", DAMAGED, "a message is not in its place"},
    {"#0 " RETURN "0", DAMAGED, "a message is too short"},
    {"#23 " RETURN "0", DAMAGED, "a message is too short"},
    {"#31 " RETURN "0", DAMAGED, "a message is too short"},
    {"#36 " RETURN "1 7", DAMAGED, "a message is too short"},
    {"@0x1000 #0x1000 " RETURN "0", DAMAGED, "it belongs to another call"},
    /* Each kind of value, truncated. */
    {RETURN "3", DAMAGED, "a message is too short"},
    {RETURN "5", DAMAGED, "a message is too short"},
    {RETURN "6", DAMAGED, "a message is too short"},
    {RETURN "7", DAMAGED, "a message is too short"},
    {RETURN "9", DAMAGED, "a message is too short"},
    {RETURN "10", DAMAGED, "a message is too short"},
    {RETURN "10 1", DAMAGED, "a container is larger than its message"},
    {RETURN "14 1 0", DAMAGED, "a container is larger than its message"},
    {RETURN "11 1", DAMAGED, "a container is larger than its message"},
    {RETURN "13 1 0 1", DAMAGED, "a message is too short"},
    {RETURN "0x10000000f 4096", DAMAGED, "a message is too short"},
    {RETURN "0x10000000f 4096 0x10801 1", DAMAGED, "a message is too short"},
    {RETURN "0x100000014 7 0 7 0 7 0", DAMAGED, "a message is too short"},
    {RETURN "20 7 0 7 0xffffffff", DAMAGED, "a text is longer than its message"},
    /* Depth, numbers of objects, and what is released. */
    {RETURN "11 1 x99 0", NULL, NULL},
    {RETURN "11 1 x100 0", DAMAGED, "a container is nested too deep"},
    {RETURN "0x100000014 7 0 7 0 7 0 0x100000014 7 0 7 0 7 0 0x14 7 0 7 0 7 0", NULL, NULL},
    {"0x100000006 0 n 1 0", NULL, NULL},
    {"0x100000006 0 n 0xffffffff 0", NULL, NULL},
    {"0x300000006 0 n 1 1 1 0", NULL, NULL},
    {"0x100000005 1 n 1", DAMAGED, "there is no function with this number"},
    {"0xffffffff00000006 0 n 1 0", DAMAGED, "a message is too short"},
    {RETURN "0x300010000000f h 0x10801 2 1 0", DAMAGED, "a tensor has no number"},
    {RETURN "0x300010000000f h 0x10801 2 1 0x100000000", DAMAGED, "a tensor has no number"},
    {CALL "0x300010000000f h 0x10801 2 1 1", DAMAGED, "not in the shared memory"},
    {CALL "0x13", DAMAGED, "a result is an argument that is no tensor"},
    {CALL "0x100000012", TVM_FFI_ISOLATED_TIMEOUT_ERROR, "it took longer than"},
    /* Repeated, and out of turn: the calls after it fail, or have their own results. */
    {"! " RETURN "0", NULL, NULL},
    {"1 0x100000000 n 0", DAMAGED, "a message is not expected"},
    {"0 0 n 0", DAMAGED, "a message is not expected"},
    {"8 0 n 0", DAMAGED, "a message is not expected"},
    /* Keys that collide: 8 ms for 1000, but an hour for 1000000. */
    {RETURN "13 1000 k1000", NULL, NULL},
    {RETURN "13 30000 k30000", DAMAGED, TOO_MUCH},
    {RETURN "14 30000 k30000", DAMAGED, TOO_MUCH},
    {RETURN "13 30000 t30000", DAMAGED, TOO_MUCH},
    {CALL "14 30000 t30000", DAMAGED, TOO_MUCH},
    /* What takes more memory or time than a host has: 8 GiB, and 2^40 elements in few bytes. */
    {RETURN "0x10000000f 4096 0x10801 0x200000000 1", DAMAGED, TOO_LARGE},
    {CALL "0x10000000f 4096 0x10801 0x200000000 1", DAMAGED, TOO_LARGE},
    {CALL "0x100000010 4096 0x10801 0x200000000 1", DAMAGED, TOO_LARGE},
    {RETURN "0x10000000f 4096 0x10801 0x10000000000 0", NULL, NULL},
    {RETURN "0x20000000f 4096 0x10801 0x100000 0x100000 1 1", NULL, NULL},
    {RETURN "0x20000000f 4096 0x12004 0x100000 0x100000 1 0", NULL, NULL},
    /* Endless callbacks, of which each is short, with copies of tensors whose elements repeat. */
    {"5 1 n", TVM_FFI_ISOLATED_TIMEOUT_ERROR, "it took longer than"},
    {CALL "0x100000010 4096 0x10801 0x10000000000 0", TVM_FFI_ISOLATED_TIMEOUT_ERROR,
     "it took longer than"},
    {CALL "0x10000000f 4096 0x10801 0x400000 1", TVM_FFI_ISOLATED_TIMEOUT_ERROR,
     "it took longer than"},
};

/* The helper writes to the copies of the arguments first: they stay as they were all the same. */
static void check_forgery(const forgery *expected, TVMFFIObjectHandle callback) {
  static float data[64];
  tvm_ffi_isolated_options options = TVM_FFI_ISOLATED_OPTIONS_INIT;
  DLDevice cpu = {kDLCPU, 0};
  TVMFFIObjectHandle module = NULL, function = NULL;
  TVMFFIAny args[2], result;
  tvm_ffi_vector v;
  const double begin = host_now();
  int code, i;
  printf("`%s`\n", expected->words); /* a crash of this program ends the list */
  fflush(stdout);
  options.helper = getenv("TVM_FFI_TEST_HOSTILE");
  options.timeout = environment_patience(0.5);
  setenv("TVM_FFI_HOSTILE_WORDS", expected->words, 1);
  memset(data, 0, sizeof data);
  args[0] = tvm_ffi_any_view_object(callback);
  args[1] = tvm_ffi_vector_init(&v, data, cpu, TVM_FFI_C_FLOAT32, 64);
  check_ok(tvm_ffi_isolated_load("any.so", &options, &module));
  check_ok(tvm_ffi_module_get_function(module, "f", &function));
  code = tvm_ffi_function_call(function, args, 2, &result);
  if (expected->kind == NULL) {
    check_ok(code);
    assert_true(data[0] != 0);
    tvm_ffi_any_clear(&result);
  } else {
    check_fails_with(code, expected->kind, expected->text);
    for (i = 0; i < 64; ++i) assert_true(data[i] == 0);
  }
  if (host_now() - begin > environment_patience(2)) {
    fail_msg("`%s` took %g s", expected->words, host_now() - begin);
  }
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(module);
}

TEST(test_forged) {
  TVMFFIObjectHandle callback = NULL;
  size_t i;
  check_ok(TVMFFIFunctionCreate(NULL, look, NULL, &callback));
  for (i = 0; i < sizeof kForgeries / sizeof *kForgeries; ++i) {
    check_forgery(&kForgeries[i], callback);
  }
  unsetenv("TVM_FFI_HOSTILE_WORDS");
  assert_int_equal(check_use_count(callback), 1);
  tvm_ffi_object_release(callback);
}

/* ---- Kernels ---- */

/* Processes that a kernel has started return from it while other calls run: nobody hears them. */
static void check_forks(int64_t how) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  const int64_t pid = host_read_process(module);
  const double begin = host_now();
  TVMFFIAny arg = tvm_ffi_any_from_int64(how), result;
  TVMFFIObjectHandle echo = NULL;
  int64_t i = 0;
  check_ok(tvm_ffi_module_get_function(module, "echo", &echo));
  check_ok(host_call(module, "fork_and_return", &arg, 1, &result));
  assert_int_equal(result.v_int64, 1);
  while (i < 2000 || host_now() - begin < 0.05) {
    arg = tvm_ffi_any_from_int64(1000 + i);
    check_ok(tvm_ffi_function_call(echo, &arg, 1, &result));
    assert_int_equal(result.v_int64, 1000 + i);
    ++i;
  }
  assert_int_equal(host_read_process(module), pid);
  tvm_ffi_object_release(echo);
  tvm_ffi_object_release(module);
}

TEST(test_processes_that_return) {
  check_forks(0);
  check_forks(1);
  check_forks(3);
}

/* Whatever is written there: the next calls have their own results, or there is an error in time.
 */
static void check_overwritten(int64_t byte, bool often) {
  const TVMFFIObjectHandle module = host_load("isolated_bad.so");
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle echo = NULL;
  double begin;
  int64_t i;
  check_ok(tvm_ffi_module_get_function(module, "echo", &echo));
  args[0] = tvm_ffi_any_from_int64(byte);
  args[1] = tvm_ffi_any_from_bool(often);
  (void)alarm(30 * environment_slower());
  begin = host_now();
  if (host_call(module, "overwrite_words", args, 2, &result) != 0) TVMFFIErrorSetRaised(NULL);
  assert_true(host_now() - begin < environment_patience(1.2));
  for (i = 0; i < 10; ++i) {
    args[0] = tvm_ffi_any_from_int64(i);
    begin = host_now();
    if (tvm_ffi_function_call(echo, args, 1, &result) == 0) {
      assert_int_equal(result.v_int64, i);
    } else {
      TVMFFIErrorSetRaised(NULL);
    }
    assert_true(host_now() - begin < environment_patience(1));
    usleep(2000);
  }
  (void)alarm(0);
  tvm_ffi_object_release(echo);
  tvm_ffi_object_release(module);
}

TEST(test_overwritten_words) {
  static const int64_t kBytes[] = {0, 1, 2, 0x5a, 0xff};
  size_t i;
  if (access("/proc/self/maps", R_OK) != 0) skip();
  for (i = 0; i < sizeof kBytes / sizeof *kBytes; ++i) {
    check_overwritten(kBytes[i], false);
    check_overwritten(kBytes[i], true);
  }
}

RUN_TESTS({
    cmocka_unit_test(test_hostile),
    cmocka_unit_test(test_forged),
    cmocka_unit_test(test_processes_that_return),
    cmocka_unit_test(test_overwritten_words),
})
