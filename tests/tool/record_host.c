/* SPDX-License-Identifier: Apache-2.0 */
/* A program for the tests of `tvm-ffi record`: record_host LIBRARY DEED prints what it sees. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#if defined(__linux__)
#include <link.h>
#endif
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h> /* (strstr)(...) is not glibc's macro with _Generic: C99 has none */
#include <sys/resource.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>
#if defined(WITH_RECORDER)
#include <tvm/ffi/extra/record.h>
#endif

enum { kThreads = 8, kCalls = 100, kLength = 16, kLarge = 200000 };

static const char *library;

static TVMFFIObjectHandle load(const char *name) {
  TVMFFIObjectHandle function = NULL;
  if (tvm_ffi_module_load_function(library, name, &function) != 0) {
    TVMFFIObjectHandle error = tvm_ffi_error_take();
    printf("%s\n", tvm_ffi_error_get_message(error).data);
    exit(2);
  }
  return function;
}

static void init_vector(DLTensor *out, float *data, int64_t *length, int64_t *stride) {
  *length = kLength;
  tvm_ffi_tensor_init(out, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, length,
                      stride);
}

/* Calls add; prints a failure unless it must be there. Returns whether it failed. */
static int add(TVMFFIObjectHandle function, DLTensor *y, DLTensor *x, int64_t n) {
  TVMFFIAny args[3];
  char expected[64];
  TVMFFIObjectHandle error;
  args[0] = tvm_ffi_any_view_tensor(y);
  args[1] = tvm_ffi_any_view_tensor(x);
  args[2] = tvm_ffi_any_from_int64(n);
  if (tvm_ffi_function_call_void(function, args, 3) == 0) return 0;
  error = tvm_ffi_error_take();
  (void)snprintf(expected, sizeof expected, "n is %lld", (long long)n);
  if (strcmp(tvm_ffi_error_get_message(error).data, expected) != 0) {
    printf("another error: %s\n", tvm_ffi_error_get_message(error).data);
  }
  tvm_ffi_object_release(error);
  return 1;
}

static void *run_thread(void *context) {
  TVMFFIObjectHandle function = load("add");
  float a[kLength], b[kLength];
  int64_t lengths[2], strides[2], n, *failed = context;
  DLTensor x, y;
  init_vector(&x, a, &lengths[0], &strides[0]);
  init_vector(&y, b, &lengths[1], &strides[1]);
  for (n = 0; n < kLength; ++n) a[n] = b[n] = (float)n;
  for (n = 0; n < kCalls; ++n) *failed += add(function, &y, &x, n);
  tvm_ffi_object_release(function);
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[kThreads];
  int64_t failed[kThreads] = {0}, total = 0;
  int i;
  for (i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, run_thread, &failed[i]) != 0) exit(2);
  }
  for (i = 0; i < kThreads; ++i) {
    (void)pthread_join(threads[i], NULL);
    total += failed[i];
  }
  printf("%lld failed\n", (long long)total);
}

/* A number of calls of add with one buffer of twice the length: y is the odd elements, x the even
 * ones. */
static void run_adds(int64_t begin, int64_t end) {
  TVMFFIObjectHandle function = load("add");
  float data[2 * kLength];
  int64_t length = kLength, stride = 2, n;
  DLTensor x, y;
  for (n = 0; n < 2 * kLength; ++n) data[n] = (float)n;
  init_vector(&x, data, &length, &stride);
  stride = 2;
  y = x;
  y.data = data + 1;
  for (n = begin; n < end; ++n) (void)add(function, &y, &x, n);
  printf("%g\n", (double)data[3]);
  tvm_ffi_object_release(function);
}

/* Five calls of add with a megabyte each: x stays the same, y becomes another. */
static void run_large(void) {
  TVMFFIObjectHandle function = load("add");
  int64_t length, stride, n;
  float *data = malloc(2 * kLarge * sizeof *data);
  DLTensor x, y;
  if (data == NULL) exit(2);
  for (n = 0; n < 2 * kLarge; ++n) data[n] = (float)n;
  init_vector(&x, data, &length, &stride);
  length = kLarge;
  y = x;
  y.data = data + kLarge;
  for (n = 0; n < 5; ++n) (void)add(function, &y, &x, n);
  printf("%g\n", (double)data[2 * kLarge - 1]);
  free(data);
  tvm_ffi_object_release(function);
}

/* leave: by which function a child does. */
static void run_fork(void (*leave)(int)) {
  int i, status;
  run_adds(0, 2);
  (void)fflush(stdout);
  for (i = 0; i < 2; ++i) {
    pid_t child = fork();
    if (child == 0) {
      run_adds(9, 10);
      (void)fflush(stdout);
      leave(0);
    }
    (void)waitpid(child, &status, 0);
  }
  run_adds(9, 10);
}

/* Files get a limit in a child alone. */
static void run_fork_limited(void) {
  const struct rlimit limit = {64, 64};
  pid_t child;
  int status;
  run_adds(0, 2);
  (void)fflush(stdout);
  child = fork();
  if (child == 0) {
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    run_adds(9, 10);
    _exit(0);
  }
  (void)waitpid(child, &status, 0);
  run_adds(9, 10);
}

static void call_with(const char *name, const TVMFFIAny *args, int32_t num_args) {
  TVMFFIObjectHandle function = load(name);
  TVMFFIAny result = tvm_ffi_any_none();
  (void)fflush(stdout);
  if (tvm_ffi_function_call(function, args, num_args, &result) != 0) {
    tvm_ffi_object_release(tvm_ffi_error_take());
  }
  if (result.type_index == kTVMFFIInt) printf("%s: %lld\n", name, (long long)result.v_int64);
  tvm_ffi_any_clear(&result);
  tvm_ffi_object_release(function);
}

static void run_crash(void) {
  float data[kLength] = {1, 2, 3};
  int64_t length, stride;
  TVMFFIAny arg;
  DLTensor y;
  init_vector(&y, data, &length, &stride);
  arg = tvm_ffi_any_view_tensor(&y);
  call_with("crash", &arg, 1);
}

/* Every kind of value that C can make, through a function that returns it. */
/* As many objects as the recorder finds without a table, and one more; each is referred to again.
 */
static void run_objects(void) {
  enum { kMost = 16, kTimes = 4 };
  int num, i;
  for (num = kMost - 1; num <= kMost; ++num) { /* with the array that has them */
    TVMFFIAny items[kMost * kTimes], args[1];
    TVMFFIObjectHandle array, lists[kMost];
    for (i = 0; i < num; ++i) {
      if (tvm_ffi_list_create(NULL, 0, &lists[i]) != 0) exit(2);
    }
    for (i = 0; i < num * kTimes; ++i) items[i] = tvm_ffi_any_view_object(lists[i % num]);
    if (tvm_ffi_array_create(items, num * kTimes, &array) != 0) exit(2);
    args[0] = tvm_ffi_any_view_object(array);
    call_with("echo", args, 1);
    tvm_ffi_object_release(array);
    for (i = 0; i < num; ++i) tvm_ffi_object_release(lists[i]);
  }
}

/* Of all lengths: as strides of as many dimensions as are recorded, and as addresses. */
static void run_numbers(void) {
  enum { kDims = 64, kDigits = 19, kPointers = 16 };
  int64_t extents[kDims], twos[kDims], tens[kDims] = {0}, power = 1;
  float data = 0;
  TVMFFIAny args[2 + kPointers];
  DLTensor x, y;
  int i;
  for (i = 0; i < kDims; ++i) {
    extents[i] = 1;
    twos[i] = i == kDims - 1 ? INT64_MIN : (int64_t)1 << i;
  }
  for (i = 0; i < kDigits; ++i) {
    tens[i] = power;
    tens[kDigits + i] = power - 1;
    tens[2 * kDigits + i] = -power;
    if (i + 1 < kDigits) power *= 10;
  }
  tvm_ffi_tensor_init(&x, &data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, kDims, extents,
                      NULL);
  x.strides = twos;
  y = x;
  y.strides = tens;
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_tensor(&y);
  for (i = 0; i < kPointers; ++i) {
    args[2 + i] = tvm_ffi_any_none();
    args[2 + i].type_index = kTVMFFIOpaquePtr;
    args[2 + i].v_ptr = (void *)((uintptr_t)1 << (i * (int)sizeof(void *) / 2));
  }
  call_with("consume", args, 2 + kPointers);
}

static void run_values(void) {
  TVMFFIByteArray bytes = {"\x00\xff", 2};
  TVMFFIObjectHandle array, map, shape, nested, functions[1];
  const int64_t extents[2] = {3, (int64_t)1 << 60};
  float data[kLength] = {0};
  int64_t length, stride;
  TVMFFIAny items[4], args[2];
  DLTensor tensor, wrong;
  uint64_t nan_bits = 0x7ff8000000000001u;
  double nan;
  memcpy(&nan, &nan_bits, sizeof nan);
  init_vector(&tensor, data, &length, &stride);
#define ECHO(value)             \
  do {                          \
    args[0] = value;            \
    call_with("echo", args, 1); \
  } while (0)
  ECHO(tvm_ffi_any_none());
  ECHO(tvm_ffi_any_from_bool(true));
  ECHO(tvm_ffi_any_from_int64(-5));
  ECHO(tvm_ffi_any_from_int64(INT64_MIN));
  ECHO(tvm_ffi_any_from_double(0.1));
  ECHO(tvm_ffi_any_from_double(-0.0));
  ECHO(tvm_ffi_any_from_double(1e300 * 1e300));
  ECHO(tvm_ffi_any_from_double(nan));
  ECHO(tvm_ffi_any_view_string("a \"text\"\n\xc3\xa9"));
  ECHO(tvm_ffi_any_view_string("not UTF-8: \xff"));
  ECHO(tvm_ffi_any_view_bytes(&bytes));
  ECHO(tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT64));
  ECHO(tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 1)));
  ECHO(tvm_ffi_any_from_pointer(NULL));
  if (tvm_ffi_shape_create(extents, 2, &shape) != 0) exit(2);
  ECHO(tvm_ffi_any_view_object(shape));
  items[0] = tvm_ffi_any_view_object(shape);
  items[1] = tvm_ffi_any_view_string("a text of more than seven bytes");
  items[2] = tvm_ffi_any_view_object(shape);
  items[3] = tvm_ffi_any_view_string("small");
  if (tvm_ffi_array_create(items, 4, &array) != 0) exit(2);
  ECHO(tvm_ffi_any_view_object(array));
  if (tvm_ffi_map_create(items, 2, &map) != 0) exit(2);
  ECHO(tvm_ffi_any_view_object(map));
  if (tvm_ffi_list_create(NULL, 0, &nested) != 0) exit(2);
  items[0] = tvm_ffi_any_view_object(nested);
  if (tvm_ffi_list_append(nested, items[0]) != 0) exit(2); /* it contains itself */
  ECHO(tvm_ffi_any_view_object(nested));
  functions[0] = load("echo");
  args[0] = tvm_ffi_any_view_object(functions[0]);
  args[1] = tvm_ffi_any_from_int64(7);
  call_with("apply", args, 2);
  tensor.device = tvm_ffi_device_make(kDLCUDA, 0);
  ECHO(tvm_ffi_any_view_tensor(&tensor));
  tensor.device = tvm_ffi_device_make(kDLCPU, 0);
  wrong = tensor;
  wrong.data = (void *)(uintptr_t)4096; /* nothing is there */
  ECHO(tvm_ffi_any_view_tensor(&wrong));
  wrong.data = NULL;
  ECHO(tvm_ffi_any_view_tensor(&wrong));
  length = (int64_t)1 << 62;
  ECHO(tvm_ffi_any_view_tensor(&tensor));
  length = -1;
  ECHO(tvm_ffi_any_view_tensor(&tensor));
  length = 0;
  ECHO(tvm_ffi_any_view_tensor(&tensor));
  length = ((int64_t)1 << 38) + 1; /* a float more than a recording may have */
  ECHO(tvm_ffi_any_view_tensor(&tensor));
}

static void run_floats(void) {
  static const double kNumbers[] = {0.5, 1.0 / 3, 1e-300 / 3, 6.25e-7};
  size_t i;
  for (i = 0; i < sizeof kNumbers / sizeof *kNumbers; ++i) {
    const TVMFFIAny number = tvm_ffi_any_from_double(kNumbers[i]);
    printf("%g\n", kNumbers[i]);
    call_with("echo", &number, 1);
  }
}

static void echo_twice(TVMFFIAny value) {
  int i;
  for (i = 0; i < 2; ++i) call_with("echo", &value, 1);
}

static void *echo_often(void *context) {
  TVMFFIAny number = tvm_ffi_any_from_int64(*(const int64_t *)context);
  int i;
  for (i = 0; i < kCalls; ++i) call_with("echo", &number, 1);
  return NULL;
}

/* Calls like others, and calls that differ from the one before in a single thing. */
static void run_repeats(void) {
  static const char long_text[] = "a text of more than seven bytes";
  TVMFFIByteArray bytes = {"\x00\xff", 2};
  TVMFFIObjectHandle function = load("add"), tensors[2], shape;
  float data[2 * kLength] = {0};
  int64_t length, stride, i;
  char text[] = "text";
  TVMFFIAny args[2], owned;
  DLTensor x, y;
  init_vector(&x, data, &length, &stride);
  y = x;
  for (i = 0; i < 3; ++i) (void)add(function, &y, &x, 1);
  for (i = 0; i < 2; ++i) (void)add(function, &y, &x, 9); /* fails */
  (void)add(function, &y, &x, 1);
  y.data = data + 1; /* overlaps */
  --length;
  (void)add(function, &y, &x, 1);
  y.data = data + kLength;
  (void)add(function, &y, &x, 1);
  stride = 2;
  length = kLength / 2;
  (void)add(function, &y, &x, 1);
  stride = 1;
  (void)add(function, &y, &x, 1);
  x.strides = y.strides = NULL;
  args[0] = tvm_ffi_any_view_tensor(&y);
  call_with("consume", args, 1);
  y.strides = &stride;
  call_with("consume", args, 1);
  y.byte_offset = 4;
  call_with("consume", args, 1);
  y.byte_offset = 0;
  y.dtype = TVM_FFI_C_INT32;
  call_with("consume", args, 1);
  y.device = tvm_ffi_device_make(kDLCUDA, 0);
  call_with("consume", args, 1);
  y.device.device_id = 1;
  call_with("consume", args, 1);
  tvm_ffi_object_release(function);

  if (tvm_ffi_tensor_create_around(&x, NULL, NULL, &tensors[0]) != 0 ||
      tvm_ffi_tensor_create_read_only(&x, NULL, NULL, &tensors[1]) != 0) {
    exit(2);
  }
  echo_twice(tvm_ffi_any_view_object(tensors[0]));
  for (i = 0; i < 4; ++i) { /* the same object; then one with other flags */
    args[0] = tvm_ffi_any_view_object(tensors[0]);
    args[1] = tvm_ffi_any_view_object(tensors[i / 2]);
    call_with("consume", args, 2);
  }
  tvm_ffi_object_release(tensors[0]);
  tvm_ffi_object_release(tensors[1]);
  if (tvm_ffi_shape_create(&length, 1, &shape) != 0) exit(2);
  echo_twice(tvm_ffi_any_view_object(shape));
  tvm_ffi_object_release(shape);

  echo_twice(tvm_ffi_any_none());
  echo_twice(tvm_ffi_any_from_int64(5));
  echo_twice(tvm_ffi_any_from_bool(true));
  echo_twice(tvm_ffi_any_from_double(5));
  echo_twice(tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT64));
  echo_twice(tvm_ffi_any_from_device(tvm_ffi_device_make(kDLCUDA, 1)));
  echo_twice(tvm_ffi_any_from_pointer(data));
  if (tvm_ffi_string_create_sized("small", 5, &owned) != 0) exit(2);
  echo_twice(owned);
  if (tvm_ffi_string_create_sized(long_text, sizeof long_text - 1, &owned) != 0) exit(2);
  echo_twice(owned);
  tvm_ffi_any_clear(&owned);
  echo_twice(tvm_ffi_any_view_bytes(&bytes));
  echo_twice(tvm_ffi_any_view_string(text));
  text[0] = 'n';
  echo_twice(tvm_ffi_any_view_string(text));
  call_with("consume", NULL, 0);
  call_with("consume", NULL, 0);
}

/* In threads and in a child, which have to say of what their calls are repetitions. */
static void run_repeats_together(void) {
  enum { kDifferent = 300 }; /* more than a function has in a row before it is looked up less */
  pthread_t threads[kThreads];
  int64_t numbers[kThreads], i;
  pid_t child;
  int status;
  for (i = 0; i < kThreads; ++i) {
    numbers[i] = i / 2;
    if (pthread_create(&threads[i], NULL, echo_often, &numbers[i]) != 0) exit(2);
  }
  for (i = 0; i < kThreads; ++i) (void)pthread_join(threads[i], NULL);
  echo_twice(tvm_ffi_any_from_int64(7));
  child = fork();
  if (child >= 0) echo_twice(tvm_ffi_any_from_int64(7));
  if (child == 0) _exit(0);
  (void)waitpid(child, &status, 0);
  for (i = 0; i < 2 * kDifferent; ++i) {
    const TVMFFIAny number = tvm_ffi_any_from_int64(100 + i % kDifferent);
    call_with("echo", &number, 1);
  }
}

/* Does what daemons do: closes all descriptors, and opens others in their place. */
static void run_closed(const char *path) {
  int i;
  run_adds(0, 1);
  (void)fflush(stdout);
  for (i = 3; i < 1024; ++i) (void)close(i);
  for (i = 3; i < 600; ++i) {
    if (open(path, O_RDWR | O_CREAT, 0666) < 0) exit(2);
  }
  run_adds(9, 10);
}

/* Files get a limit only after the first calls were recorded. */
static void run_limited(void) {
  const struct rlimit limit = {4096, 4096};
  run_adds(0, 2);
  (void)fflush(stdout);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(2);
  run_large();
  run_adds(0, 200);
}

/* The library is loaded, and the function looked up in another folder, or after the file was
 * removed.
 */
static void run_moved(int (*move)(const char *path), const char *path) {
  const TVMFFIAny seven = tvm_ffi_any_from_int64(7);
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIObjectHandle module, function;
  if (tvm_ffi_module_load(library, &module) != 0 || move(path) != 0 ||
      tvm_ffi_module_get_function(module, "echo", &function) != 0 ||
      tvm_ffi_function_call(function, &seven, 1, &result) != 0) {
    exit(2);
  }
  printf("%lld\n", (long long)result.v_int64);
}

/* As many functions as there are thunks, and more: each is one symbol at an address of its own. */
static void run_many(void) {
  char name[32];
  int i;
  for (i = 1000; i < 6000; ++i) {
    (void)snprintf(name, sizeof name, "many_%d", i);
    call_with(name, NULL, 0);
  }
}

/* A kernel of the program itself, found in the system library. */
static int seven(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args;
  *result = tvm_ffi_any_from_int64(7);
  return 0;
}

static void call_registered(const char *name) {
  TVMFFIAny prefix = tvm_ffi_any_view_string("testing_"), module, result = tvm_ffi_any_none();
  TVMFFIObjectHandle function;
  if (tvm_ffi_function_call_global("ffi.SystemLib", &prefix, 1, &module) != 0 ||
      tvm_ffi_module_get_function(module.v_obj, name, &function) != 0 ||
      tvm_ffi_function_call(function, NULL, 0, &result) != 0) {
    exit(2);
  }
  printf("%lld\n", (long long)result.v_int64);
}

static void run_system(void) {
  union {
    TVMFFISafeCallType function;
    void *address;
  } kernel;
  TVMFFIObjectHandle function;
  static void *context;
  kernel.function = seven;
  if (TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_testing_seven", kernel.address) != 0 ||
      TVMFFIEnvModRegisterSystemLibSymbol("testing___tvm_ffi__library_ctx", &context) != 0) {
    exit(2);
  }
  call_registered("seven");
  if (TVMFFIEnvModRegisterSystemLibSymbol(NULL, kernel.address) != 0) {
    function = tvm_ffi_error_take();
    printf("%s\n", tvm_ffi_error_get_message(function).data);
  }
}

static TVMFFIObjectHandle find_global(const char *name) {
  const TVMFFIByteArray text = tvm_ffi_string_get_bytes(name);
  TVMFFIObjectHandle function = NULL;
  return TVMFFIFunctionGetGlobal(&text, &function) == 0 ? function : NULL;
}

static void print_call(TVMFFIObjectHandle function, int32_t num_args) {
  TVMFFIAny args[2], result = tvm_ffi_any_none();
  args[0] = tvm_ffi_any_from_int64(6);
  args[1] = tvm_ffi_any_from_int64(7);
  if (TVMFFIFunctionCall(function, args, num_args, &result) == 0) {
    printf("%lld\n", (long long)result.v_int64);
  } else {
    TVMFFIObjectHandle error = tvm_ffi_error_take();
    printf("%s\n", tvm_ffi_error_get_message(error).data);
    tvm_ffi_object_release(error);
  }
}

/*
 * A global function that a library registers: looked up twice it is one object; registered again by
 * another name, it keeps the library. Others get the address of an object that has ended.
 */
static void run_functions(const char *path) {
  const TVMFFIByteArray alias = tvm_ffi_string_get_bytes("test.tool.alias"),
                        other = tvm_ffi_string_get_bytes("test.tool.other");
  TVMFFIObjectHandle module, function, again;
  int i;
  if (tvm_ffi_module_load(path, &module) != 0) exit(2);
  function = find_global("test.tool.area");
  again = find_global("test.tool.area");
  printf("%d\n", function == again);
  tvm_ffi_object_release(again);
  print_call(function, 2);
  print_call(function, 1);
  if (TVMFFIFunctionSetGlobal(&alias, function, 0) != 0) exit(2);
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(module);
  function = find_global("test.tool.alias");
  printf("%s\n", find_global("test.tool.area") != NULL ? "there" : "gone");
  print_call(function, 2);
  tvm_ffi_object_release(function);
  for (i = 0; i < 3; ++i) {
    if (TVMFFIFunctionCreate(&module, seven, NULL, &function) != 0 ||
        TVMFFIFunctionSetGlobal(&other, function, 1) != 0) {
      exit(2);
    }
    tvm_ffi_object_release(function);
    function = find_global("test.tool.other");
    print_call(function, 0);
    tvm_ffi_object_release(function);
    if (TVMFFIFunctionCreate(&module, seven, NULL, &function) != 0) exit(2);
    print_call(function, 0); /* it has no name */
    tvm_ffi_object_release(function);
  }
}

/* A function is looked up while another thread loads a library, which waits for that. */
static int pipes[2][2];

static void *look_up_meanwhile(void *context) {
  char byte;
  (void)context;
  if (read(pipes[0][0], &byte, 1) != 1) exit(2);
  print_call(find_global("test.tool.other"), 0);
  if (write(pipes[1][1], &byte, 1) != 1) exit(2);
  return NULL;
}

static void run_while_loading(const char *path) {
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  TVMFFIObjectHandle function;
  pthread_t thread;
  char numbers[2][16];
  if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0) exit(2);
  (void)snprintf(numbers[0], sizeof numbers[0], "%d", pipes[0][1]);
  (void)snprintf(numbers[1], sizeof numbers[1], "%d", pipes[1][0]);
  if (TVMFFIFunctionCreate(&pipes, seven, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&other, function, 1) != 0 || setenv("SAYS", numbers[0], 1) != 0 ||
      setenv("WAITS", numbers[1], 1) != 0 ||
      pthread_create(&thread, NULL, look_up_meanwhile, NULL) != 0 ||
      dlopen(path, RTLD_NOW) == NULL || pthread_join(thread, NULL) != 0) {
    exit(2);
  }
}

/* Children look up and call what another thread looks up all the time. */
static void *look_up_always(void *context) {
  volatile int *stops = context;
  while (!__atomic_load_n(stops, __ATOMIC_ACQUIRE)) {
    tvm_ffi_object_release(find_global("test.tool.other"));
  }
  return NULL;
}

#if defined(__linux__)
/* Or what nobody did, while another thread asks for the files that are loaded. */
static int stop_at_first(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size, (void)context;
  return 1;
}

static void *list_always(void *context) {
  volatile int *stops = context;
  while (!__atomic_load_n(stops, __ATOMIC_ACQUIRE)) (void)dl_iterate_phdr(stop_at_first, NULL);
  return NULL;
}
#endif

static void run_while(void *(*body)(void *context)) {
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  TVMFFIObjectHandle function;
  pthread_t thread;
  int i, status, stops = 0, failed = 0;
  /* The runtime itself asks for its file when a thread first looks something up. */
  tvm_ffi_object_release(find_global("ffi.SystemLib"));
  if (TVMFFIFunctionCreate(&stops, seven, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&other, function, 1) != 0 ||
      pthread_create(&thread, NULL, body, &stops) != 0) {
    exit(2);
  }
  for (i = 0; i < 100; ++i) {
    const pid_t child = fork();
    TVMFFIAny result = tvm_ffi_any_none();
    if (child == 0) {
      _exit(TVMFFIFunctionCall(find_global("test.tool.other"), NULL, 0, &result) != 0 ||
            result.v_int64 != 7);
    }
    failed += waitpid(child, &status, 0) != child || status != 0;
  }
  __atomic_store_n(&stops, 1, __ATOMIC_RELEASE);
  (void)pthread_join(thread, NULL);
  printf("%d\n", failed);
}

/* Objects in memory of the program's, which another takes as soon as one ends: their deleter does
 * not know of weak references. */
static int eight(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args;
  *result = tvm_ffi_any_from_int64(8);
  return 0;
}

static void delete_nothing(void *object, int flags) {
  (void)object, (void)flags;
}

static void run_same_place(void) {
  static struct {
    TVMFFIObject object;
    TVMFFIFunctionCell cell;
  } place;
  static const TVMFFISafeCallType bodies[] = {seven, eight};
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  int i;
  for (i = 0; i < 2; ++i) {
    memset(&place, 0, sizeof place);
    place.object.combined_ref_count = (UINT64_C(1) << 32) + 2; /* one more, which is not released */
    place.object.type_index = kTVMFFIFunction;
    place.object.deleter = delete_nothing;
    place.cell.safe_call = bodies[i];
    if (i == 0) {
      if (TVMFFIFunctionSetGlobal(&other, &place, 1) != 0) exit(2);
      tvm_ffi_object_release(find_global("test.tool.other"));
    }
    print_call(&place, 0);
  }
}

#if defined(__linux__)
/* The recorder makes its folder when a thread first finds a kernel, and has a lock meanwhile: here
 * while the program forks. */
static int is_forking, is_in_mkdir;

int mkdir(const char *path, mode_t mode) {
  if (__atomic_exchange_n(&is_forking, 0, __ATOMIC_ACQ_REL) != 0) {
    __atomic_store_n(&is_in_mkdir, 1, __ATOMIC_RELEASE);
    (void)usleep(300000);
  }
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* It asks for its parent when it begins the file of events, which is under the lock, too: here a
 * signal comes then. */
static int is_signalled;
static TVMFFIObjectHandle in_handler;

pid_t getppid(void) {
  if (__atomic_exchange_n(&is_signalled, 0, __ATOMIC_ACQ_REL) != 0) (void)raise(SIGUSR1);
  return (pid_t)syscall(SYS_getppid);
}

static void call_in_handler(int number) {
  TVMFFIAny result = tvm_ffi_any_none();
  (void)number;
  (void)TVMFFIFunctionCall(in_handler, NULL, 0, &result);
  if (write(STDOUT_FILENO, result.v_int64 == 7 ? "7\n" : "-\n", 2) != 2) _exit(2);
}

/* Its child does the same, and nothing of it is recorded. */
static void fork_in_handler(int number) {
  const pid_t child = fork();
  int status;
  call_in_handler(number);
  if (child == 0) _exit(0);
  if (waitpid(child, &status, 0) != child || status != 0) _exit(2);
}

static void run_signal(void (*handler)(int)) {
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  if (TVMFFIFunctionCreate(NULL, seven, NULL, &in_handler) != 0 ||
      TVMFFIFunctionSetGlobal(&other, in_handler, 0) != 0 || signal(SIGUSR1, handler) == SIG_ERR) {
    exit(2);
  }
  in_handler = find_global("test.tool.other");
  __atomic_store_n(&is_signalled, 1, __ATOMIC_RELEASE);
  print_call(in_handler, 0);
}

static void let_other_begin(void) {
  __atomic_store_n(&is_forking, 1, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&is_in_mkdir, __ATOMIC_ACQUIRE)) (void)usleep(1000);
}

static void *find_while_forking(void *opened) {
  while (!__atomic_load_n(&is_forking, __ATOMIC_ACQUIRE)) (void)usleep(1000);
  return dlsym(opened, "__tvm_ffi_add");
}

static void run_fork_at_start(void) {
  void *opened = dlopen(library, RTLD_NOW), *found;
  pthread_t thread;
  pid_t child;
  int status;
  if (opened == NULL || pthread_atfork(let_other_begin, NULL, NULL) != 0 ||
      pthread_create(&thread, NULL, find_while_forking, opened) != 0) {
    exit(2);
  }
  child = fork();
  if (child == 0) {
    if (dlsym(opened, "__tvm_ffi_scope") == NULL) _exit(2);
    call_with("scope", NULL, 0);
    (void)fflush(stdout);
    _exit(0);
  }
  if (waitpid(child, &status, 0) != child || pthread_join(thread, &found) != 0) exit(2);
  printf("%d %d\n", status, found != NULL);
}
#endif

/* Calls within calls, in a thread with a small stack. */
static int descend(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  TVMFFIAny less = tvm_ffi_any_from_int64(args[0].v_int64 - 1);
  (void)self, (void)num_args;
  if (args[0].v_int64 > 0)
    return TVMFFIFunctionCall(find_global("test.tool.deep"), &less, 1, result);
  *result = tvm_ffi_any_from_int64(7);
  return 0;
}

static void *call_deep(void *context) {
  TVMFFIAny depth = tvm_ffi_any_from_int64(*(int *)context), result = tvm_ffi_any_none();
  if (TVMFFIFunctionCall(find_global("test.tool.deep"), &depth, 1, &result) != 0) exit(2);
  printf("%lld\n", (long long)result.v_int64);
  return NULL;
}

/* The least stack that the system allows: nothing large fits on it. */
static void *call_in_little(void *context) {
  (void)context;
  print_call(find_global("test.tool.other"), 0);
  return NULL;
}

static void run_little_stack(void) {
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  const long least = sysconf(_SC_THREAD_STACK_MIN);
  TVMFFIObjectHandle function;
  pthread_attr_t little;
  pthread_t thread;
  if (TVMFFIFunctionCreate(NULL, seven, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&other, function, 0) != 0 || pthread_attr_init(&little) != 0 ||
      pthread_attr_setstacksize(&little, (size_t)(least > 16384 ? least : 16384)) != 0 ||
      pthread_create(&thread, &little, call_in_little, NULL) != 0 ||
      pthread_join(thread, NULL) != 0) {
    exit(2);
  }
}

/* Calls that are left by longjmp. */
static jmp_buf left;

static int leave(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)self, (void)args, (void)num_args, (void)result;
  longjmp(left, 1);
}

static void run_left(void) {
  const TVMFFIByteArray other = tvm_ffi_string_get_bytes("test.tool.other");
  TVMFFIAny result = tvm_ffi_any_none();
  TVMFFIObjectHandle function;
  volatile int i;
  struct rusage before, after;
  if (TVMFFIFunctionCreate(NULL, leave, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&other, function, 0) != 0) {
    exit(2);
  }
  function = find_global("test.tool.other");
  (void)getrusage(RUSAGE_SELF, &before);
  for (i = 0; i < 40000; ++i) {
    if (setjmp(left) == 0) (void)TVMFFIFunctionCall(function, NULL, 0, &result);
  }
  (void)getrusage(RUSAGE_SELF, &after);
  printf("%s\n", after.ru_maxrss - before.ru_maxrss < 100 << 10 ? "little" : "much");
}

static void run_deep(int depth, size_t stack_size) {
  const TVMFFIByteArray name = tvm_ffi_string_get_bytes("test.tool.deep");
  TVMFFIObjectHandle function;
  pthread_attr_t small;
  pthread_t thread;
  if (TVMFFIFunctionCreate(NULL, descend, NULL, &function) != 0 ||
      TVMFFIFunctionSetGlobal(&name, function, 0) != 0 || pthread_attr_init(&small) != 0 ||
      pthread_attr_setstacksize(&small, stack_size) != 0 ||
      pthread_create(&thread, &small, call_deep, &depth) != 0 || pthread_join(thread, NULL) != 0) {
    exit(2);
  }
}

/* A kernel and a global function of one library have one name. */
static void run_one_name(void) {
  call_with("register_one_name", NULL, 0);
  call_with("one_name", NULL, 0);
  print_call(find_global("one_name"), 0);
  print_call(find_global("one_name"), 0);
}

/* Memory of a device: in the fake, at addresses that the CPU cannot read. The second call is while
 * the stream is captured. */
static void run_cuda(const char *driver) {
  union {
    void *address;
    int (*init)(unsigned flags);
    int (*get_device)(int *out, int ordinal);
    int (*retain)(void **out, int device);
    int (*set_current)(void *context);
    int (*allocate)(uint64_t *out, size_t size);
    int (*write)(uint64_t target, const void *source, size_t size);
  } cuda;
  float data[kLength] = {1, 2, 3};
  int64_t length, stride;
  uint64_t memory;
  void *context, *opened = dlopen(driver, RTLD_NOW);
  TVMFFIAny arg;
  DLTensor tensor;
  int device;
  if (opened == NULL) exit(2);
#define CUDA(name, field, args)                                \
  do {                                                         \
    cuda.address = dlsym(opened, name);                        \
    if (cuda.address == NULL || cuda.field args != 0) exit(2); \
  } while (0)
  CUDA("cuInit", init, (0));
  CUDA("cuDeviceGet", get_device, (&device, 0));
  CUDA("cuDevicePrimaryCtxRetain", retain, (&context, device));
  CUDA("cuCtxSetCurrent", set_current, (context));
  CUDA("cuMemAlloc_v2", allocate, (&memory, sizeof data));
  CUDA("cuMemcpyHtoD_v2", write, (memory, data, sizeof data));
  init_vector(&tensor, data, &length, &stride);
  tensor.data = (void *)(uintptr_t)memory;
  tensor.device = tvm_ffi_device_make(kDLCUDA, 0);
  arg = tvm_ffi_any_view_tensor(&tensor);
  call_with("consume", &arg, 1);
  if (TVMFFIEnvSetStream(kDLCUDA, 0, context, NULL) != 0) exit(2);
  call_with("consume", &arg, 1);
  tensor.device = tvm_ffi_device_make(kDLCUDA, 7);
  call_with("consume", &arg, 1);
}

/* Tensors whose `data` is a handle, of which two are near each other, and two are the same. */
static void run_handles(void) {
  static const int32_t kTypes[] = {kDLOpenCL, kDLVulkan,  kDLMetal, kDLWebGPU, kDLVPI,
                                   kDLExtDev, kDLHexagon, kDLMAIA,  99,        kDLOneAPI};
  DLTensor tensors[5];
  TVMFFIAny args[5];
  int64_t lengths[5], strides[5];
  size_t i, k;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    for (k = 0; k < 5; ++k) {
      init_vector(&tensors[k], NULL, &lengths[k], &strides[k]);
      tensors[k].data = (void *)(uintptr_t)(0x1000 + 8 * (k % 3));
      tensors[k].byte_offset = k < 3 ? 0 : 32 * (k - 2);
      tensors[k].device = tvm_ffi_device_make(kTypes[i], k == 4 ? 3 : 0);
      args[k] = tvm_ffi_any_view_tensor(&tensors[k]);
    }
    if (TVMFFIEnvSetStream(kTypes[i], 3, tensors, NULL) != 0) exit(2);
    call_with("consume", args, 5);
  }
}

#if defined(WITH_RECORDER)
static void run_started(const char *folder) {
  tvm_ffi_record_options options;
  char reason[256];
  memset(&options, 0, sizeof options);
  options.folder = folder;
  run_adds(0, 1);
  tvm_ffi_record_stop(); /* nothing is on */
  if (tvm_ffi_record_flush() == 0) printf("flushed what is not on\n");
  if (tvm_ffi_record_start(&options, reason, sizeof reason) != 0) {
    printf("%s\n", reason);
    return;
  }
  run_adds(1, 2);
  if (tvm_ffi_record_start(&options, reason, sizeof reason) != 0) printf("%s\n", reason);
  if (tvm_ffi_record_flush() != 0) printf("not flushed\n");
  tvm_ffi_record_stop();
  run_adds(2, 3);
  if (tvm_ffi_record_start(&options, reason, sizeof reason) != 0) printf("%s\n", reason);
  run_adds(3, 4);
}

/* A trace whose name is that of a file: the process has a file of its own, which is flushed. */
static void run_traced(const char *file) {
  tvm_ffi_record_options options;
  char reason[256];
  memset(&options, 0, sizeof options);
  options.trace = file;
  if (tvm_ffi_record_start(&options, reason, sizeof reason) != 0) printf("%s\n", reason);
  if (tvm_ffi_record_flush() != 0) printf("not flushed before the first call\n");
  run_adds(0, 1);
  if (remove(file) != 0 || tvm_ffi_record_flush() != 0) printf("not flushed\n");
}
#endif

int main(int argc, char **argv) {
  const char *deed = argc > 2 ? argv[2] : "", *path = argc > 3 ? argv[3] : "";
  library = argv[1];
  (void)setlocale(LC_ALL, ""); /* as programs with windows do */
  if (strcmp(deed, "threads") == 0) run_threads();
  if (strcmp(deed, "adds") == 0) run_adds(0, 20);
  if (strcmp(deed, "fork") == 0) run_fork(_exit);
  if (strcmp(deed, "fork-and-exit") == 0) run_fork(exit);
  if (strcmp(deed, "fork-limited") == 0) run_fork_limited();
  if (strcmp(deed, "crash") == 0) run_crash();
  if (strcmp(deed, "leave") == 0) call_with("leave", NULL, 0);
  if (strcmp(deed, "adds-and-die") == 0) run_adds(0, 3);
  if ((strstr)(deed, "die") != NULL) call_with("die", NULL, 0);
  if (strcmp(deed, "large") == 0) run_large();
  if (strcmp(deed, "scope") == 0) call_with("scope", NULL, 0);
  if (strcmp(deed, "values") == 0) run_values();
  if (strcmp(deed, "floats") == 0) run_floats();
  if (strcmp(deed, "numbers") == 0) run_numbers();
  if (strcmp(deed, "objects") == 0) run_objects();
  if (strcmp(deed, "repeats") == 0) run_repeats();
  if (strcmp(deed, "repeats-together") == 0) run_repeats_together();
  if (strcmp(deed, "closed") == 0) run_closed(path);
  if (strcmp(deed, "limited") == 0) run_limited();
  if (strcmp(deed, "elsewhere") == 0) run_moved(chdir, path);
  if (strcmp(deed, "removed") == 0) run_moved(unlink, path);
  if (strcmp(deed, "many") == 0) run_many();
  if (strcmp(deed, "system") == 0 || (strcmp(deed, "gone") == 0 && remove(path) == 0)) run_system();
  if (strcmp(deed, "functions") == 0) run_functions(path);
  if (strcmp(deed, "while-loading") == 0) run_while_loading(path);
  if (strcmp(deed, "while-looking-up") == 0) run_while(look_up_always);
#if defined(__linux__)
  if (strcmp(deed, "while-listing") == 0) run_while(list_always);
  if (strcmp(deed, "fork-at-start") == 0) run_fork_at_start();
  if (strcmp(deed, "signal") == 0) run_signal(call_in_handler);
  if (strcmp(deed, "fork-in-signal") == 0) run_signal(fork_in_handler);
#endif
  if (strcmp(deed, "deep") == 0) run_deep(200, 512 << 10);
  if (strcmp(deed, "deeper") == 0) run_deep(2500, 4 << 20);
  if (strcmp(deed, "same-place") == 0) run_same_place();
  if (strcmp(deed, "little-stack") == 0) run_little_stack();
  if (strcmp(deed, "left") == 0) run_left();
  if (strcmp(deed, "one-name") == 0) run_one_name();
  if (strcmp(deed, "one-name-and-registers") == 0) {
    TVMFFIObjectHandle module;
    call_with("register_one_name", NULL, 0);
    if (tvm_ffi_module_load(path, &module) != 0) exit(2);
    print_call(find_global("test.tool.area"), 2);
  }
  if (strcmp(deed, "registers") == 0) {
    call_with("register_eight", NULL, 0);
    call_registered("eight");
  }
  if (strcmp(deed, "cuda") == 0) run_cuda(path);
  if (strcmp(deed, "handles") == 0) run_handles();
#if defined(WITH_RECORDER)
  if (strcmp(deed, "start") == 0) run_started(path);
  if (strcmp(deed, "trace") == 0) run_traced(path);
#endif
  return 0;
}
