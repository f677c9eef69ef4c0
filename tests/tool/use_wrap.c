/* SPDX-License-Identifier: Apache-2.0 */
/* Calls kernels that wrap has made of wrap_specs.txt with tensors that the tool's run cannot make,
 * and prints what they return: use_wrap KERNELS. */
#include "use_kernels.h"

static TVMFFIObjectHandle module;

static void call(const char *label, const char *name, const TVMFFIAny *args, int32_t num_args) {
  call_kernel(module, label, name, args, num_args);
}

static DLTensor make_matrix(float *data, int64_t *shape, int64_t *strides) {
  DLTensor tensor;
  tvm_ffi_tensor_init(&tensor, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 2, shape,
                      strides);
  return tensor;
}

static void refuse_tensors(void) {
  float y_data[6], x_data[6] = {1, 2, 3, 4, 5, 6}, s_data[3] = {1, 10, 100};
  int64_t shape[2] = {2, 3}, strides[2], columns[1] = {3}, step[1];
  DLTensor y = make_matrix(y_data, shape, strides), x = make_matrix(x_data, shape, strides), s, x0;
  TVMFFIAny args[3];
  tvm_ffi_tensor_init(&s, s_data, x.device, x.dtype, 1, columns, step);
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_view_tensor(&s);
  call("good", "scale_columns", args, 3);
  printf("%g %g %g %g %g %g\n", y_data[0], y_data[1], y_data[2], y_data[3], y_data[4], y_data[5]);
  x0 = x;
  x.device = tvm_ffi_device_make(kDLCUDA, 1);
  call("device", "scale_columns", args, 3);
  x = x0;
  x.data = NULL;
  call("no data", "scale_columns", args, 3);
  x = x0;
  x.byte_offset = 2;
  call("alignment", "scale_columns", args, 3);
  x = x0;
  strides[0] = 1, strides[1] = 2;
  call("strides", "scale_columns", args, 3);
  x.strides = NULL, y.strides = NULL;
  call("no strides", "scale_columns", args, 3);
  x.dtype.lanes = 3;
  call("lanes", "scale_columns", args, 3);
  shape[0] = 0;
  x = x0, x.data = NULL;
  call("no elements", "scale_columns", args, 3);
  x.byte_offset = 1;
  call("no elements, an odd offset", "scale_columns", args, 3);
  shape[0] = (int64_t)INT32_MAX + 1, shape[1] = 0, columns[0] = 0;
  x = x0;
  call("extent", "scale_columns", args, 3);
  shape[0] = -2, shape[1] = 3, columns[0] = 3;
  call("negative extent", "scale_columns", args, 3);
  shape[0] = (int64_t)1 << 62;
  call("too many elements", "scale_columns", args, 3);
  shape[0] = 2;
  x.shape = NULL;
  call("no shape", "scale_columns", args, 3);
  x = x0;
  x.ndim = -1;
  call("negative number of dimensions", "scale_columns", args, 3);
}

/* Memory of other devices that the CPU can read. */
static void pass_host_memory(void) {
  static const int32_t types[] = {kDLCUDAHost, kDLCUDAManaged, kDLROCMHost, kDLCUDA, kDLROCM};
  float y_data[6], x_data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3}, strides[2];
  DLTensor y = make_matrix(y_data, shape, strides), x = make_matrix(x_data, shape, strides);
  TVMFFIAny args[3];
  size_t i;
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_from_double(1);
  for (i = 0; i < sizeof types / sizeof *types; ++i) {
    x.device = tvm_ffi_device_make(types[i], 0);
    call(tvm_ffi_device_get_type_name(types[i]), "add", args, 3);
  }
}

/* Only one byte for each element, 0 or 1, is a bool of C. */
static void pass_bools(void) {
  static const DLDataType dtypes[] = {{kDLBool, 8, 1}, {kDLBool, 1, 1}, {kDLUInt, 8, 1},
                                      {kDLInt, 8, 1},  {kDLUInt, 1, 1}, {kDLBool, 8, 2}};
  bool data[4] = {true, false, true, true};
  int64_t shape[1] = {4}, step[1];
  DLTensor x;
  TVMFFIAny args[1];
  char name[32];
  size_t i;
  for (i = 0; i < sizeof dtypes / sizeof *dtypes; ++i) {
    tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), dtypes[i], 1, shape, step);
    args[0] = tvm_ffi_any_view_tensor(&x);
    call(tvm_ffi_dtype_print(dtypes[i], name, sizeof name), "count_true", args, 1);
  }
}

/* Wide loads of 16 and 32 bytes. */
static void check_alignments(void) {
  union {
    double doubles[16];
    float floats[32];
    unsigned char bytes[128];
  } y_data, x_data;
  const uintptr_t y_rest = (uintptr_t)&y_data % 32, x_rest = (uintptr_t)&x_data % 16;
  int64_t shape[1] = {3}, y_step[1], x_step[1];
  DLTensor y, x;
  TVMFFIAny args[2];
  memset(&y_data, 0, sizeof y_data);
  memset(&x_data, 0, sizeof x_data);
  tvm_ffi_tensor_init(&y, y_data.bytes + (32 - y_rest) % 32, tvm_ffi_device_make(kDLCPU, 0),
                      TVM_FFI_C_FLOAT64, 1, shape, y_step);
  tvm_ffi_tensor_init(&x, x_data.bytes + (16 - x_rest) % 16, y.device, TVM_FFI_C_FLOAT32, 1, shape,
                      x_step);
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  call("aligned", "widen", args, 2);
  x.byte_offset = 8;
  call("an input at 8 of 16", "widen", args, 2);
  x.byte_offset = 16;
  y.byte_offset = 16;
  call("an output at 16 of 32", "widen", args, 2);
  shape[0] = 0;
  call("none of its elements", "widen", args, 2);
}

/* The same memory for two arguments. */
static void share_memory(void) {
  float data[16] = {1, 2, 3, 4, 5, 6, 7, 8};
  int64_t shape[1] = {4}, y_step[1], x_step[1];
  DLTensor y, x;
  TVMFFIAny args[2];
  tvm_ffi_tensor_init(&y, data + 8, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT32, 1, shape,
                      y_step);
  tvm_ffi_tensor_init(&x, data, y.device, y.dtype, 1, shape, x_step);
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  call("apart", "mirror", args, 2);
  printf("%g %g %g %g\n", data[8], data[9], data[10], data[11]);
  y.data = data + 4;
  call("side by side", "mirror", args, 2);
  y.data = data + 3;
  call("one element of both", "mirror", args, 2);
  y.data = data;
  call("the same memory", "mirror", args, 2);
  shape[0] = 0;
  call("the same memory, no elements", "mirror", args, 2);
  shape[0] = 4;
  call("in place", "twice", args, 2);
  printf("%g %g %g %g\n", data[0], data[1], data[2], data[3]);
  y.data = data + 1;
  call("one element behind", "twice", args, 2);
  y_step[0] = x_step[0] = 2;
  call("every other element", "twice", args, 2);
  printf("%g %g %g %g\n", data[1], data[3], data[5], data[7]);
  y.data = data + 2;
  call("interleaved with a common element", "twice", args, 2);
  y.data = data + 7;
  x_step[0] = 1, y_step[0] = -2;
  call("backwards into it", "twice", args, 2);
  y.data = data + 1, y_step[0] = 3;
  x_step[0] = 2;
  call("steps without a common divisor", "twice", args, 2);
}

/* Strides that move to no other element. */
static void tell_strides(void) {
  static const int64_t shapes[][2] = {{1, 8}, {8, 1}, {0, 8}, {8, 0}, {1, 1}, {2, 3}};
  static float data[64];
  int64_t out[3], size[1] = {3}, step[1], shape[2], a_strides[2], b_strides[2];
  DLTensor a = make_matrix(data, shape, a_strides), b = make_matrix(data, shape, b_strides), result;
  TVMFFIAny args[3];
  char name[32];
  size_t i;
  tvm_ffi_tensor_init(&result, out, a.device, TVM_FFI_C_INT64, 1, size, step);
  args[0] = tvm_ffi_any_view_tensor(&result);
  args[1] = tvm_ffi_any_view_tensor(&a);
  args[2] = tvm_ffi_any_view_tensor(&b);
  for (i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    memcpy(shape, shapes[i], sizeof shape);
    a_strides[0] = shape[0] > 1 ? 10 : 77, a_strides[1] = shape[1] > 1 ? 1 : -77;
    b_strides[0] = shape[0] > 1 ? 1 : 77, b_strides[1] = shape[1] > 1 ? 7 : -77;
    call(tvm_ffi_shape_print(shape, 2, name, sizeof name), "tell_strides", args, 3);
    printf("%lld %lld, by columns %lld\n", (long long)out[0], (long long)out[1], (long long)out[2]);
  }
}

static void pass_strides(void) {
  float y_data[6] = {0, 0, 0, 0, 0, 0}, x_data[12] = {1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0};
  int64_t y_shape[2] = {3, 2}, y_strides[2] = {2, 1}, x_shape[2] = {2, 3}, x_strides[2] = {2, 4};
  DLTensor y = make_matrix(y_data, y_shape, y_strides), x = make_matrix(x_data, x_shape, x_strides);
  TVMFFIAny args[2];
  x_strides[0] = 2, x_strides[1] = 4;
  args[0] = tvm_ffi_any_view_tensor(&y);
  args[1] = tvm_ffi_any_view_tensor(&x);
  call("passed strides", "transpose", args, 2);
  printf("%g %g %g %g %g %g\n", y_data[0], y_data[1], y_data[2], y_data[3], y_data[4], y_data[5]);
  y_strides[1] = 3;
  call("a stride that is not passed", "transpose", args, 2);
  y_shape[1] = 1, y_strides[1] = 1, x_shape[0] = 1;
  y_strides[1] = 5; /* of a single element */
  call("one row", "transpose", args, 2);
  y_shape[1] = 128, x_shape[0] = 128, y_strides[0] = 128, y_strides[1] = 1;
  call("an extent beyond int8_t", "transpose", args, 2);
}

/* Whether elements of a shape of three dimensions share an address. */
static bool is_shared(const int64_t *shape, const int64_t *strides) {
  enum { kFirst = 64 };
  bool seen[2 * kFirst];
  int64_t i, k, m;
  memset(seen, 0, sizeof seen);
  for (i = 0; i < shape[0]; ++i) {
    for (k = 0; k < shape[1]; ++k) {
      for (m = 0; m < shape[2]; ++m) {
        bool *at = &seen[kFirst + i * strides[0] + k * strides[1] + m * strides[2]];
        if (*at) return true;
        *at = true;
      }
    }
  }
  return false;
}

/* Outputs with all small strides, compared with a search. */
static void write_apart(int32_t ndim) {
  enum { kMost = 5, kExtents = 4, kFirst = 64 };
  static double data[2 * kFirst];
  const int32_t num_strides = 2 * kMost + 1;
  const int32_t per_dim = num_strides * kExtents, last = ndim > 2 ? per_dim : 1;
  int64_t shape[3] = {1, 1, 1}, strides[3] = {0, 0, 0};
  int32_t i[3], k, written[2] = {0, 0}, refused[2] = {0, 0};
  TVMFFIObjectHandle kernel = NULL;
  DLTensor x;
  const TVMFFIAny arg = tvm_ffi_any_view_tensor(&x);
  if (tvm_ffi_module_get_function(module, ndim > 2 ? "number_3" : "number_2", &kernel) != 0) return;
  tvm_ffi_tensor_init(&x, data + kFirst, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, ndim,
                      shape, strides);
  for (i[0] = 0; i[0] < per_dim; ++i[0]) {
    for (i[1] = 0; i[1] < per_dim; ++i[1]) {
      for (i[2] = 0; i[2] < last; ++i[2]) {
        bool is_found;
        for (k = 0; k < ndim; ++k) {
          strides[k] = i[k] % num_strides - kMost, shape[k] = i[k] / num_strides + 1;
        }
        is_found = is_shared(shape, strides);
        if (tvm_ffi_function_call_void(kernel, &arg, 1) == 0) {
          ++written[is_found];
        } else {
          ++refused[is_found];
          tvm_ffi_object_release(tvm_ffi_error_take());
        }
      }
    }
  }
  printf("%d dimensions: apart, %d written and %d refused; shared, %d written and %d refused\n",
         (int)ndim, (int)written[0], (int)refused[0], (int)written[1], (int)refused[1]);
  tvm_ffi_object_release(kernel);
}

/* A stride of 2^64 bytes leads to the same address again. */
static void wrap_around(void) {
  static const int64_t strides_of[][3] = {
      {(int64_t)1 << 61, 2, 1}, {INT64_MIN, 2, 1}, {INT64_MAX, INT64_MAX - 4, 1}};
  static double data[8];
  int64_t shape[3] = {2, 2, 2}, strides[3];
  DLTensor x;
  const TVMFFIAny arg = tvm_ffi_any_view_tensor(&x);
  size_t i;
  tvm_ffi_tensor_init(&x, data, tvm_ffi_device_make(kDLCPU, 0), TVM_FFI_C_FLOAT64, 3, shape,
                      strides);
  for (i = 0; i < sizeof strides_of / sizeof *strides_of; ++i) {
    memcpy(strides, strides_of[i], sizeof strides);
    call("around the address space", "number_3", &arg, 1);
  }
  shape[1] = 1, shape[2] = 1, strides[0] = (int64_t)1 << 61;
  call("around the address space", "number_3", &arg, 1);
}

static void refuse_read_only(void) {
  float y_data[6], x_data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {2, 3}, strides[2];
  DLTensor x = make_matrix(x_data, shape, strides), y = make_matrix(y_data, shape, strides);
  DLManagedTensorVersioned shared;
  TVMFFIObjectHandle tensor;
  TVMFFIAny args[3];
  if (share_read_only(&y, &shared, &tensor) != 0) return;
  args[0] = tvm_ffi_any_view_object(tensor);
  args[1] = tvm_ffi_any_view_tensor(&x);
  args[2] = tvm_ffi_any_from_double(1);
  call("read-only output", "add", args, 3);
  args[0] = tvm_ffi_any_view_tensor(&x);
  args[1] = tvm_ffi_any_view_object(tensor);
  call("read-only input", "add", args, 3);
  tvm_ffi_object_release(tensor);
}

int main(int argc, char **argv) {
  if (argc != 2 || tvm_ffi_module_load(argv[1], &module) != 0) return 1;
  refuse_tensors();
  pass_strides();
  tell_strides();
  pass_host_memory();
  pass_bools();
  check_alignments();
  share_memory();
  write_apart(2);
  write_apart(3);
  wrap_around();
  refuse_read_only();
  tvm_ffi_object_release(module);
  return 0;
}
