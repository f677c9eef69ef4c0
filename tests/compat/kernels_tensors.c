/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with our C headers: tensor properties, loops over tensors, every way to create them. */
#include <math.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/handle_table.h>

/* Every field of a DLTensor as text. */
TVM_FFI_C_EXPORT(describe, "(0: DLTensor*) -> str") {
  DLTensor *x;
  char dtype[64], shape[96], strides[96], device[48];
  int64_t steps[8];
  size_t size = 0;
  int32_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_CHECK(x->ndim <= 8, TVM_FFI_C_VALUE_ERROR, "%d dimensions", (int)x->ndim);
  for (i = 0; i < x->ndim; ++i) TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(x, i, &steps[i]));
  TVM_FFI_C_TRY(tvm_ffi_tensor_compute_size(x, &size));
  return tvm_ffi_string_create_formatted(
      args->result,
      "%s %s strides %s on %s, %lld elements, %lu bytes, contiguous %d, aligned %d, "
      "data %d",
      tvm_ffi_dtype_print(x->dtype, dtype, sizeof dtype),
      tvm_ffi_shape_print(x->shape, x->ndim, shape, sizeof shape),
      tvm_ffi_shape_print(steps, x->ndim, strides, sizeof strides),
      tvm_ffi_device_print(x->device, device, sizeof device),
      (long long)tvm_ffi_tensor_get_numel(x), (unsigned long)size,
      tvm_ffi_tensor_is_contiguous(x) ? 1 : 0, tvm_ffi_tensor_is_aligned(x, 4) ? 1 : 0,
      tvm_ffi_tensor_get_data(x) != NULL ? 1 : 0);
}

TVM_FFI_C_EXPORT(size_and_stride, "(0: DLTensor*, 1: int) -> Array<int>") {
  DLTensor *x;
  int32_t i;
  int64_t size, stride;
  TVMFFIAny items[2];
  TVMFFIObjectHandle array;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &i));
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_size(x, i, &size));
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(x, i, &stride));
  items[0] = tvm_ffi_any_from_int64(size);
  items[1] = tvm_ffi_any_from_int64(stride);
  TVM_FFI_C_TRY(tvm_ffi_array_create(items, 2, &array));
  return tvm_ffi_args_return_object(args, array);
}

/* y[i] = x[i] + 1, for every type of number. */
#define ADD_ONE(type) \
  for (i = 0; i < n; ++i) ((type *)target)[i] = (type)(((const type *)source)[i] + 1)
TVM_FFI_C_EXPORT(add_one, "(0: DLTensor*, 1: DLTensor*) -> void") {
  DLTensor *y, *x;
  void *target;
  const void *source;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  target = tvm_ffi_tensor_get_data(y);
  source = tvm_ffi_tensor_get_data(x);
  n = tvm_ffi_tensor_get_numel(x);
  TVM_FFI_C_ARGS_DISPATCH(args, 0, TVM_FFI_C_CASES_NUMBER, ADD_ONE);
  return 0;
}

/* The sum of all elements, with any strides. */
static double sum_from(const DLTensor *x, int32_t dim, int64_t offset) {
  double total = 0;
  int64_t i, stride = 0;
  if (dim == x->ndim) {
    const char *data = (const char *)tvm_ffi_tensor_get_data(x);
    return x->dtype.bits == 32 ? (double)((const float *)(const void *)data)[offset]
                               : ((const double *)(const void *)data)[offset];
  }
  if (tvm_ffi_tensor_read_stride(x, dim, &stride) != 0) return 0;
  for (i = 0; i < x->shape[dim]; ++i) total += sum_from(x, dim + 1, offset + i * stride);
  return total;
}
#define ACCEPT(type) (void)sizeof(type)
TVM_FFI_C_EXPORT(sum, "(0: DLTensor*) -> float") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_ARGS_DISPATCH(args, 0, TVM_FFI_C_CASES_FLOAT, ACCEPT);
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(sum_from(x, 0, 0)));
}

/* Of the floats with a sign, a bias of the exponent and at most 16 bits: what the greatest exponent
 * means. */
enum {
  kSpecial, /* infinity and NaN, as in IEEE 754 */
  kOneNaN,  /* a number, or NaN if all bits are ones */
  kNumbers  /* a number; what would be -0 is NaN */
};
static const struct {
  int code, exponent_bits, fraction_bits, bias, greatest;
} kSmallFloats[] = {
    {kDLBfloat, 8, 7, 127, kSpecial},     {kDLFloat8_e3m4, 3, 4, 3, kSpecial},
    {kDLFloat8_e4m3, 4, 3, 7, kSpecial},  {kDLFloat8_e4m3b11fnuz, 4, 3, 11, kNumbers},
    {kDLFloat8_e4m3fn, 4, 3, 7, kOneNaN}, {kDLFloat8_e4m3fnuz, 4, 3, 8, kNumbers},
    {kDLFloat8_e5m2, 5, 2, 15, kSpecial}, {kDLFloat8_e5m2fnuz, 5, 2, 16, kNumbers},
};

/* 2 to the power of n; libm is not linked. */
static double power_of_two(int n) {
  double power = 1;
  for (; n > 0; --n) power *= 2;
  for (; n < 0; ++n) power /= 2;
  return power;
}

static double widen_bits(size_t type, unsigned bits) {
  const int fraction_bits = kSmallFloats[type].fraction_bits;
  const int greatest = (1 << kSmallFloats[type].exponent_bits) - 1;
  const unsigned minus = 1u << (kSmallFloats[type].exponent_bits + fraction_bits);
  const int fraction = (int)(bits & ((1u << fraction_bits) - 1));
  const int exponent = (int)((bits & (minus - 1)) >> fraction_bits);
  const double sign = (bits & minus) != 0 ? -1 : 1, scale = power_of_two(fraction_bits);
  if (exponent == greatest && kSmallFloats[type].greatest == kSpecial) {
    return fraction == 0 ? sign * HUGE_VAL : (double)NAN;
  }
  if (kSmallFloats[type].greatest == kOneNaN && (bits & (minus - 1)) == minus - 1) return NAN;
  if (kSmallFloats[type].greatest == kNumbers && bits == minus) return NAN;
  if (exponent == 0) return sign * fraction / scale * power_of_two(1 - kSmallFloats[type].bias);
  return sign * (1 + fraction / scale) * power_of_two(exponent - kSmallFloats[type].bias);
}

/* widen(x, y): y[i] = x[i], from bfloat16 or a float of eight bits to double. */
TVM_FFI_C_EXPORT(widen, "(0: DLTensor*, 1: DLTensor*) -> void") {
  enum { kNumTypes = sizeof kSmallFloats / sizeof *kSmallFloats };
  DLTensor *x, *y;
  const unsigned char *from;
  double *to;
  size_t type = 0;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 1, TVM_FFI_C_FLOAT64));
  while (type < kNumTypes && kSmallFloats[type].code != x->dtype.code) ++type;
  TVM_FFI_C_CHECK(type < kNumTypes || x->dtype.code == kDLFloat8_e8m0fnu, TVM_FFI_C_TYPE_ERROR,
                  "code %d", (int)x->dtype.code);
  from = (const unsigned char *)tvm_ffi_tensor_get_data(x);
  to = (double *)tvm_ffi_tensor_get_data(y);
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) {
    if (type == kNumTypes) {
      to[i] = from[i] == 255 ? (double)NAN : power_of_two((int)from[i] - 127);
    } else if (x->dtype.bits == 16) {
      to[i] = widen_bits(type, ((const uint16_t *)(const void *)from)[i]);
    } else {
      to[i] = widen_bits(type, from[i]);
    }
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_none());
}

/* add(z, x, y): z[i] = x[i] + y[i] of float32, with any strides; returns the number of runs. */
TVM_FFI_C_EXPORT(add, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> int") {
  DLTensor *tensors[3];
  const DLTensor *walked[3];
  tvm_ffi_tensor_runs runs;
  int64_t i, num_runs = 0;
  int32_t k;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  for (k = 0; k < 3; ++k) {
    TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, k, &tensors[k]));
    TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, k, TVM_FFI_C_FLOAT32));
    TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, k, kDLCPU));
    walked[k] = tensors[k];
  }
  TVM_FFI_C_TRY(tvm_ffi_tensor_runs_begin(&runs, walked, 3));
  while (tvm_ffi_tensor_runs_next(&runs)) {
    float *z = (float *)runs.data[0];
    const float *x = (const float *)runs.data[1], *y = (const float *)runs.data[2];
    ++num_runs;
    if (runs.is_contiguous) {
      for (i = 0; i < runs.count; ++i) z[i] = x[i] + y[i];
    } else {
      for (i = 0; i < runs.count; ++i) {
        z[i * runs.step[0]] = x[i * runs.step[1]] + y[i * runs.step[2]];
      }
    }
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(num_runs));
}

TVM_FFI_C_EXPORT(find_bytes, "(0: DLTensor*) -> str") {
  DLTensor *x;
  int64_t begin, end;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_CHECK(tvm_ffi_tensor_find_bytes(x, &begin, &end), TVM_FFI_C_VALUE_ERROR, "%s", "none");
  return tvm_ffi_string_create_formatted(args->result, "%lld to %lld", (long long)begin,
                                         (long long)end);
}

TVM_FFI_C_EXPORT(is_valid, "(0: DLTensor*) -> bool") {
  DLTensor *x;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(tvm_ffi_tensor_is_valid(x)));
}

TVM_FFI_C_EXPORT(same_shape, "(0: DLTensor*, 1: DLTensor*) -> bool") {
  DLTensor *x, *y;
  bool same;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &y));
  same = tvm_ffi_tensor_has_same_shape(x, y);
  if (same != tvm_ffi_shape_equal(x->shape, x->ndim, y->shape, y->ndim)) return -1;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_bool(same));
}

/* shape_facts(shape): the number of elements and the strides, for any extents. */
TVM_FFI_C_EXPORT(shape_facts, "(0: ffi.Shape) -> str") {
  int64_t extents[8], strides[8];
  TVMFFIShapeCell shape;
  char text[64], steps[64];
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 0, extents, 8, &shape));
  tvm_ffi_shape_fill_strides(shape.data, (int32_t)shape.size, strides);
  return tvm_ffi_string_create_formatted(
      args->result, "%s has %lld elements, strides %s",
      tvm_ffi_shape_print(shape.data, (int32_t)shape.size, text, sizeof text),
      (long long)tvm_ffi_shape_get_numel(shape.data, (int32_t)shape.size),
      tvm_ffi_shape_print(strides, (int32_t)shape.size, steps, sizeof steps));
}

static void fill(TVMFFIObjectHandle tensor) {
  DLTensor *x = TVMFFITensorGetDLTensorPtr(tensor);
  int64_t i, n = tvm_ffi_tensor_get_numel(x);
  float *data = (float *)tvm_ffi_tensor_get_data(x);
  for (i = 0; i < n; ++i) data[i] = (float)i;
}

static int read_extents(const tvm_ffi_args *args, int64_t *extents, TVMFFIShapeCell *shape) {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 1));
  return tvm_ffi_args_read_shape(args, 0, extents, 8, shape);
}

/* A tensor in memory from the caller's environment. */
TVM_FFI_C_EXPORT(make, "(0: ffi.Shape) -> ffi.Tensor") {
  int64_t extents[8];
  TVMFFIShapeCell shape;
  TVMFFIObjectHandle tensor;
  TVM_FFI_C_TRY(read_extents(args, extents, &shape));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32,
                                      (int32_t)shape.size, shape.data, &tensor));
  fill(tensor);
  return tvm_ffi_args_return_object(args, tensor);
}

/* make_scaled(x, factor): the same on the device of x. */
TVM_FFI_C_EXPORT(make_scaled, "(0: DLTensor*, 1: Optional<float>) -> ffi.Tensor") {
  DLTensor *x;
  double factor = 1;
  int64_t i, n;
  float *target;
  TVMFFIObjectHandle tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_opt_double(args, 1, &factor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create(x->device, TVM_FFI_C_FLOAT32, x->ndim, x->shape, &tensor));
  target = (float *)tvm_ffi_tensor_get_data(TVMFFITensorGetDLTensorPtr(tensor));
  n = tvm_ffi_tensor_get_numel(x);
  for (i = 0; i < n; ++i) {
    target[i] = (float)(((const float *)tvm_ffi_tensor_get_data(x))[i] * factor);
  }
  return tvm_ffi_args_return_object(args, tensor);
}

/* A tensor in memory of this library, which counts the releases. */
static int64_t num_released;

static int allocate(void *context, DLTensor *tensor, size_t size) {
  TVM_FFI_C_CHECK(size <= 4096, TVM_FFI_C_MEMORY_ERROR, "%lu bytes are too many",
                  (unsigned long)size);
  tensor->data = malloc(size + 1);
  if (tensor->data == NULL) return tvm_ffi_error_raise_memory();
  (void)context;
  return 0;
}

static void release(void *context, DLTensor *tensor) {
  free(tensor->data);
  *(int64_t *)context += 1;
}

TVM_FFI_C_EXPORT(make_own, "(0: ffi.Shape) -> ffi.Tensor") {
  tvm_ffi_tensor_allocator allocator;
  int64_t extents[8];
  TVMFFIShapeCell shape;
  TVMFFIObjectHandle tensor;
  allocator.allocate = allocate;
  allocator.release = release;
  allocator.context = &num_released;
  TVM_FFI_C_TRY(read_extents(args, extents, &shape));
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0),
                                           TVM_FFI_C_FLOAT32, (int32_t)shape.size, shape.data,
                                           &tensor));
  fill(tensor);
  return tvm_ffi_args_return_object(args, tensor);
}

TVM_FFI_C_EXPORT(released, "() -> int") {
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(num_released));
}

/* A tensor in static memory of this library. */
static void released_static(void *context, DLTensor *tensor) {
  *(int64_t *)context += tensor->shape[0];
}

TVM_FFI_C_EXPORT(constants, "() -> ffi.Tensor") {
  static double values[4] = {0, 3.25, 2.75, 1.5};
  int64_t shape[1] = {3}, strides[1];
  TVMFFIObjectHandle tensor;
  DLTensor memory;
  tvm_ffi_tensor_init(&memory, values + 1, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 1,
                      shape, strides);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_around(&memory, released_static, &num_released, &tensor));
  return tvm_ffi_args_return_object(args, tensor);
}

/* view(source, shape, strides, offset) */
TVM_FFI_C_EXPORT(view, "(0: ffi.Tensor, 1: ffi.Shape, 2: ffi.Shape, 3: int) -> ffi.Tensor") {
  int64_t extents[8], steps[8], offset;
  TVMFFIShapeCell shape, strides;
  TVMFFIObjectHandle source, tensor;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 4));
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, kTVMFFIObject, &source));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 1, extents, 8, &shape));
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 2, steps, 8, &strides));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 3, &offset));
  TVM_FFI_C_CHECK(shape.size == strides.size, TVM_FFI_C_VALUE_ERROR, "%d extents, %d strides",
                  (int)shape.size, (int)strides.size);
  TVM_FFI_C_TRY(tvm_ffi_tensor_create_view(source, (int32_t)shape.size, shape.data, strides.data,
                                           offset, &tensor));
  return tvm_ffi_args_return_object(args, tensor);
}

/* Twice the same, as an argument and as a tensor. */
TVM_FFI_C_EXPORT(check_within, "(0: DLTensor*, 1: int) -> void") {
  DLTensor *x;
  int64_t bytes;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &bytes));
  TVM_FFI_C_TRY(tvm_ffi_args_check_within(args, 0, (uint64_t)bytes));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  return tvm_ffi_tensor_check_within(x, (uint64_t)bytes);
}

/* The handle and offset make up the address of the data. */
TVM_FFI_C_EXPORT(get_handle, "(0: DLTensor*) -> int") {
  DLTensor *x;
  uint64_t offset;
  char *handle;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &x));
  handle = (char *)tvm_ffi_tensor_get_handle(x, &offset);
  return tvm_ffi_args_return(
      args, tvm_ffi_any_from_int64((char *)tvm_ffi_tensor_get_data(x) - handle - (int64_t)offset));
}

static int count_made(void *context, const void *key, void **out) {
  int64_t *made = (int64_t *)context;
  (void)key;
  ++*made;
  *out = made;
  return 0;
}

/* keyed(keys): how many handles a table makes for them. */
TVM_FFI_C_EXPORT(keyed, "(0: ffi.Shape) -> int") {
  static const tvm_ffi_handle_maker maker = {count_made, NULL};
  tvm_ffi_handle_table table = {NULL};
  int64_t keys[8], made = 0;
  TVMFFIShapeCell shape;
  int code = 0;
  size_t i;
  TVM_FFI_C_TRY(tvm_ffi_args_read_shape(args, 0, keys, 8, &shape));
  for (i = 0; i < shape.size && code == 0; ++i) {
    void *handle;
    code = tvm_ffi_handle_table_read(&table, (const void *)(uintptr_t)shape.data[i], &maker, &made,
                                     &handle);
  }
  tvm_ffi_handle_table_clear(&table, &maker);
  if (code != 0) return code;
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(made));
}

/* share(tensor, flags): another Tensor of the same elements, imported with those flags. */
TVM_FFI_C_EXPORT(share, "(0: ffi.Tensor, 1: int) -> ffi.Tensor") {
  int64_t flags;
  TVMFFIObjectHandle source, tensor;
  DLManagedTensorVersioned *managed;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor_object(args, 0, &source));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &flags));
  TVM_FFI_C_TRY(TVMFFITensorToDLPackVersioned(source, &managed));
  managed->flags = (uint64_t)flags;
  if (TVMFFITensorFromDLPackVersioned(managed, 0, 0, &tensor) != 0) {
    managed->deleter(managed);
    return -1;
  }
  return tvm_ffi_args_return_object(args, tensor);
}

TVM_FFI_C_EXPORT(read_flags, "(0: ffi.Tensor) -> int") {
  TVMFFIObjectHandle tensor;
  uint64_t flags;
  TVM_FFI_C_TRY(tvm_ffi_args_read_object(args, 0, kTVMFFIObject, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_flags(tensor, &flags));
  return tvm_ffi_args_return(args, tvm_ffi_any_from_int64((int64_t)flags));
}
