/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of isolated modules that go well: values, tensors, callbacks, errors; where the library is
 * looked for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tvm/ffi/extra/c_runtime_api.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#include "isolated/host.h"

static TVMFFIObjectHandle module;

static TVMFFIObjectHandle get(const char *name) {
  return host_get(module, name);
}

static int call(const char *name, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  return host_call(module, name, args, num_args, result);
}

FIXTURE(set_up) {
  module = host_load("isolated_good.so");
  return 0;
}

FIXTURE(tear_down) {
  tvm_ffi_object_release(module);
  return 0;
}

/* ---- Values ---- */

static bool equal(const TVMFFIAny *a, const TVMFFIAny *b) {
  TVMFFIAny args[4], result;
  args[0] = *a;
  args[1] = *b;
  args[2] = args[3] = tvm_ffi_any_from_bool(false);
  check_ok(tvm_ffi_function_call_global("ffi.StructuralEqual", args, 4, &result));
  return result.v_int64 != 0;
}

static void check_crosses(TVMFFIAny value) {
  TVMFFIAny result;
  check_ok(call("same", &value, 1, &result));
  assert_true(equal(&value, &result));
  tvm_ffi_any_clear(&result);
}

TEST(test_plain_values) {
  DLDevice device = {kDLCUDA, 3};
  TVMFFIAny value;
  check_crosses(tvm_ffi_any_none());
  check_crosses(tvm_ffi_any_from_int64(INT64_MIN));
  check_crosses(tvm_ffi_any_from_double(-0.5));
  check_crosses(tvm_ffi_any_from_bool(true));
  check_crosses(tvm_ffi_any_from_dtype(TVM_FFI_C_FLOAT32));
  check_crosses(tvm_ffi_any_from_device(device));
  value = tvm_ffi_any_from_pointer(NULL);
  check_crosses(value);
}

TEST(test_texts) {
  static const size_t kSizes[] = {0, 1, 7, 8, 9, 4095, 4096, 1000000};
  size_t i;
  for (i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
    char *text = malloc(kSizes[i] + 1);
    TVMFFIAny value;
    memset(text, 'a', kSizes[i]);
    check_ok(tvm_ffi_string_create_sized(text, kSizes[i], &value));
    check_crosses(value);
    tvm_ffi_any_clear(&value);
    check_ok(tvm_ffi_bytes_create(text, kSizes[i], &value));
    check_crosses(value);
    tvm_ffi_any_clear(&value);
    free(text);
  }
}

/* Views arrive as what they are views of. */
TEST(test_views) {
  TVMFFIByteArray bytes = {"a\0b", 3};
  TVMFFIAny value = tvm_ffi_any_view_string("raw text of some length"), result;
  TVMFFIByteArray got = {NULL, 0};
  check_ok(call("same", &value, 1, &result));
  check_ok(tvm_ffi_any_read_string(&result, &got));
  assert_true(tvm_ffi_string_equal(got, "raw text of some length"));
  tvm_ffi_any_clear(&result);
  value = tvm_ffi_any_view_bytes(&bytes);
  check_ok(call("same", &value, 1, &result));
  check_ok(tvm_ffi_any_read_bytes(&result, &got));
  assert_int_equal(got.size, 3);
  assert_memory_equal(got.data, "a\0b", 3);
  tvm_ffi_any_clear(&result);
}

/* An Array, List, Map or Dict of the items. */
static TVMFFIAny make(const char *name, const TVMFFIAny *items, int32_t count) {
  TVMFFIAny made;
  check_ok(tvm_ffi_function_call_global(name, items, count, &made));
  return made;
}

TEST(test_containers) {
  static const char *const kNames[] = {"ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict"};
  TVMFFIAny items[4], inner, outer;
  TVMFFIObjectHandle shape = NULL;
  int64_t extents[3] = {1, 2, INT64_MAX};
  size_t i, j;
  check_ok(tvm_ffi_shape_create(extents, 3, &shape));
  for (i = 0; i < 4; ++i) {
    for (j = 0; j < 4; ++j) {
      items[0] = tvm_ffi_any_from_int64(1);
      items[1] = tvm_ffi_any_view_string("a text that is not short");
      items[2] = tvm_ffi_any_from_double(2.5);
      items[3] = tvm_ffi_any_view_object(shape);
      inner = make(kNames[j], items, 4);
      items[1] = inner;
      outer = make(kNames[i], items, 4);
      check_crosses(outer);
      tvm_ffi_any_clear(&outer);
      outer = make(kNames[i], items, 0);
      check_crosses(outer);
      tvm_ffi_any_clear(&outer);
      tvm_ffi_any_clear(&inner);
    }
  }
  tvm_ffi_object_release(shape);
}

TEST(test_big_integers) {
  uint64_t words[3] = {5, 6, 7};
  TVMFFIByteArray bytes = {(const char *)words, sizeof words}, got = {NULL, 0};
  TVMFFIAny value, result;
  check_ok(TVMFFIBigIntFromByteArray(&bytes, &value));
  check_ok(call("same", &value, 1, &result));
  assert_int_equal(result.type_index, kTVMFFIBigInt);
  got = TVMFFIBigIntGetContentByteArray(&result);
  assert_int_equal(got.size, sizeof words);
  assert_memory_equal(got.data, words, sizeof words);
  tvm_ffi_any_clear(&value);
  tvm_ffi_any_clear(&result);
}

TEST(test_deep_values) {
  TVMFFIAny value = tvm_ffi_any_from_int64(1), next, result;
  int i;
  for (i = 0; i < 99; ++i) {
    next = make("ffi.Array", &value, 1);
    tvm_ffi_any_clear(&value);
    value = next;
  }
  check_crosses(value);
  for (i = 0; i < 5; ++i) {
    next = make("ffi.Array", &value, 1);
    tvm_ffi_any_clear(&value);
    value = next;
  }
  check_fails_with(call("same", &value, 1, &result), "ValueError", "levels deep");
  tvm_ffi_any_clear(&value);
}

TEST(test_refused_values) {
  int target;
  TVMFFIAny args[2], result;
  DLDevice device = {kDLCUDA, 0};
  tvm_ffi_vector on_device;
  args[0] = tvm_ffi_any_from_pointer(&target);
  check_fails_with(call("same", args, 1, &result), "TypeError", "argument #0 of same: a pointer");
  args[0] = tvm_ffi_any_none();
  args[1] = tvm_ffi_any_view_object(module);
  check_fails_with(call("same", args, 2, &result), "TypeError", "argument #1 of same: ");
  args[0] = tvm_ffi_vector_init(&on_device, &target, device, TVM_FFI_C_FLOAT32, 1);
  check_fails_with(call("same", args, 1, &result), "TypeError", "a tensor on cuda:0 cannot cross");
  check_fails_with(call("module", args, 0, &result), "TypeError", "`ffi.Module` cannot cross");
  check_crosses(tvm_ffi_any_from_int64(1));
}

/* ---- Functions of the module ---- */

TEST(test_lookup) {
  TVMFFIObjectHandle function = NULL;
  TVMFFIAny args[3], result;
  TVMFFIByteArray text = {NULL, 0};
  check_ok(tvm_ffi_module_find_function(module, "no_such", &function));
  assert_null(function);
  args[0] = tvm_ffi_any_view_object(module);
  args[1] = tvm_ffi_any_view_string("nothing");
  args[2] = tvm_ffi_any_from_bool(false);
  check_ok(tvm_ffi_function_call_global("ffi.ModuleGetFunctionDoc", args, 3, &result));
  check_ok(tvm_ffi_any_read_string(&result, &text));
  assert_true(tvm_ffi_string_equal(text, "Does nothing."));
  tvm_ffi_any_clear(&result);
  check_ok(tvm_ffi_function_call_global("ffi.ModuleGetFunctionMetadata", args, 3, &result));
  check_ok(tvm_ffi_any_read_string(&result, &text));
  assert_true(tvm_ffi_string_equal(text, "{\"a\":1}"));
  tvm_ffi_any_clear(&result);
}

TEST(test_process) {
  TVMFFIAny result;
  int64_t pid = 0;
  check_ok(call("process", NULL, 0, &result));
  assert_int_not_equal(result.v_int64, getpid());
  check_ok(tvm_ffi_isolated_read_process(module, 0, &pid));
  assert_int_equal(pid, result.v_int64);
  check_fails_with(tvm_ffi_isolated_read_process(module, 1, &pid), "IndexError", "has 1");
}

TEST(test_errors) {
  TVMFFIAny result;
  TVMFFIObjectHandle error;
  TVMFFIByteArray text;
  assert_int_equal(call("fail_with_cause", NULL, 0, &result), -1);
  error = tvm_ffi_error_take();
  assert_true(tvm_ffi_error_is(error, "MyError"));
  assert_true(tvm_ffi_string_equal(tvm_ffi_error_get_message(error), "outer"));
  assert_non_null(tvm_ffi_error_get_cause(error));
  text = tvm_ffi_error_get_message(tvm_ffi_error_get_cause(error));
  assert_true(tvm_ffi_string_equal(text, "inner"));
  tvm_ffi_object_release(error);
}

TEST(test_load_errors) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle none;
  check_fails_with(tvm_ffi_isolated_load("./no_such.so", &options, &none), "InternalError",
                   "no_such.so");
  options.helper = "/no/such/helper";
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &none),
                   TVM_FFI_ISOLATED_START_ERROR, "/no/such/helper: No such file");
  options.helper = "/bin/false";
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &none),
                   TVM_FFI_ISOLATED_START_ERROR, "could not start");
  options = host_options();
  options.timeout = -1;
  check_fails_with(tvm_ffi_isolated_load("x.so", &options, &none), "ValueError", "timeout");
  options = host_options();
  options.forbids = 64;
  check_fails_with(tvm_ffi_isolated_load("x.so", &options, &none), "ValueError", "0x40");
  options = host_options();
  options.struct_size = 8;
  check_fails_with(tvm_ffi_isolated_load("x.so", &options, &none), "ValueError", "struct_size");
  check_fails_with(tvm_ffi_isolated_load(NULL, NULL, &none), "ValueError", "path");
}

/* ---- Tensors ---- */

static const DLDevice kCpu = {kDLCPU, 0};

TEST(test_copied_tensors) {
  float y[4] = {1, 2, 3, 4}, x[4] = {10, 20, 30, 40};
  tvm_ffi_vector yv, xv;
  TVMFFIAny args[2], result;
  int i;
  args[0] = tvm_ffi_vector_init(&yv, y, kCpu, TVM_FFI_C_FLOAT32, 4);
  args[1] = tvm_ffi_vector_init(&xv, x, kCpu, TVM_FFI_C_FLOAT32, 4);
  check_ok(call("add_to", args, 2, &result));
  for (i = 0; i < 4; ++i) assert_true(y[i] == (float)(11 * (i + 1)));
  for (i = 0; i < 4; ++i) assert_true(x[i] == (float)(10 * (i + 1)));
  /* The same memory twice is the same memory there. */
  args[1] = args[0];
  check_ok(call("add_to", args, 2, &result));
  for (i = 0; i < 4; ++i) assert_true(y[i] == (float)(22 * (i + 1)));
}

/* Interleaved tensors; nothing between the elements is written. */
TEST(test_strided_tensors) {
  float data[12], *at = data;
  int64_t strides[1] = {3}, back[1] = {-3};
  tvm_ffi_vector yv, xv;
  TVMFFIAny args[2], result;
  int i;
  for (i = 0; i < 12; ++i) data[i] = (float)i;
  args[0] = tvm_ffi_vector_init(&yv, at, kCpu, TVM_FFI_C_FLOAT32, 4);
  args[1] = tvm_ffi_vector_init(&xv, at + 10, kCpu, TVM_FFI_C_FLOAT32, 4);
  yv.tensor.strides = strides;
  xv.tensor.strides = back;
  check_ok(call("add_to", args, 2, &result)); /* 0 3 6 9 += 10 7 4 1 */
  for (i = 0; i < 12; ++i) assert_true(data[i] == (float)(i % 3 == 0 ? 10 : i));
  /* Tensors that overlap by half. */
  for (i = 0; i < 12; ++i) data[i] = 1;
  args[0] = tvm_ffi_vector_init(&yv, at, kCpu, TVM_FFI_C_FLOAT32, 8);
  args[1] = tvm_ffi_vector_init(&xv, at + 4, kCpu, TVM_FFI_C_FLOAT32, 8);
  check_ok(call("add_to", args, 2, &result));
  for (i = 0; i < 12; ++i) assert_true(data[i] == (float)(i < 8 ? 2 : 1));
}

/* The alignment of elements is the same there, and a failed call changes nothing here. */
TEST(test_alignment_and_failure) {
  char *data = NULL;
  tvm_ffi_vector v;
  TVMFFIAny arg, result;
  size_t i;
  assert_int_equal(posix_memalign((void **)&data, 64, 256), 0);
  memset(data, 0, 256);
  for (i = 0; i < 128; i += 4) {
    arg = tvm_ffi_vector_init(&v, data + i, kCpu, TVM_FFI_C_FLOAT32, 4);
    check_ok(call("alignment", &arg, 1, &result));
    assert_int_equal(result.v_int64, i % 64);
  }
  arg = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 4);
  check_fails(call("write_and_fail", &arg, 1, &result), "ValueError", "failed on purpose");
  for (i = 0; i < 256; ++i) assert_int_equal(data[i], 0);
  free(data);
}

/* Memory that cannot be written is not, whether a tensor says so or not. */
TEST(test_read_only_memory) {
  const size_t size = 1 << 16;
  float y[4] = {1, 1, 1, 1};
  float *x = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tvm_ffi_vector yv, xv;
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle object = NULL;
  args[0] = tvm_ffi_vector_init(&yv, y, kCpu, TVM_FFI_C_FLOAT32, 4);
  args[1] = tvm_ffi_vector_init(&xv, x, kCpu, TVM_FFI_C_FLOAT32, (int64_t)(size / 4));
  check_ok(call("add_to", args, 2, &result));
  check_ok(tvm_ffi_tensor_create_read_only(&xv.tensor, NULL, NULL, &object));
  args[1] = args[0];
  args[0] = tvm_ffi_any_view_object(object);
  xv.tensor.shape[0] = 4;
  xv.shape[0] = 4;
  TVMFFITensorGetDLTensorPtr(object)->shape[0] = 4;
  check_ok(call("add_to", args, 2, &result)); /* writes to it there, which is lost */
  assert_true(x[0] == 0);
  tvm_ffi_object_release(object);
  munmap(x, size);
}

static TVMFFIAny view_bytes(tvm_ffi_vector *out, void *data, int64_t size) {
  return tvm_ffi_vector_init(out, data, kCpu, TVM_FFI_C_UINT8, size);
}

/* Three pages; the middle one is protected in that way. */
static uint8_t *map_pages(size_t page, int protection) {
  uint8_t *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(pages != MAP_FAILED);
  memset(pages, 1, 3 * page);
  assert_int_equal(mprotect(pages + page, page, protection), 0);
  return pages;
}

static void check_filled(const uint8_t *data, size_t size, uint8_t expected) {
  size_t i;
  for (i = 0; i < size; ++i) assert_int_equal(data[i], expected);
}

/* What a kernel writes to a copy cannot be written back: an error, and nothing has changed. */
TEST(test_memory_that_cannot_be_written) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const char *const kText = "the elements of a tensor cannot be written";
  uint8_t *pages = map_pages(page, PROT_READ), other[64];
  tvm_ffi_vector v, w;
  TVMFFIAny args[3], result;
  memset(other, 1, sizeof other);
  args[0] = tvm_ffi_any_from_int64(7);
  args[1] = view_bytes(&v, other, sizeof other);
  args[2] = view_bytes(&w, pages, (int64_t)(3 * page));
  check_fails_with(call("fill", args, 3, &result), "ValueError", "argument #2 of fill: the elem");
  check_filled(other, sizeof other, 1);
  check_filled(pages, 3 * page, 1);
  args[2] = args[1];
  args[1] = view_bytes(&w, pages + page + 5, 10);
  check_fails_with(call("fill", args, 3, &result), "ValueError", kText);
  check_filled(other, sizeof other, 1);
  args[1] = view_bytes(&w, pages + page - 5, 10);
  check_fails_with(call("fill", args, 3, &result), "ValueError", kText);
  args[1] = view_bytes(&w, pages + 2 * page - 5, 10);
  check_fails_with(call("fill", args, 3, &result), "ValueError", kText);
  check_filled(pages, 3 * page, 1);
  /* What is written is what was there. */
  args[0] = tvm_ffi_any_from_int64(1);
  check_ok(call("fill", args, 3, &result));
  args[0] = tvm_ffi_any_from_int64(7);
  args[1] = view_bytes(&w, pages, (int64_t)page);
  check_ok(call("fill", args, 3, &result));
  check_filled(pages, page, 7);
  check_filled(other, sizeof other, 7);
  munmap(pages, 3 * page);
}

/* A tensor that is not there is an error of the call. The module is new: it has seen no memory. */
TEST(test_memory_that_cannot_be_read) {
  const tvm_ffi_isolated_options options = host_options();
  const TVMFFIObjectHandle other = module;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const char *const kText = "argument #1 of fill: the elements of a tensor cannot be read";
  uint8_t *pages = map_pages(page, PROT_NONE);
  FILE *file = tmpfile();
  uint8_t *past_end = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  int64_t strides[1];
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  check_ok(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &module));
  assert_true(past_end != MAP_FAILED);
  assert_int_equal(ftruncate(fileno(file), (off_t)page), 0);
  args[0] = tvm_ffi_any_from_int64(1);
  args[1] = view_bytes(&v, pages, (int64_t)(3 * page));
  check_fails_with(call("fill", args, 2, &result), "ValueError", kText);
  args[1] = view_bytes(&v, pages + page - 1, 2);
  check_fails_with(call("fill", args, 2, &result), "ValueError", kText);
  args[1] = view_bytes(&v, past_end + page - 1, 2);
  check_fails_with(call("fill", args, 2, &result), "ValueError", kText);
  /* Elements on both sides of a gap. */
  strides[0] = (int64_t)(2 * page);
  args[1] = view_bytes(&v, pages, 2);
  v.tensor.strides = strides;
  check_ok(call("stamp", &args[1], 1, &result));
  assert_int_equal(pages[0], 4);
  assert_int_equal(pages[2 * page], 5);
  munmap(pages + page, 2 * page);
  args[1] = view_bytes(&v, pages + page - 1, 2);
  check_fails_with(call("fill", args, 2, &result), "ValueError", kText);
  munmap(pages, page);
  munmap(past_end, 2 * page);
  fclose(file);
  tvm_ffi_object_release(module);
  module = other;
}

static uint8_t *mapped;
enum { kMapped = 256 << 10 };

TVM_FFI_C_FUNCTION(unmap, "(...) -> int") {
  munmap(mapped, kMapped);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
}

static uint8_t *map_filled(void) {
  mapped = mmap(NULL, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(mapped != MAP_FAILED);
  memset(mapped, 1, kMapped);
  return mapped;
}

/* Memory that was passed before is unmapped: as a whole, in its middle, or by a callback. */
TEST(test_memory_that_was_unmapped) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  TVMFFIObjectHandle callback = NULL;
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  int part;
  for (part = 0; part < 2; ++part) {
    args[0] = tvm_ffi_any_from_int64(7);
    args[1] = view_bytes(&v, map_filled(), kMapped);
    check_ok(call("fill", args, 2, &result));
    check_ok(call("fill", args, 2, &result));
    check_filled(mapped, kMapped, 7);
    munmap(mapped + (part == 0 ? 0 : kMapped / 2), part == 0 ? kMapped : page);
    check_fails_with(call("fill", args, 2, &result), "ValueError",
                     "argument #1 of fill: the elements of a tensor cannot be read");
    munmap(mapped, kMapped);
  }
  check_ok(TVMFFIFunctionCreate(NULL, unmap, NULL, &callback));
  args[0] = tvm_ffi_any_view_object(callback);
  args[1] = view_bytes(&v, map_filled(), kMapped);
  check_fails_with(call("call", args, 2, &result), "ValueError",
                   "argument #1 of call: the elements of a tensor cannot be written");
  tvm_ffi_object_release(callback);
}

#ifdef __linux__
/* Memory of a driver, which has no pages of its own, can be written. */
TEST(test_memory_of_a_driver) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct perf_event_attr event;
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  uint8_t *pages;
  int file;
  memset(&event, 0, sizeof event);
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.exclude_kernel = event.disabled = 1;
  file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  if (file < 0) skip(); /* not allowed */
  pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert_true(pages != MAP_FAILED);
  args[0] = tvm_ffi_any_from_int64(7);
  args[1] = view_bytes(&v, pages + 1500, 64); /* reserved for later */
  check_ok(call("fill", args, 2, &result));
  check_filled(pages + 1500, 64, 7);
  munmap(pages, 2 * page);
  close(file);
}

/* A tensor with large gaps does not make the system provide the memory of the gaps. */
TEST(test_sparse_memory) {
  enum { kCount = 16, kStep = 1 << 20 }; /* all of them fit a message where sizes have 32 bits */
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const int file = memfd_create("test", 0);
  int64_t strides[1] = {kStep};
  struct stat status;
  tvm_ffi_vector v;
  TVMFFIAny arg, result;
  uint8_t *data;
  assert_int_equal(ftruncate(file, (off_t)kCount * kStep), 0);
  data = mmap(NULL, (size_t)kCount * kStep, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert_true(data != MAP_FAILED);
  data[0] = 1;
  assert_int_equal(fstat(file, &status), 0);
  if ((size_t)status.st_blocks * 512 > page) skip(); /* huge pages */
  arg = view_bytes(&v, data, kCount);
  v.tensor.strides = strides;
  check_ok(call("stamp", &arg, 1, &result));
  assert_int_equal(data[(size_t)(kCount - 1) * kStep], kCount);
  assert_int_equal(fstat(file, &status), 0);
  assert_int_equal((size_t)status.st_blocks * 512, kCount * page);
  munmap(data, (size_t)kCount * kStep);
  close(file);
}
#endif

/* Whatever the strides are, the elements and no other bytes are as after a call in this process. */
TEST(test_layouts) {
  enum { kLayouts = 400, kBytes = 1024, kDims = 4 };
  static uint8_t here[kBytes], there[kBytes];
  uint64_t state = 1;
  int64_t shape[kDims], strides[kDims];
  TVMFFIObjectHandle stamp = get("stamp"), loaded = NULL, stamp_here = NULL;
  TVMFFIAny arg, result;
  tvm_ffi_vector v;
  int k, i;
  check_ok(tvm_ffi_module_load(module_path("isolated_good.so"), &loaded));
  check_ok(tvm_ffi_module_get_function(loaded, "stamp", &stamp_here));
  for (k = 0; k < kLayouts; ++k) {
    for (i = 0; i < kBytes; ++i) here[i] = there[i] = (uint8_t)(7 * i + k);
    (void)view_bytes(&v, there + kBytes / 2, 1);
    v.tensor.ndim = 1 + k % kDims;
    for (i = 0; i < v.tensor.ndim; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      shape[i] = 1 + (int64_t)(state >> 33) % 5;
      strides[i] = (int64_t)(state >> 40) % 25 - 12;
    }
    v.tensor.shape = shape;
    v.tensor.strides = strides;
    arg = tvm_ffi_any_view_tensor(&v.tensor);
    check_ok(tvm_ffi_function_call(stamp, &arg, 1, &result));
    v.tensor.data = here + kBytes / 2;
    check_ok(tvm_ffi_function_call(stamp_here, &arg, 1, &result));
    assert_memory_equal(here, there, kBytes);
  }
  tvm_ffi_object_release(stamp);
  tvm_ffi_object_release(stamp_here);
  tvm_ffi_object_release(loaded);
}

/* A few bytes that are 2^40 elements are copied once. */
TEST(test_repeated_elements) {
  float data[4] = {1, 2, 3, 4};
  int64_t shape[2] = {1 << 20, 1 << 20}, strides[2] = {0, 0};
  const int64_t begin = (int64_t)time(NULL);
  tvm_ffi_vector v;
  TVMFFIAny arg, result;
  arg = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 4);
  v.tensor.ndim = 2;
  v.tensor.shape = shape;
  v.tensor.strides = strides;
  (void)alarm(60 * environment_slower());
  check_ok(call("alignment", &arg, 1, &result));
  shape[0] = 3;
  strides[0] = 1;
  check_ok(call("alignment", &arg, 1, &result));
  (void)alarm(0);
  assert_true(time(NULL) - begin < 20 * environment_slower());
}

/* The limits of messages, and of what an answer may take. */
TEST(test_amounts) {
  const size_t large = ((size_t)256 << 20) + 1;
  char *bytes = calloc(1, large), path[4200];
  TVMFFIByteArray content = {bytes, large};
  TVMFFIObjectHandle limited = NULL, same = NULL;
  TVMFFIAny arg, result;
  assert_non_null(bytes);
  arg = tvm_ffi_any_view_bytes(&content);
  check_fails_with(call("type_of", &arg, 1, &result), "MemoryError", "at most 256 MiB");
  snprintf(path, sizeof path, "isolated,answer=4000000:%s", module_path("isolated_good.so"));
  check_ok(TVMFFIRuntimeModuleLoad(path, &limited));
  check_ok(tvm_ffi_module_get_function(limited, "same", &same));
  content.size = 1000000;
  check_ok(tvm_ffi_function_call(same, &arg, 1, &result));
  tvm_ffi_any_clear(&result);
  content.size = 3000000;
  check_fails_with(tvm_ffi_function_call(same, &arg, 1, &result), TVM_FFI_ISOLATED_CHANNEL_ERROR,
                   "more memory of the host than options.answer allows");
  tvm_ffi_object_release(same);
  tvm_ffi_object_release(limited);
  free(bytes);
}

/* With a limit of the helper's memory, an answer may be what containers share, many times. */
TEST(test_large_answers) {
  tvm_ffi_isolated_options options = host_options();
  const TVMFFIObjectHandle other = module;
  TVMFFIAny args[2], text, inner, result;
  enum { kInner = 1000, kOuter = 3200 };
  options.memory = (uint64_t)64 << 20;
  if (sizeof(void *) < 8) skip(); /* a message is smaller there */
  if (tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &module) != 0) {
    TVMFFIErrorSetRaised(NULL); /* a sanitizer takes more, and macOS has no such limit */
    module = other;
    skip();
  }
  check_ok(tvm_ffi_string_create_sized("abc", 3, &text));
  args[0] = text;
  args[1] = tvm_ffi_any_from_int64(kInner);
  check_ok(call("repeat", args, 2, &inner));
  args[0] = inner;
  args[1] = tvm_ffi_any_from_int64(kOuter);
  check_ok(call("repeat", args, 2, &result));
  assert_int_equal(tvm_ffi_array_get_size(result.v_obj), kOuter);
  tvm_ffi_any_clear(&result);
  tvm_ffi_any_clear(&inner);
  tvm_ffi_object_release(module);
  module = other;
}

/* A program that was compiled before `answer` was there. */
TEST(test_older_options) {
  tvm_ffi_isolated_options options = host_options();
  TVMFFIObjectHandle made = NULL;
  options.struct_size = offsetof(tvm_ffi_isolated_options, answer);
  options.answer = 1;
  check_ok(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &made));
  tvm_ffi_object_release(made);
  --options.struct_size;
  check_fails_with(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &made),
                   TVM_FFI_C_VALUE_ERROR, "options.struct_size is ");
}

static void check_iota(const TVMFFIAny *value, int64_t n) {
  const DLTensor *tensor = TVMFFITensorGetDLTensorPtr(value->v_obj);
  int64_t i, stride = 0;
  assert_int_equal(value->type_index, kTVMFFITensor);
  assert_int_equal(tensor->ndim, 1);
  assert_int_equal(tensor->shape[0], n);
  check_ok(tvm_ffi_tensor_read_stride(tensor, 0, &stride));
  for (i = 0; i < n; ++i) {
    assert_true(((float *)tvm_ffi_tensor_get_data(tensor))[i * stride] == (float)i);
  }
}

TEST(test_returned_tensors) {
  static const int64_t kSizes[] = {0, 1, 1000, 16384, 16385, 1000000};
  static const char *const kNames[] = {"iota", "own_iota"};
  TVMFFIAny arg, result, again;
  size_t i, j;
  for (i = 0; i < sizeof kSizes / sizeof *kSizes; ++i) {
    for (j = 0; j < 2; ++j) {
      arg = tvm_ffi_any_from_int64(kSizes[i]);
      check_ok(call(kNames[j], &arg, 1, &result));
      check_iota(&result, kSizes[i]);
      /* An argument that is returned is the same object. */
      check_ok(call("same", &result, 1, &again));
      assert_ptr_equal(again.v_obj, result.v_obj);
      tvm_ffi_any_clear(&again);
      tvm_ffi_any_clear(&result);
    }
  }
}

/* The next call tells the helper that a result was released, so its memory is used again. */
TEST(test_results_are_released) {
  static const char *const kNames[] = {"iota", "own_iota"};
  const TVMFFIAny arg = tvm_ffi_any_from_int64(3000000); /* 12 MB, of which few fit in 32 bits */
  TVMFFIAny result;
  const void *data = NULL;
  int i;
  for (i = 0; i < 20; ++i) {
    check_ok(call(kNames[i % 2], &arg, 1, &result));
    if (i > 0) assert_ptr_equal(TVMFFITensorGetDLTensorPtr(result.v_obj)->data, data);
    data = TVMFFITensorGetDLTensorPtr(result.v_obj)->data;
    tvm_ffi_any_clear(&result);
  }
}

/* Tensors outlive their helper and their module. */
TEST(test_tensors_outlive) {
  const tvm_ffi_isolated_options options = host_options();
  const TVMFFIObjectHandle outer = module;
  TVMFFIAny arg = tvm_ffi_any_from_int64(100000), result;
  check_ok(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &module));
  check_ok(call("iota", &arg, 1, &result));
  tvm_ffi_object_release(module);
  module = outer;
  check_iota(&result, 100000);
  tvm_ffi_any_clear(&result);
}

TEST(test_shared_tensors) {
  DLPackManagedTensorAllocator before;
  TVMFFIObjectHandle y = NULL, x = NULL;
  TVMFFIAny args[2], result;
  int64_t n = 300000, i;
  float *yd, *xd;
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(tvm_ffi_isolated_allocate, 0, &before));
  check_ok(tvm_ffi_tensor_create(kCpu, TVM_FFI_C_FLOAT32, 1, &n, &y));
  check_ok(tvm_ffi_tensor_create(kCpu, TVM_FFI_C_FLOAT32, 1, &n, &x));
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, NULL));
  yd = TVMFFITensorGetDLTensorPtr(y)->data;
  xd = TVMFFITensorGetDLTensorPtr(x)->data;
  for (i = 0; i < n; ++i) yd[i] = 1, xd[i] = (float)i;
  args[0] = tvm_ffi_any_view_object(y);
  args[1] = tvm_ffi_any_view_object(x);
  check_ok(call("add_to", args, 2, &result));
  for (i = 0; i < n; ++i) assert_true(yd[i] == (float)(i + 1));
  /* In place: what a failing kernel wrote is there. */
  check_fails(call("write_and_fail", args, 1, &result), "ValueError", "failed on purpose");
  assert_true(yd[0] == 77);
  tvm_ffi_object_release(y);
  tvm_ffi_object_release(x);
}

/* A kernel may keep a tensor; its elements are then its own. */
TEST(test_kept_tensors) {
  float data[4] = {0, 1, 2, 3};
  tvm_ffi_vector v;
  TVMFFIObjectHandle tensor = NULL;
  TVMFFIAny arg, none = tvm_ffi_any_none(), result;
  (void)tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 4);
  check_ok(tvm_ffi_tensor_create_around(&v.tensor, NULL, NULL, &tensor));
  arg = tvm_ffi_any_view_object(tensor);
  check_ok(call("keep", &arg, 1, &result));
  tvm_ffi_object_release(tensor);
  data[0] = 5;
  arg = tvm_ffi_any_from_int64(1000); /* overwrites the messages before */
  check_ok(call("own_iota", &arg, 1, &result));
  tvm_ffi_any_clear(&result);
  check_ok(call("keep", &none, 1, &result));
  check_iota(&result, 4);
  tvm_ffi_any_clear(&result);
}

/* ---- Callbacks ---- */

TVM_FFI_C_FUNCTION(multiply, "(0: int, 1: int) -> int") {
  int64_t a, b;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
  if (b == 0) return TVM_FFI_C_RAISE("MyError", "zero");
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a * b));
}

static TVMFFIObjectHandle make_function(TVMFFISafeCallType body) {
  TVMFFIObjectHandle made = NULL;
  check_ok(TVMFFIFunctionCreate(NULL, body, NULL, &made));
  return made;
}

TEST(test_callbacks) {
  const TVMFFIObjectHandle function = make_function(multiply);
  TVMFFIAny args[3], result;
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_from_int64(6);
  args[2] = tvm_ffi_any_from_int64(7);
  check_ok(call("call", args, 3, &result));
  assert_int_equal(result.v_int64, 42);
  args[2] = tvm_ffi_any_from_int64(0);
  check_fails(call("call", args, 3, &result), "MyError", "zero");
  assert_int_equal(check_use_count(function), 1);
  tvm_ffi_object_release(function);
}

static int64_t levels;
static TVMFFIObjectHandle call_kernel;

/* Calls the module again, which calls this again. */
TVM_FFI_C_FUNCTION(descend, "() -> int") {
  const TVMFFIObjectHandle function = make_function(descend);
  TVMFFIAny arg = tvm_ffi_any_view_object(function);
  int code;
  if (levels == 0) {
    tvm_ffi_object_release(function);
    return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(0));
  }
  --levels;
  code = tvm_ffi_function_call(call_kernel, &arg, 1, args->result);
  if (code == 0) ++args->result->v_int64;
  tvm_ffi_object_release(function);
  return code;
}

TEST(test_nested_calls) {
  const TVMFFIObjectHandle function = make_function(descend);
  TVMFFIAny arg = tvm_ffi_any_view_object(function), result;
  call_kernel = get("call");
  levels = 50;
  check_ok(call("call", &arg, 1, &result));
  assert_int_equal(result.v_int64, 50);
  levels = 1000;
  check_fails_with(call("call", &arg, 1, &result), "RecursionError", "calls within calls");
  check_ok(call("nothing", NULL, 0, &result));
  tvm_ffi_object_release(call_kernel);
  tvm_ffi_object_release(function);
}

/* y += 1 in the host. */
TVM_FFI_C_FUNCTION(increment, "(0: DLTensor*) -> None") {
  DLTensor *y;
  int64_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  for (i = 0; i < y->shape[0]; ++i) ++((float *)tvm_ffi_tensor_get_data(y))[i];
  return 0;
}

/* A callback gets a copy of the kernel's tensor, and what it changes arrives there. */
TEST(test_tensors_in_callbacks) {
  const TVMFFIObjectHandle function = make_function(increment);
  float data[3] = {1, 2, 3};
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_vector_init(&v, data, kCpu, TVM_FFI_C_FLOAT32, 3);
  check_ok(call("call", args, 2, &result));
  assert_true(data[0] == 2 && data[1] == 3 && data[2] == 4);
  tvm_ffi_object_release(function);
}

/* Fills each of its tensors: the first with 1, the next with 2. */
TVM_FFI_C_FUNCTION(number, "(...) -> None") {
  int32_t k;
  int64_t i;
  for (k = 0; k < args->num_args; ++k) {
    DLTensor *x;
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, k, &x));
    for (i = 0; i < x->shape[0]; ++i) {
      ((uint8_t *)tvm_ffi_tensor_get_data(x))[i * x->strides[0]] = (uint8_t)(k + 1);
    }
  }
  return 0;
}

#ifdef __linux__
static long num_pages;

/* Pages of files that this process uses, shared memory among them. */
static long read_shared(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long shared = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%*d %*d %ld", &shared) != 1) shared = 0;
  fclose(file);
  return shared;
}

TVM_FFI_C_FUNCTION(number_and_look, "(0: DLTensor*) -> None") {
  num_pages = read_shared();
  return number(NULL, args->args, args->num_args, args->result);
}

/* A kernel's column of a wide matrix takes no shared memory for what is between its elements. */
TEST(test_columns_in_callbacks) {
  const int64_t step = (int64_t)1 << (sizeof(void *) < 8 ? 24 : 29);
  const TVMFFIObjectHandle function = make_function(number_and_look);
  const long before = read_shared();
  TVMFFIAny args[2], result;
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = tvm_ffi_any_from_int64(step);
  check_ok(call("call_with_column", args, 2, &result));
  assert_int_equal(result.v_int64, 2);
  assert_true(num_pages - before < (long)(step / sysconf(_SC_PAGESIZE) / 8));
  tvm_ffi_object_release(function);
}
#endif

/* Fills the second of its tensors with 9. */
TVM_FFI_C_FUNCTION(fill_second, "(0: DLTensor*, 1: DLTensor*, ...) -> None") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  memset(tvm_ffi_tensor_get_data(x), 9, (size_t)x->shape[0]);
  return 0;
}

/* A callback's changes to one tensor leave those to another alone, which lies between its elements.
 */
TEST(test_interleaved_tensors_in_callbacks) {
  const TVMFFIObjectHandle function = make_function(number);
  int64_t strides[1] = {3}, back[1] = {-3};
  uint8_t data[12];
  tvm_ffi_vector first, second;
  TVMFFIAny args[3], result;
  int i;
  memset(data, 7, sizeof data);
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = view_bytes(&first, data, 4);
  args[2] = view_bytes(&second, data + 10, 4);
  first.tensor.strides = strides;
  second.tensor.strides = back;
  check_ok(call("call", args, 3, &result));
  for (i = 0; i < 12; ++i) assert_int_equal(data[i], i % 3 == 2 ? 7 : i % 3 + 1);
  tvm_ffi_object_release(function);
}

/* Tensors of a callback that overlap do so in the host, whichever of them is changed. */
TEST(test_overlapping_tensors_in_callbacks) {
  const TVMFFIObjectHandle function = make_function(fill_second), swapped = make_function(number);
  uint8_t data[12];
  tvm_ffi_vector first, second, third;
  TVMFFIAny args[4], result;
  int i;
  memset(data, 7, sizeof data);
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = view_bytes(&first, data, 12);
  args[2] = args[1];
  check_ok(call("call", args, 3, &result));
  check_filled(data, sizeof data, 9);
  memset(data, 7, sizeof data);
  args[2] = view_bytes(&second, data + 4, 4);
  args[3] = view_bytes(&third, data + 6, 6);
  check_ok(call("call", args, 4, &result));
  for (i = 0; i < 12; ++i) assert_int_equal(data[i], i >= 4 && i < 8 ? 9 : 7);
  /* The last change counts. */
  args[0] = tvm_ffi_any_view_object(swapped);
  check_ok(call("call", args, 4, &result));
  for (i = 0; i < 12; ++i) assert_int_equal(data[i], i < 4 ? 1 : i < 6 ? 2 : 3);
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(swapped);
}

/* Fills its tensor with 1, and takes longer than the helper may. */
TVM_FFI_C_FUNCTION(fill_slowly, "(0: DLTensor*) -> None") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  memset(tvm_ffi_tensor_get_data(x), 1, (size_t)x->shape[0]);
  usleep((useconds_t)(1.2e6 * environment_patience(1)));
  return 0;
}

/* The time of a callback does not count, also when much is copied back after it. */
TEST(test_slow_callbacks) {
  const size_t size = (size_t)16 << 20;
  const TVMFFIObjectHandle function = make_function(fill_slowly), other = module;
  tvm_ffi_isolated_options options = host_options();
  uint8_t *data = calloc(1, size);
  tvm_ffi_vector v;
  TVMFFIAny args[2], result;
  options.timeout = environment_patience(1);
  check_ok(tvm_ffi_isolated_load(module_path("isolated_good.so"), &options, &module));
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = view_bytes(&v, data, (int64_t)size);
  check_ok(call("call", args, 2, &result));
  check_filled(data, size, 1);
  free(data);
  tvm_ffi_object_release(function);
  tvm_ffi_object_release(module);
  module = other;
}

static TVMFFIObjectHandle passed_list;
static uint8_t last_seen;

static void look_and_forget(void *context, DLTensor *tensor) {
  (void)context;
  last_seen = *(uint8_t *)tensor->data;
  memset(tensor->data, 0, (size_t)tensor->shape[0]);
}

/* Fills the tensor of a list, and empties the list that was passed. */
TVM_FFI_C_FUNCTION(empty_list, "(0: ffi.List) -> None") {
  TVMFFIAny arg = tvm_ffi_any_view_object(passed_list), none;
  DLTensor *x = TVMFFITensorGetDLTensorPtr(tvm_ffi_array_get_data(args->args[0].v_obj)->v_obj);
  memset(tvm_ffi_tensor_get_data(x), 5, (size_t)x->shape[0]);
  return tvm_ffi_function_call_global("ffi.ListClear", &arg, 1, &none);
}

/* A tensor lives until its elements are copied back, whatever a callback does. */
TEST(test_dropped_arguments) {
  const TVMFFIObjectHandle function = make_function(empty_list);
  uint8_t data[64] = {1};
  tvm_ffi_vector v;
  TVMFFIObjectHandle tensor = NULL;
  TVMFFIAny args[2], item, result;
  (void)view_bytes(&v, data, sizeof data);
  check_ok(tvm_ffi_tensor_create_around(&v.tensor, look_and_forget, NULL, &tensor));
  item = tvm_ffi_any_view_object(tensor);
  args[0] = tvm_ffi_any_view_object(function);
  args[1] = make("ffi.List", &item, 1);
  passed_list = args[1].v_obj;
  tvm_ffi_object_release(tensor);
  last_seen = 0;
  check_ok(call("call", args, 2, &result));
  assert_int_equal(last_seen, 5);
  tvm_ffi_any_clear(&args[1]);
  tvm_ffi_object_release(function);
}

/* A function that a kernel returns runs in its helper, also when it goes back there. */
TEST(test_returned_functions) {
  TVMFFIAny args[3], result, sum;
  check_ok(call("adder", NULL, 0, &result));
  args[0] = result;
  args[1] = tvm_ffi_any_from_int64(2);
  args[2] = tvm_ffi_any_from_int64(3);
  check_ok(tvm_ffi_function_call(result.v_obj, args + 1, 2, &sum));
  assert_int_equal(sum.v_int64, 5);
  check_ok(call("call", args, 3, &sum));
  assert_int_equal(sum.v_int64, 5);
  tvm_ffi_any_clear(&result);
}

/* A callback that the kernel keeps is the same function when it comes back. */
TEST(test_kept_callbacks) {
  const TVMFFIObjectHandle function = make_function(multiply);
  TVMFFIAny arg = tvm_ffi_any_view_object(function), none = tvm_ffi_any_none(), result;
  check_ok(call("keep", &arg, 1, &result));
  assert_int_equal(check_use_count(function), 2);
  check_ok(call("keep", &none, 1, &result));
  assert_ptr_equal(result.v_obj, function);
  tvm_ffi_any_clear(&result);
  check_ok(call("nothing", NULL, 0, &result)); /* brings the news that it is not kept any more */
  assert_int_equal(check_use_count(function), 1);
  tvm_ffi_object_release(function);
}

static void copy_file(const char *from, const char *to) {
  static char bytes[64 << 10];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  size_t size;
  assert_non_null(in);
  assert_non_null(out);
  while ((size = fread(bytes, 1, sizeof bytes, in)) > 0) {
    assert_int_equal(fwrite(bytes, 1, size, out), size);
  }
  assert_int_equal(ferror(in), 0);
  fclose(in);
  assert_int_equal(fclose(out), 0);
}

/*
 * The runtime with C++ functions is installed in a folder of the folder with this library. Another
 * library with its name stands for it: the error says that it was opened.
 */
TEST(test_library_above_the_runtime) {
  char folder[kEnvironmentPath], inner[sizeof folder + 16];
  char runtime[sizeof inner + 16], library[sizeof folder + 32];
  int (*load_module)(const char *path, TVMFFIObjectHandle *out);
  void (*take_error)(TVMFFIObjectHandle * out);
  TVMFFIObjectHandle loaded = NULL, error = NULL;
  void *handle, *symbol;
  environment_temporary("tvm_ffi_test", folder);
  assert_non_null(mkdtemp(folder));
  snprintf(inner, sizeof inner, "%s/tvm_ffi_cxx", folder);
  snprintf(runtime, sizeof runtime, "%s/libtvm_ffi.so", inner);
  snprintf(library, sizeof library, "%s/libtvm_ffi_isolated.so", folder);
  assert_int_equal(mkdir(inner, 0700), 0);
  copy_file(getenv("TVM_FFI_TEST_RUNTIME"), runtime);
  copy_file(module_path("isolated_good.so"), library);
  handle = dlopen(runtime, RTLD_LAZY | RTLD_LOCAL);
  assert_non_null(handle);
  symbol = dlsym(handle, "TVMFFIRuntimeModuleLoad");
  assert_non_null(symbol);
  memcpy(&load_module, &symbol, sizeof load_module);
  symbol = dlsym(handle, "TVMFFIErrorMoveFromRaised");
  assert_non_null(symbol);
  memcpy(&take_error, &symbol, sizeof take_error);
  assert_int_equal(load_module("isolated:/no/such/kernel.so", &loaded), -1);
  take_error(&error);
  assert_non_null(error);
  assert_non_null(
      strstr(tvm_ffi_error_get_message(error).data, "it has no tvm_ffi_isolated_load_named"));
  tvm_ffi_object_release(error);
  assert_int_equal(unlink(library), 0);
  assert_int_equal(unlink(runtime), 0);
  assert_int_equal(rmdir(inner), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_values),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_views),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_big_integers),
      cmocka_unit_test(test_deep_values),
      cmocka_unit_test(test_refused_values),
      cmocka_unit_test(test_lookup),
      cmocka_unit_test(test_process),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_load_errors),
      cmocka_unit_test(test_copied_tensors),
      cmocka_unit_test(test_strided_tensors),
      cmocka_unit_test(test_alignment_and_failure),
      cmocka_unit_test(test_read_only_memory),
      cmocka_unit_test(test_memory_that_cannot_be_written),
      cmocka_unit_test(test_memory_that_cannot_be_read),
      cmocka_unit_test(test_memory_that_was_unmapped),
#ifdef __linux__
      cmocka_unit_test(test_memory_of_a_driver),
      cmocka_unit_test(test_sparse_memory),
#endif
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_repeated_elements),
      cmocka_unit_test(test_amounts),
      cmocka_unit_test(test_large_answers),
      cmocka_unit_test(test_older_options),
      cmocka_unit_test(test_returned_tensors),
      cmocka_unit_test(test_results_are_released),
      cmocka_unit_test(test_tensors_outlive),
      cmocka_unit_test(test_shared_tensors),
      cmocka_unit_test(test_kept_tensors),
      cmocka_unit_test(test_callbacks),
      cmocka_unit_test(test_nested_calls),
      cmocka_unit_test(test_tensors_in_callbacks),
      cmocka_unit_test(test_interleaved_tensors_in_callbacks),
#ifdef __linux__
      cmocka_unit_test(test_columns_in_callbacks),
#endif
      cmocka_unit_test(test_overlapping_tensors_in_callbacks),
      cmocka_unit_test(test_slow_callbacks),
      cmocka_unit_test(test_dropped_arguments),
      cmocka_unit_test(test_returned_functions),
      cmocka_unit_test(test_kept_callbacks),
      cmocka_unit_test(test_library_above_the_runtime),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
