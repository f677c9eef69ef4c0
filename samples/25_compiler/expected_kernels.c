/* SPDX-License-Identifier: Apache-2.0 */
/* Made of kernels.te by samples/25_compiler. */
#include <math.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/extra/c_env_api.h>

/* Argument i: a tensor on the CPU, and its strides unless opt_strides is NULL. */
static int read_argument(const tvm_ffi_args *args, int32_t i, DLDataType dtype, int32_t ndim,
                         DLTensor **out, int64_t *opt_strides) {
  int32_t dim;
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, dtype));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  for (dim = 0; opt_strides != NULL && dim < ndim; ++dim) {
    TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(*out, dim, &opt_strides[dim]));
  }
  return 0;
}

/* a + b, where neither is negative; no more than INT64_MAX. */
static int64_t add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/* The last index in a dimension of a tensor is smaller than its length. */
static int check_reach(const tvm_ffi_args *args, const char *name, int dim, int64_t last,
                       int64_t size) {
  TVM_FFI_C_CHECK(last < size, TVM_FFI_C_VALUE_ERROR,
                  "`%s` needs index %lld in dimension %d of %s, which has size %lld",
                  args->signature, (long long)last, dim, name, (long long)size);
  return 0;
}

/* There is something to take the maximum or minimum of. */
static int check_not_empty(const tvm_ffi_args *args, const char *reduction, const char *name,
                           int64_t size) {
  TVM_FFI_C_CHECK(size > 0, TVM_FFI_C_VALUE_ERROR, "`%s` takes the %s of nothing: %s is 0",
                  args->signature, reduction, name);
  return 0;
}

static int allocate_data(void *context, DLTensor *tensor, size_t size) {
  (void)context;
  tensor->data = malloc(size > 0 ? size : 1);
  return tensor->data != NULL ? 0 : tvm_ffi_error_raise_memory();
}

static void free_data(void *context, DLTensor *tensor) {
  (void)context;
  free(tensor->data);
}

/* A Tensor with memory of its own. */
static int allocate(DLDataType dtype, int32_t ndim, const int64_t *shape,
                    TVMFFIObjectHandle *out) {
  static const tvm_ffi_tensor_allocator allocator = {allocate_data, free_data, NULL};
  return tvm_ffi_tensor_create_with(&allocator, tvm_ffi_device_make(kDLCPU, 0), dtype, ndim,
                                    shape, out);
}

/* The loader stores this library's module here, for TVMFFIEnvModLookupFromImports. */
TVM_FFI_DLL_EXPORT extern void *__tvm_ffi__library_ctx;
void *__tvm_ffi__library_ctx = NULL;

/* Calls an imported kernel, which is looked up once. The module keeps it. */
static int call_import(void **kernel, int (*find)(void **), const TVMFFIAny *args,
                       int32_t num_args) {
  TVM_FFI_C_TRY(TVMFFIHandleInitOnce(kernel, find));
  return tvm_ffi_function_call_void(*kernel, args, num_args);
}

static void *activate_import;
static int find_activate(void **out) {
  return TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, "activate", out);
}

TVM_FFI_C_EXPORT_DOC(softmax, "softmax(x: float32[n, m]) -> (y: float32[n, m])");
TVM_FFI_C_EXPORT_SCHEMA(softmax, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("y", "DLTensor*"));

TVM_FFI_C_EXPORT(softmax, "(0: DLTensor*, 1: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
  int64_t x_stride[2];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_FLOAT32, 2, &x_tensor, x_stride));
  int64_t y_stride[2];
  DLTensor *y_tensor;
  TVM_FFI_C_TRY(read_argument(args, 1, TVM_FFI_C_FLOAT32, 2, &y_tensor, y_stride));
  const int64_t n_size = x_tensor->shape[0];
  const int64_t m_size = x_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 0, n_size));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 1, m_size));
  TVM_FFI_C_TRY(check_not_empty(args, "max", "m", m_size));
  int code;
  TVMFFIObjectHandle total_local = NULL;
  const int64_t total_shape[1] = {n_size};
  if ((code = allocate(TVM_FFI_C_FLOAT32, 1, total_shape, &total_local)) != 0) goto done;
  const float *x_data = (const float *)tvm_ffi_tensor_get_data(x_tensor);
  float *y_data = (float *)tvm_ffi_tensor_get_data(y_tensor);
  const DLTensor *total_tensor = TVMFFITensorGetDLTensorPtr(total_local);
  const int64_t *total_stride = total_tensor->strides;
  float *total_data = (float *)tvm_ffi_tensor_get_data(total_tensor);
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    float max_1 = -INFINITY;
    for (int64_t k_at = 0; k_at < m_size; ++k_at) {
      const float value_1 = x_data[i_at * x_stride[0] + k_at * x_stride[1]];
      if (value_1 > max_1 || isnan(value_1)) max_1 = value_1;
    }
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      y_data[i_at * y_stride[0] + j_at * y_stride[1]] = expf(x_data[i_at * x_stride[0] + j_at * x_stride[1]] - max_1);
    }
  }
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    float sum_2 = 0;
    for (int64_t k_at = 0; k_at < m_size; ++k_at) {
      sum_2 = sum_2 + y_data[i_at * y_stride[0] + k_at * y_stride[1]];
    }
    total_data[i_at * total_stride[0]] = sum_2;
  }
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      y_data[i_at * y_stride[0] + j_at * y_stride[1]] = y_data[i_at * y_stride[0] + j_at * y_stride[1]] / total_data[i_at * total_stride[0]];
    }
  }
done:
  tvm_ffi_object_release(total_local);
  return code;
}

TVM_FFI_C_EXPORT_DOC(dense, "dense(x: float32[n, k], w: float32[k, m], b: float32[m]) -> (y: float32[n, m])");
TVM_FFI_C_EXPORT_SCHEMA(dense, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("w", "DLTensor*") ","
    TVM_FFI_C_PARAM("b", "DLTensor*") ","
    TVM_FFI_C_PARAM("y", "DLTensor*"));

TVM_FFI_C_EXPORT(dense, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*, 3: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 4));
  int64_t x_stride[2];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_FLOAT32, 2, &x_tensor, x_stride));
  int64_t w_stride[2];
  DLTensor *w_tensor;
  TVM_FFI_C_TRY(read_argument(args, 1, TVM_FFI_C_FLOAT32, 2, &w_tensor, w_stride));
  int64_t b_stride[1];
  DLTensor *b_tensor;
  TVM_FFI_C_TRY(read_argument(args, 2, TVM_FFI_C_FLOAT32, 1, &b_tensor, b_stride));
  int64_t y_stride[2];
  DLTensor *y_tensor;
  TVM_FFI_C_TRY(read_argument(args, 3, TVM_FFI_C_FLOAT32, 2, &y_tensor, y_stride));
  const int64_t n_size = x_tensor->shape[0];
  const int64_t k_size = x_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 0, k_size));
  const int64_t m_size = w_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 2, 0, m_size));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 3, 0, n_size));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 3, 1, m_size));
  const float *x_data = (const float *)tvm_ffi_tensor_get_data(x_tensor);
  const float *w_data = (const float *)tvm_ffi_tensor_get_data(w_tensor);
  const float *b_data = (const float *)tvm_ffi_tensor_get_data(b_tensor);
  float *y_data = (float *)tvm_ffi_tensor_get_data(y_tensor);
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      float sum_1 = 0;
      for (int64_t l_at = 0; l_at < k_size; ++l_at) {
        sum_1 = sum_1 + (x_data[i_at * x_stride[0] + l_at * x_stride[1]] * w_data[l_at * w_stride[0] + j_at * w_stride[1]]);
      }
      y_data[i_at * y_stride[0] + j_at * y_stride[1]] = b_data[j_at * b_stride[0]] + sum_1;
    }
  }
  return 0;
}

TVM_FFI_C_EXPORT_DOC(convolve, "convolve(x: float64[n], w: float64[k]) -> (y: float64[p])");
TVM_FFI_C_EXPORT_SCHEMA(convolve, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("w", "DLTensor*") ","
    TVM_FFI_C_PARAM("y", "DLTensor*"));

TVM_FFI_C_EXPORT(convolve, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  int64_t x_stride[1];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_FLOAT64, 1, &x_tensor, x_stride));
  int64_t w_stride[1];
  DLTensor *w_tensor;
  TVM_FFI_C_TRY(read_argument(args, 1, TVM_FFI_C_FLOAT64, 1, &w_tensor, w_stride));
  int64_t y_stride[1];
  DLTensor *y_tensor;
  TVM_FFI_C_TRY(read_argument(args, 2, TVM_FFI_C_FLOAT64, 1, &y_tensor, y_stride));
  const int64_t n_size = x_tensor->shape[0];
  const int64_t k_size = w_tensor->shape[0];
  const int64_t p_size = y_tensor->shape[0];
  if (p_size > 0 && k_size > 0) {
    TVM_FFI_C_TRY(check_reach(args, "x", 0, add(add(0, p_size - 1), k_size - 1), n_size));
  }
  const double *x_data = (const double *)tvm_ffi_tensor_get_data(x_tensor);
  const double *w_data = (const double *)tvm_ffi_tensor_get_data(w_tensor);
  double *y_data = (double *)tvm_ffi_tensor_get_data(y_tensor);
  for (int64_t i_at = 0; i_at < p_size; ++i_at) {
    double sum_1 = 0;
    for (int64_t j_at = 0; j_at < k_size; ++j_at) {
      sum_1 = sum_1 + (x_data[(i_at + j_at) * x_stride[0]] * w_data[j_at * w_stride[0]]);
    }
    y_data[i_at * y_stride[0]] = sum_1;
  }
  return 0;
}

TVM_FFI_C_EXPORT_DOC(moments, "moments(x: float64[n]) -> (mean: float64[], variance: float64[])");
TVM_FFI_C_EXPORT_SCHEMA(moments, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("mean", "DLTensor*") ","
    TVM_FFI_C_PARAM("variance", "DLTensor*"));

TVM_FFI_C_EXPORT(moments, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  int64_t x_stride[1];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_FLOAT64, 1, &x_tensor, x_stride));
  DLTensor *mean_tensor;
  TVM_FFI_C_TRY(read_argument(args, 1, TVM_FFI_C_FLOAT64, 0, &mean_tensor, NULL));
  DLTensor *variance_tensor;
  TVM_FFI_C_TRY(read_argument(args, 2, TVM_FFI_C_FLOAT64, 0, &variance_tensor, NULL));
  const int64_t n_size = x_tensor->shape[0];
  const double *x_data = (const double *)tvm_ffi_tensor_get_data(x_tensor);
  double *mean_data = (double *)tvm_ffi_tensor_get_data(mean_tensor);
  double *variance_data = (double *)tvm_ffi_tensor_get_data(variance_tensor);
  double sum_1 = 0;
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    sum_1 = sum_1 + x_data[i_at * x_stride[0]];
  }
  mean_data[0] = sum_1 / (double)n_size;
  double sum_2 = 0;
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    sum_2 = sum_2 + ((x_data[i_at * x_stride[0]] - mean_data[0]) * (x_data[i_at * x_stride[0]] - mean_data[0]));
  }
  variance_data[0] = sum_2 / (double)n_size;
  return 0;
}

TVM_FFI_C_EXPORT_DOC(count_above, "count_above(x: int32[n, m], limit: int32) -> (count: int64[n], first: int64[n])");
TVM_FFI_C_EXPORT_SCHEMA(count_above, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("limit", "int") ","
    TVM_FFI_C_PARAM("count", "DLTensor*") ","
    TVM_FFI_C_PARAM("first", "DLTensor*"));

TVM_FFI_C_EXPORT(count_above, "(0: DLTensor*, 1: int, 2: DLTensor*, 3: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 4));
  int64_t x_stride[2];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_INT32, 2, &x_tensor, x_stride));
  int32_t limit_value;
  TVM_FFI_C_TRY(tvm_ffi_args_read_int32(args, 1, &limit_value));
  int64_t count_stride[1];
  DLTensor *count_tensor;
  TVM_FFI_C_TRY(read_argument(args, 2, TVM_FFI_C_INT64, 1, &count_tensor, count_stride));
  int64_t first_stride[1];
  DLTensor *first_tensor;
  TVM_FFI_C_TRY(read_argument(args, 3, TVM_FFI_C_INT64, 1, &first_tensor, first_stride));
  const int64_t n_size = x_tensor->shape[0];
  const int64_t m_size = x_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 2, 0, n_size));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 3, 0, n_size));
  TVM_FFI_C_TRY(check_not_empty(args, "min", "m", m_size));
  const int32_t *x_data = (const int32_t *)tvm_ffi_tensor_get_data(x_tensor);
  int64_t *count_data = (int64_t *)tvm_ffi_tensor_get_data(count_tensor);
  int64_t *first_data = (int64_t *)tvm_ffi_tensor_get_data(first_tensor);
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    int64_t sum_1 = 0;
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      sum_1 = (int64_t)((uint64_t)sum_1 + (uint64_t)(x_data[i_at * x_stride[0] + j_at * x_stride[1]] > limit_value ? INT64_C(1) : INT64_C(0)));
    }
    count_data[i_at * count_stride[0]] = sum_1;
  }
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    int64_t min_2 = INT64_MAX;
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      const int64_t value_2 = x_data[i_at * x_stride[0] + j_at * x_stride[1]] > limit_value ? j_at : m_size;
      if (value_2 < min_2) min_2 = value_2;
    }
    first_data[i_at * first_stride[0]] = min_2;
  }
  return 0;
}

TVM_FFI_C_EXPORT_DOC(layer, "layer(x: float32[n, k], w: float32[k, m], scale: float32) -> (y: float32[n, m])");
TVM_FFI_C_EXPORT_SCHEMA(layer, TVM_FFI_C_TYPE("None"),
    TVM_FFI_C_PARAM("x", "DLTensor*") ","
    TVM_FFI_C_PARAM("w", "DLTensor*") ","
    TVM_FFI_C_PARAM("scale", "float") ","
    TVM_FFI_C_PARAM("y", "DLTensor*"));

TVM_FFI_C_EXPORT(layer, "(0: DLTensor*, 1: DLTensor*, 2: float, 3: DLTensor*) -> void") {
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 4));
  int64_t x_stride[2];
  DLTensor *x_tensor;
  TVM_FFI_C_TRY(read_argument(args, 0, TVM_FFI_C_FLOAT32, 2, &x_tensor, x_stride));
  int64_t w_stride[2];
  DLTensor *w_tensor;
  TVM_FFI_C_TRY(read_argument(args, 1, TVM_FFI_C_FLOAT32, 2, &w_tensor, w_stride));
  double scale_number;
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &scale_number));
  const float scale_value = (float)scale_number;
  DLTensor *y_tensor;
  TVM_FFI_C_TRY(read_argument(args, 3, TVM_FFI_C_FLOAT32, 2, &y_tensor, NULL));
  const int64_t n_size = x_tensor->shape[0];
  const int64_t k_size = x_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 0, k_size));
  const int64_t m_size = w_tensor->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 3, 0, n_size));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 3, 1, m_size));
  int code;
  TVMFFIObjectHandle z_local = NULL;
  const int64_t z_shape[2] = {n_size, m_size};
  if ((code = allocate(TVM_FFI_C_FLOAT32, 2, z_shape, &z_local)) != 0) goto done;
  const float *x_data = (const float *)tvm_ffi_tensor_get_data(x_tensor);
  const float *w_data = (const float *)tvm_ffi_tensor_get_data(w_tensor);
  const DLTensor *z_tensor = TVMFFITensorGetDLTensorPtr(z_local);
  const int64_t *z_stride = z_tensor->strides;
  float *z_data = (float *)tvm_ffi_tensor_get_data(z_tensor);
  for (int64_t i_at = 0; i_at < n_size; ++i_at) {
    for (int64_t j_at = 0; j_at < m_size; ++j_at) {
      float sum_1 = 0;
      for (int64_t l_at = 0; l_at < k_size; ++l_at) {
        sum_1 = sum_1 + (x_data[i_at * x_stride[0] + l_at * x_stride[1]] * w_data[l_at * w_stride[0] + j_at * w_stride[1]]);
      }
      z_data[i_at * z_stride[0] + j_at * z_stride[1]] = scale_value * sum_1;
    }
  }
  {
    TVMFFIAny packed[2];
    packed[0] = tvm_ffi_any_view_object(z_local);
    packed[1] = args->args[3]; /* y */
    if ((code = call_import(&activate_import, find_activate, packed, 2)) != 0) goto done;
  }
done:
  tvm_ffi_object_release(z_local);
  return code;
}
