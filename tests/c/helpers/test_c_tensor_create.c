/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor objects made in every way that c/tensor.h offers. */
#include <tvm/ffi/c/export.h>
#include <tvm/ffi/c/string.h>
#include <tvm/ffi/c/tensor.h>

#include "support/check.h"

static const DLDevice cpu = {kDLCPU, 0};

typedef struct {
  char memory[64];
  int allocations, releases, fail;
  size_t size;
  DLTensor seen;
} pool;

static int allocate(void *context, DLTensor *tensor, size_t size) {
  pool *p = (pool *)context;
  ++p->allocations;
  p->size = size;
  p->seen = *tensor;
  if (p->fail > 0) return tvm_ffi_error_raise(TVM_FFI_C_MEMORY_ERROR, "pool is empty");
  if (p->fail < 0) return p->fail; /* without raising an error */
  tensor->data = p->memory;
  return 0;
}

static void release(void *context, DLTensor *tensor) {
  pool *p = (pool *)context;
  ++p->releases;
  assert_ptr_equal(tensor->data, p->memory);
}

static tvm_ffi_tensor_allocator make_allocator(pool *p) {
  tvm_ffi_tensor_allocator allocator;
  memset(p, 0, sizeof *p);
  allocator.allocate = allocate;
  allocator.release = release;
  allocator.context = p;
  return allocator;
}

TEST(test_memory_of_callbacks) {
  const int64_t shape[2] = {3, 5};
  const DLTensor *t;
  TVMFFIObjectHandle tensor = NULL;
  pool p;
  tvm_ffi_tensor_allocator allocator = make_allocator(&p);
  check_ok(tvm_ffi_tensor_create_with(&allocator, cpu, TVM_FFI_C_INT16, 2, shape, &tensor));
  assert_int_equal(p.size, 30);
  assert_true(p.seen.ndim == 2 && p.seen.shape[1] == 5 && p.seen.strides[0] == 5);
  memset(&allocator, 0, sizeof allocator); /* the tensor has a copy */
  t = TVMFFITensorGetDLTensorPtr(tensor);
  assert_ptr_equal(t->data, p.memory);
  assert_true(t->ndim == 2 && t->shape[0] == 3 && t->strides[0] == 5 && t->strides[1] == 1);
  assert_true(tvm_ffi_dtype_equal(t->dtype, TVM_FFI_C_INT16));
  assert_true(tvm_ffi_device_equal(t->device, cpu));
  assert_int_equal(p.releases, 0);
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(p.allocations, 1);
  assert_int_equal(p.releases, 1);

  allocator = make_allocator(&p);
  allocator.release = NULL;
  check_ok(tvm_ffi_tensor_create_with(&allocator, cpu, TVM_FFI_C_INT16, 0, NULL, &tensor));
  assert_int_equal(p.size, 2);
  TVMFFIObjectDecRef(tensor);
}

TEST(test_callbacks_that_fail) {
  const int64_t shape[1] = {4}, negative[1] = {-4};
  TVMFFIObjectHandle tensor = NULL;
  pool p;
  tvm_ffi_tensor_allocator allocator = make_allocator(&p);
  p.fail = 1;
  check_fails(tvm_ffi_tensor_create_with(&allocator, cpu, TVM_FFI_C_INT16, 1, shape, &tensor),
              "MemoryError", "pool is empty");
  p.fail = -3; /* L-13 */
  TVMFFIErrorSetRaisedFromCStr("Old", "error");
  assert_int_equal(tvm_ffi_tensor_create_with(&allocator, cpu, TVM_FFI_C_INT16, 1, shape, &tensor),
                   -3);
  check_raised("InternalError", "callee returned -3 without setting an error");
  assert_int_equal(p.allocations, 2);
  check_fails(tvm_ffi_tensor_create_with(&allocator, cpu, TVM_FFI_C_INT16, 1, negative, &tensor),
              "ValueError", "Shape [-4] has a negative extent or too many elements");
  assert_int_equal(p.allocations, 2);
  assert_int_equal(p.releases, 0);
  assert_null(tensor);
}

TEST(test_around_memory) {
  int64_t shape[2] = {2, 2}, strides[2];
  const DLTensor *t;
  TVMFFIObjectHandle tensor = NULL;
  DLTensor memory;
  pool p;
  memset(&p, 0, sizeof p);
  tvm_ffi_tensor_init(&memory, p.memory, cpu, TVM_FFI_C_INT32, 2, shape, strides);
  strides[0] = 4, strides[1] = 2;
  memory.byte_offset = 4;
  check_ok(tvm_ffi_tensor_create_around(&memory, release, &p, &tensor));
  shape[0] = strides[0] = 99; /* the tensor has copies */
  t = TVMFFITensorGetDLTensorPtr(tensor);
  assert_ptr_equal(tvm_ffi_tensor_get_data(t), p.memory + 4);
  assert_true(t->shape[0] == 2 && t->strides[0] == 4 && t->strides[1] == 2);
  TVMFFIObjectDecRef(tensor);
  assert_int_equal(p.releases, 1);

  shape[0] = 2;
  memory.strides = NULL;
  check_ok(tvm_ffi_tensor_create_around(&memory, NULL, NULL, &tensor));
  assert_int_equal(TVMFFITensorGetDLTensorPtr(tensor)->strides[0], 2);
  TVMFFIObjectDecRef(tensor);
  shape[0] = -2;
  check_fails_with(tvm_ffi_tensor_create_around(&memory, release, &p, &tensor), "ValueError", "-2");
  assert_int_equal(p.releases, 1);
}

/* Doubles its argument in place, as a kernel may unless it is told that the data is a constant. */
TVM_FFI_C_FUNCTION(twice, "(0: DLTensor*) -> void") {
  DLTensor *x;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_writable(args, 0));
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) ((float *)tvm_ffi_tensor_get_data(x))[i] *= 2;
  return 0;
}

/* The constant of a query must be the same for each row. */
TEST(test_L_26_constants_are_read_only) {
  float data[2] = {1, 2};
  TVMFFIObjectHandle function = NULL, constant = NULL, view = NULL, tensor = NULL;
  DLManagedTensorVersioned *shared = NULL;
  const int64_t unit = 1;
  tvm_ffi_vector vector;
  TVMFFIAny arg, result;
  uint64_t flags = 0;
  int row;
  pool p;
  memset(&p, 0, sizeof p);
  check_ok(TVMFFIFunctionCreate(NULL, twice, NULL, &function));
  (void)tvm_ffi_vector_init(&vector, p.memory, cpu, TVM_FFI_C_FLOAT32, 2);
  memcpy(p.memory, data, sizeof data);
  check_ok(tvm_ffi_tensor_create_read_only(&vector.tensor, release, &p, &constant));
  check_ok(tvm_ffi_tensor_read_flags(constant, &flags));
  assert_true((flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  for (row = 0; row < 3; ++row) {
    arg = tvm_ffi_any_view_object(constant);
    check_fails(tvm_ffi_function_call(function, &arg, 1, &result), "ValueError",
                "Argument #0 of `twice(0: DLTensor*) -> void` must be writable, but is read-only");
    assert_memory_equal(p.memory, data, sizeof data);
  }
  /* views of it, and what others get through DLPack, say so too */
  check_ok(tvm_ffi_tensor_create_view(constant, 1, &unit, &unit, 1, &view));
  arg = tvm_ffi_any_view_object(view);
  check_fails(tvm_ffi_function_call(function, &arg, 1, &result), "ValueError", NULL);
  check_ok(TVMFFITensorToDLPackVersioned(view, &shared));
  assert_true((shared->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
  shared->deleter(shared);
  TVMFFIObjectDecRef(view);
  assert_int_equal(p.releases, 0);
  TVMFFIObjectDecRef(constant);
  assert_int_equal(p.releases, 1);

  /* The same memory as a tensor that may be written to, and as a view, which has no flags. */
  check_ok(tvm_ffi_tensor_create_around(&vector.tensor, NULL, NULL, &tensor));
  arg = tvm_ffi_any_view_object(tensor);
  check_ok(tvm_ffi_function_call_void(function, &arg, 1));
  TVMFFIObjectDecRef(tensor);
  arg = tvm_ffi_any_view_tensor(&vector.tensor);
  check_ok(tvm_ffi_function_call_void(function, &arg, 1));
  data[0] = 4, data[1] = 8;
  assert_memory_equal(p.memory, data, sizeof data);
  TVMFFIObjectDecRef(function);
}

static int env_result;
static DLManagedTensorVersioned *env_tensor;
static DLTensor env_prototype;

static int env_allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_ctx,
                        void (*set_error)(void *, const char *, const char *)) {
  env_prototype = *prototype;
  if (env_result == 1) set_error(error_ctx, "MemoryError", "no memory");
  *out = env_tensor;
  return env_result;
}

TEST(test_memory_of_the_environment) {
  static char memory[24];
  int64_t shape[2] = {2, 3}, tensor_shape[2] = {2, 3};
  const int64_t negative[1] = {-1};
  DLManagedTensorVersioned managed;
  TVMFFIObjectHandle tensor = NULL;
  check_fails_with(tvm_ffi_tensor_create(cpu, TVM_FFI_C_INT32, 2, shape, &tensor), "RuntimeError",
                   "allocator is nullptr");
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(env_allocate, 0, NULL));
  env_result = 1;
  check_fails_as(1, tvm_ffi_tensor_create(cpu, TVM_FFI_C_INT32, 2, shape, &tensor), "MemoryError",
                 "no memory");
  env_result = 2; /* L-13 */
  TVMFFIErrorSetRaisedFromCStr("Old", "error");
  check_fails_as(2, tvm_ffi_tensor_create(cpu, TVM_FFI_C_INT32, 2, shape, &tensor), "InternalError",
                 "callee returned 2 without setting an error");
  env_result = 0;
  memset(&managed, 0, sizeof managed);
  managed.version.major = 1;
  managed.dl_tensor.data = memory;
  managed.dl_tensor.device = cpu;
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.dtype = TVM_FFI_C_INT32;
  managed.dl_tensor.shape = tensor_shape;
  env_tensor = &managed;
  check_ok(
      tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCUDA, 2), TVM_FFI_C_INT32, 2, shape, &tensor));
  assert_int_equal(env_prototype.device.device_type, kDLCUDA);
  assert_int_equal(env_prototype.device.device_id, 2);
  assert_int_equal(env_prototype.ndim, 2);
  assert_ptr_equal(TVMFFITensorGetDLTensorPtr(tensor)->data, memory);
  assert_int_equal(TVMFFITensorGetDLTensorPtr(tensor)->strides[0], 3);
  TVMFFIObjectDecRef(tensor);
  check_fails_with(tvm_ffi_tensor_create(cpu, TVM_FFI_C_INT32, 1, negative, &tensor), "ValueError",
                   "[-1]");
  check_ok(TVMFFIEnvSetDLPackManagedTensorAllocator(NULL, 0, NULL));
}

static TVMFFIObjectHandle make_source(pool *p, DLDataType dtype, int64_t rows, int64_t columns) {
  tvm_ffi_tensor_allocator allocator = make_allocator(p);
  TVMFFIObjectHandle tensor = NULL;
  int64_t shape[2];
  shape[0] = rows, shape[1] = columns;
  check_ok(tvm_ffi_tensor_create_with(&allocator, cpu, dtype, 2, shape, &tensor));
  return tensor;
}

static int view(TVMFFIObjectHandle source, int64_t rows, int64_t columns, int64_t row_stride,
                int64_t column_stride, int64_t offset, TVMFFIObjectHandle *out) {
  int64_t shape[2], strides[2];
  shape[0] = rows, shape[1] = columns, strides[0] = row_stride, strides[1] = column_stride;
  return tvm_ffi_tensor_create_view(source, 2, shape, strides, offset, out);
}

TEST(test_views) {
  TVMFFIObjectHandle source, first = NULL, second = NULL;
  const DLTensor *t;
  pool p;
  source = make_source(&p, TVM_FFI_C_INT32, 3, 4);
  check_ok(view(source, 2, 2, 4, 2, 1, &first));
  t = TVMFFITensorGetDLTensorPtr(first);
  assert_ptr_equal(tvm_ffi_tensor_get_data(t), p.memory + 4);
  assert_true(t->shape[0] == 2 && t->strides[0] == 4 && t->strides[1] == 2);
  TVMFFIObjectDecRef(source);
  check_ok(view(first, 1, 2, 0, -2, 2, &second)); /* a view of a view, backwards */
  TVMFFIObjectDecRef(first);
  assert_ptr_equal(tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(second)), p.memory + 12);
  assert_int_equal(p.releases, 0);
  TVMFFIObjectDecRef(second);
  assert_int_equal(p.releases, 1);

  source = make_source(&p, TVM_FFI_C_INT32, 3, 4);
  check_ok(tvm_ffi_tensor_create_view(source, 0, NULL, NULL, 11, &first)); /* L-5 */
  assert_ptr_equal(tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(first)), p.memory + 44);
  TVMFFIObjectDecRef(first);
  check_ok(view(source, 5, 4, 0, 1, 8, &first)); /* a broadcast row */
  TVMFFIObjectDecRef(first);
  check_ok(view(source, 0, 4, 100, 100, 1000, &first)); /* an empty view, at any offset */
  TVMFFIObjectDecRef(first);
  TVMFFIObjectDecRef(source);
}

TEST(test_views_that_leave_their_source) {
  int64_t shape[1] = {2}, strides[1] = {INT64_MAX};
  TVMFFIObjectHandle source, empty, out = NULL;
  TVMFFIAny text;
  pool p, q;
  source = make_source(&p, TVM_FFI_C_INT32, 3, 4);
  check_fails(view(source, 3, 4, 4, 1, 1, &out), "IndexError",
              "A view of the elements 1 to 12 leaves a tensor of 0 to 11");
  check_fails(view(source, 1, 1, 1, 1, -1, &out), "IndexError",
              "A view of the elements -1 to -1 leaves a tensor of 0 to 11");
  check_fails_with(view(source, 2, 2, -4, 1, 3, &out), "IndexError", "elements -1 to 4");
  check_fails_with(tvm_ffi_tensor_create_view(source, 1, shape, strides, 1, &out), "IndexError",
                   "");
  strides[0] = INT64_MIN;
  check_fails_with(tvm_ffi_tensor_create_view(source, 1, shape, strides, 0, &out), "IndexError",
                   "");
  check_fails_with(view(source, -1, 2, 4, 1, 0, &out), "ValueError", "negative extent");
  empty = make_source(&q, TVM_FFI_C_INT32, 0, 4);
  check_fails_with(view(empty, 1, 1, 1, 1, 0, &out), "IndexError", "");
  TVMFFIObjectDecRef(empty);
  TVMFFIObjectDecRef(source);

  check_fails(view(NULL, 1, 1, 1, 1, 0, &out), "TypeError",
              "Cannot convert from type `None` to `ffi.Tensor`");
  check_ok(tvm_ffi_string_create("no tensor", &text));
  check_fails(view(text.v_obj, 1, 1, 1, 1, 0, &out), "TypeError",
              "Cannot convert from type `ffi.String` to `ffi.Tensor`");
  tvm_ffi_any_clear(&text);
  assert_null(out);
}

TEST(test_views_within_bytes) {
  TVMFFIObjectHandle source, out = NULL;
  pool p;
  source = make_source(&p, TVM_FFI_C_FLOAT4_E2M1FN, 3, 4);
  check_fails(view(source, 1, 1, 1, 1, 3, &out), "ValueError", "A view must begin at a whole byte");
  check_ok(view(source, 1, 1, 1, 1, 4, &out));
  assert_ptr_equal(tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(out)), p.memory + 2);
  TVMFFIObjectDecRef(out);
  TVMFFIObjectDecRef(source);
}

/* Where data is a handle, the offset is added to byte_offset. */
TEST(test_views_on_other_devices) {
  const int64_t shape[1] = {2}, strides[1] = {1};
  TVMFFIObjectHandle source = NULL, out = NULL;
  int64_t memory_shape[1] = {8}, memory_strides[1];
  DLTensor memory;
  tvm_ffi_tensor_init(&memory, memory_shape, tvm_ffi_device_make(kDLVulkan, 0), TVM_FFI_C_INT32, 1,
                      memory_shape, memory_strides);
  memory.byte_offset = 16;
  check_ok(tvm_ffi_tensor_create_around(&memory, NULL, NULL, &source));
  check_ok(tvm_ffi_tensor_create_view(source, 1, shape, strides, 3, &out));
  assert_ptr_equal(TVMFFITensorGetDLTensorPtr(out)->data, memory_shape);
  assert_int_equal(TVMFFITensorGetDLTensorPtr(out)->byte_offset, 28);
  TVMFFIObjectDecRef(source);
  TVMFFIObjectDecRef(out);
}

RUN_TESTS({
    cmocka_unit_test(test_memory_of_callbacks),
    cmocka_unit_test(test_callbacks_that_fail),
    cmocka_unit_test(test_around_memory),
    cmocka_unit_test(test_L_26_constants_are_read_only),
    cmocka_unit_test(test_memory_of_the_environment),
    cmocka_unit_test(test_views),
    cmocka_unit_test(test_views_that_leave_their_source),
    cmocka_unit_test(test_views_within_bytes),
    cmocka_unit_test(test_views_on_other_devices),
})
